"""Scripts behind the figures and the picture of the README."""
