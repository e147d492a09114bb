"""Exchanges, queues, task names, and the validation of incoming messages."""
