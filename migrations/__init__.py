"""Migrations of the schema (Alembic)."""
