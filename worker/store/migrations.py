"""Schema migrations."""

from pathlib import Path

import alembic.command
from alembic.config import Config
from sqlalchemy import Connection, text

import migrations
from worker.store.database import Database
from worker.store.revisions import OLDEST_NEIGHBOUR, known_revisions, newest_revision
from worker.store.schema import UnknownSchemaError, revision_of


def migrate(database: Database, version: str | None = None) -> None:
    """Migrate the schema to a version, by default the newest; a downgrade drops later data.

    Raises `UnknownSchemaError` if the target or the current version is unknown.
    """
    with database.patient_transaction() as session:
        connection = session.connection()
        config = _config()
        config.attributes["connection"] = connection
        current, wanted = revision_of(connection), version or newest_revision()
        for each in (current, wanted):
            if each is not None and each not in known_revisions():
                raise UnknownSchemaError(each)
        if current is not None and wanted < current:
            alembic.command.downgrade(config, wanted)
        else:
            alembic.command.upgrade(config, wanted)
        _admit(connection, wanted)


def _admit(connection: Connection, revision: str) -> None:
    """Record which versions may use the new schema; see `worker.store.revisions`."""
    oldest = min(OLDEST_NEIGHBOUR, revision)
    if connection.scalar(text("SELECT to_regproc('admitted_schemas')")) is None:
        return
    connection.execute(
        text(
            "CREATE OR REPLACE FUNCTION admitted_schemas() RETURNS text[] LANGUAGE sql IMMUTABLE"
            f" AS $$ SELECT ARRAY['{oldest}', '{revision}'] $$"
        )
    )


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return config
