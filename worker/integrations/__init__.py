"""Integrations with crawlers."""
