"""Measurements across pages: repeats, URLs, parts and news agencies."""
