"""Exchanges, queues and task names, connections to the broker, and compressed bodies."""
