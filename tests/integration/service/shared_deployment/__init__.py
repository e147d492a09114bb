"""Tests of a running deployment; they form a package in order to share one through a fixture."""
