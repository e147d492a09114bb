"""Migration of a database to the schema of this version, while no process of the service runs."""

from pathlib import Path

import alembic.command
from alembic.config import Config
from sqlalchemy import text

import migrations
from worker.store.database import Database
from worker.store.locks import AdvisoryLock
from worker.store.schema import REVISION, SchemaIsForeignError, known_revisions, revision_of


def migrate(database: Database) -> None:
    """Migrate the schema in one transaction, once no other process migrates it.

    Raise `SchemaIsForeignError` if the database belongs to another version of the service.
    """
    with database.patient_transaction() as session:
        session.execute(
            text("SELECT pg_advisory_xact_lock(:class, 0)"),
            {"class": AdvisoryLock.MIGRATION.value},
        )
        connection = session.connection()
        current = revision_of(connection)
        if current is not None and current not in known_revisions():
            raise SchemaIsForeignError(current)
        config = alembic_config()
        config.attributes["connection"] = connection
        alembic.command.upgrade(config, REVISION)


def alembic_config() -> Config:
    """Return the configuration with which Alembic finds the migrations."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return config
