"""Measurements of the methods that group pages by template."""
