"""Measurements across pages: repeats, events, URLs, parts, live reports and news agencies."""
