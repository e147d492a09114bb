"""Training and evaluation of the recognition of walls and missing pages."""
