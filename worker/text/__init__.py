"""Analysis of words and dates in texts, and formatting of text for people."""
