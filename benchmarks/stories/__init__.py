"""Measurements across pages: repeats, URLs, parts, live reports and news agencies."""
