"""What stands beside the service in a chain: for crawlers that publish its pages."""
