"""Pure functions that draw pictures in SVG or PNG."""
