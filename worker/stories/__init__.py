"""Stories: what several pages tell together."""
