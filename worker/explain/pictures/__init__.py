"""Pictures in SVG or PNG, drawn by pure functions."""
