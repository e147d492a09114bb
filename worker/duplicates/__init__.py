"""Stories: what several pages tell together: repeats, parts, addresses of one article."""
