"""Scores, methods and reports; the product does not import this package."""
