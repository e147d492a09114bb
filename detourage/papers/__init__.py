"""Extraction methods from the literature, each implemented as its authors describe it."""
