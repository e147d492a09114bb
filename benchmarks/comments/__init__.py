"""Scripts behind the figures for reader comments."""
