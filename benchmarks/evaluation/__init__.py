"""Scores, methods and reports; the service does not import this package."""
