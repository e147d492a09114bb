"""The cost of running the service, measured on whole deployments."""
