"""Pages that are no articles, for measuring the recognition of walls and absences."""
