"""Celery tasks: each calls the steps of `worker.workflow`.

Every task can run twice with the same effect as once. Its arguments are ids, never values, so
messages stay small.
"""
