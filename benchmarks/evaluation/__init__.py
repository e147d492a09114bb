"""Scores, methods and reports; the product imports none of it."""
