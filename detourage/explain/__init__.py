"""Extraction, explanation and grouping of pages without a running service."""
