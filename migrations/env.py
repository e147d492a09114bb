"""Alembic environment: uses the connection that it is given, or opens one from the settings."""

from alembic import context
from sqlalchemy import Connection, create_engine

from models.tables import Base
from worker.settings import load_settings


def run(connection: Connection) -> None:
    """Run the migrations on an open connection."""
    context.configure(connection=connection, target_metadata=Base.metadata, compare_type=True)
    with context.begin_transaction():
        context.run_migrations()


open_connection = context.config.attributes.get("connection")
if open_connection is not None:
    run(open_connection)
else:
    engine = create_engine(load_settings().require_database_url())
    with engine.connect() as new_connection:
        run(new_connection)
