"""Stories: articles that repeat each other across pages."""
