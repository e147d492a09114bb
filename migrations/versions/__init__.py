"""Schema migrations, numbered from the oldest."""
