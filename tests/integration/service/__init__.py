"""A package, so that its tests can share one deployment through a fixture with package scope."""
