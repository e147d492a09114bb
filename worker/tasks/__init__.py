"""Celery tasks, in a module for each kind of work; `worker.workflow` holds their shared steps.

Every task is idempotent. Arguments are IDs rather than values, so that messages stay small.
"""
