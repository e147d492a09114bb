"""Pages that are not articles, to measure the recognition of walls and missing pages."""
