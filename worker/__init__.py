"""Détourage, the worker between the crawler and entity recognition."""
