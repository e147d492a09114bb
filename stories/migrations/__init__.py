"""Alembic history of the tables of the stories, in a schema of their own."""
