"""Exchanges, queues, task names, and messages before the service accepts them."""
