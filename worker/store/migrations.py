"""Bringing the schema of a database to the version of this code."""

from pathlib import Path

import alembic.command
from alembic.config import Config

import migrations
from worker.store.database import Database
from worker.store.schema import (
    UnknownSchemaError,
    known_revisions,
    newest_revision,
    revision_of,
)


def migrate(database: Database, version: str | None = None) -> None:
    """Bring the schema to a version; what is stored stays.

    Parameters
    ----------
    database
        The database.
    version
        The newest where absent. On the way to an older one is lost what the versions between have
        added.

    Raises
    ------
    UnknownSchemaError
        If there is no such version, or the database is of one that this code does not know.
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


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return config
