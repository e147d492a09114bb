"""Stories: groups of near-duplicate articles on different pages."""
