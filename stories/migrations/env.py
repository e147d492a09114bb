"""Alembic environment, which uses the connection that it is given."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"], version_table_schema="stories"
)
with context.begin_transaction():
    context.run_migrations()
