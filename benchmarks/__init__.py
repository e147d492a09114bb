"""Scripts that produce the figures and the picture in the README."""
