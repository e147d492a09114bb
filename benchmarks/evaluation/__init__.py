"""Scores, methods and reports. The product does not import this package."""
