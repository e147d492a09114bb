"""Integrations with crawling frameworks."""
