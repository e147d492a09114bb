"""Celery tasks, each a thin call of `worker.workflow`.

Every task is idempotent. Its arguments are IDs, never values, so messages stay small.
"""
