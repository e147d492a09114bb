"""Celery tasks, which are idempotent; `worker.workflow` holds their shared steps."""
