"""Words and dates in text, and text for people."""
