"""Idempotent Celery tasks; the steps that they share are in `worker.workflow`."""
