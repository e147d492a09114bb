"""Queries for the inspector."""
