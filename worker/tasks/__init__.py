"""Celery tasks, each a thin wrapper around `worker.workflow`.

Every task is idempotent. Arguments are IDs rather than values, so that messages stay small.
"""
