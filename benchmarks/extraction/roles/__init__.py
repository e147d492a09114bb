"""Roles of lines: the model trained and measured."""
