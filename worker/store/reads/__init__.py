"""What the inspector reads of a deployment."""
