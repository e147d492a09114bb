"""Extraction, explanation and grouping of pages without the service."""
