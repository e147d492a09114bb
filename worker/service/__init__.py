"""The processes of a deployment, and its health checks, metrics and quarantine."""
