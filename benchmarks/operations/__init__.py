"""Measurements of the cost of running the service, made on complete deployments."""
