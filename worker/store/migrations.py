"""Bringing the schema of a database to the version of this code."""

from pathlib import Path

import alembic.command
from alembic.config import Config

import migrations
from worker.store.database import Database


def migrate(database: Database) -> None:
    """Bring the schema to the newest version; what is stored stays."""
    with database.engine.begin() as connection:
        config = _config()
        config.attributes["connection"] = connection
        alembic.command.upgrade(config, "head")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return config
