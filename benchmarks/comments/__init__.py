"""Scripts that produce the figures for reader comments."""
