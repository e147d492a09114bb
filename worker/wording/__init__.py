"""Words for people: plurals, and what a terminal may be given."""
