"""Measurements across pages: repeats, addresses, parts, live reports and agencies."""
