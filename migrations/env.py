"""Alembic environment: uses the connection that it is given, or opens one from the settings."""

from collections.abc import Collection, Mapping
from typing import Any

from alembic import context
from alembic.runtime.migration import MigrationContext, MigrationInfo
from sqlalchemy import Connection, create_engine

from models.tables import Base
from worker.settings import load_settings
from worker.store.migrations import admit


def admit_versions(
    ctx: MigrationContext, step: MigrationInfo, heads: Collection[Any], run_args: Mapping[str, Any]
) -> None:
    """Record the versions that a migration admits, in its own transaction."""
    del step, run_args
    assert ctx.connection is not None
    admit(ctx.connection, max(heads, default=""))


def run(connection: Connection) -> None:
    """Run the migrations on an open connection."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        compare_type=True,
        transaction_per_migration=True,
        on_version_apply=admit_versions,
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    engine = create_engine(load_settings().require_database_url())
    with engine.connect() as own:
        run(own)
