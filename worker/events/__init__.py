"""Events: groups of articles that report the same news in different words."""
