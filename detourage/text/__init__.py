"""Analyse words and dates in texts, and format text for people."""
