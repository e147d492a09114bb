"""Tests that share a running deployment, which is a fixture of this package."""
