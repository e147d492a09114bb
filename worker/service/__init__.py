"""The processes of a deployment, and what tells how it is."""
