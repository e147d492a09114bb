"""The processes of a deployment, and its checks, metrics and quarantine."""
