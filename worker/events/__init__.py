"""Events: groups of articles in different words about the same happening."""
