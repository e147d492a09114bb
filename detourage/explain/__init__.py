"""Extraction, explanation and grouping of pages that does not need a running service."""
