"""A package, because its tests share one deployment in a fixture with package scope."""
