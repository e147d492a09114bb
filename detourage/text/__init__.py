"""Analysis of words and dates in texts, and text for people to read."""
