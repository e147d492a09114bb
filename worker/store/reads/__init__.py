"""Queries of the inspector."""
