"""Databases with earlier versions of the schema."""

import alembic.command

from worker.store.database import Database
from worker.store.migrations import _config
from worker.store.revisions import newest_revision
from worker.store.schema import revision_of

ADMITTED = (
    "CREATE OR REPLACE FUNCTION admitted_schemas() RETURNS text[] LANGUAGE sql IMMUTABLE"
    " AS $$ SELECT ARRAY['{}', '{}'] $$"
)
"""SQL that makes a database accept only code of the given revisions."""


def is_current(database: Database) -> bool:
    """Return whether the schema is the newest one."""
    with database.engine.connect() as connection:
        return revision_of(connection) == newest_revision()


def go_to(database: Database, version: str, *, down: bool = False) -> None:
    """Upgrade or downgrade the schema to the given version."""
    with database.engine.connect() as connection:
        config = _config()
        config.attributes["connection"] = connection
        change = alembic.command.downgrade if down else alembic.command.upgrade
        change(config, version)
