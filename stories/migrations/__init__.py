"""Alembic migrations for the tables of the stories, which are in a separate schema."""
