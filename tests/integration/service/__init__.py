"""A package, so that the one deployment of its tests ends with the last of them."""
