"""Exchanges, queues, names of tasks, and messages before the service has taken them."""
