"""Stories: which articles tell the same, on the articles' own text."""
