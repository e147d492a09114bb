"""Celery tasks: read the store, call the domain, write the store.

Every task can run twice with the same effect as once, and tells what it needs
by ids, never by values, so that messages stay small.
"""
