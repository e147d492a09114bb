"""What the figures for reader comments come from."""
