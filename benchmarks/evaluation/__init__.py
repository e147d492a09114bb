"""Measuring: scores, methods, benches, training; the product imports none of it."""
