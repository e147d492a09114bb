"""What the service costs to run, measured on whole deployments."""
