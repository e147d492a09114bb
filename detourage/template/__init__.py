"""Template groups: sets of pages of a site that share a template."""
