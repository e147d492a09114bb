"""Migrations create the schema of the models; other schemas are refused and left unchanged."""

from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from models.tables import Base
from tests.services import Services, temporary_database
from worker.store.database import Database
from worker.store.schema import (
    REVISION,
    SchemaIsBehindError,
    SchemaIsForeignError,
    alembic_config,
    migrate,
    require_current,
)


@pytest.fixture
def empty_database(services: Services) -> Iterator[Database]:
    """A database without any tables."""
    with temporary_database(services) as url, Database(url) as database:
        yield database


def test_models_and_migrations_agree(database_url: str) -> None:
    with Database(database_url) as database, database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_the_newest_revision_is_the_last_migration() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_heads() == [REVISION]


def test_migrating_again_preserves_the_stored_data(empty_database: Database) -> None:
    with pytest.raises(SchemaIsBehindError, match=r"; run `detourage migrate`$"):
        require_current(empty_database)
    migrate(empty_database)
    with empty_database.transaction() as session:
        session.execute(text("INSERT INTO sites (key) VALUES ('news.example')"))
    migrate(empty_database)
    require_current(empty_database)
    with empty_database.transaction() as session:
        assert session.scalar(text("SELECT key FROM sites")) == "news.example"


def test_the_schema_of_another_version_is_reported_and_left_unchanged(
    empty_database: Database,
) -> None:
    migrate(empty_database)
    with empty_database.transaction() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for use in (require_current, migrate):
        with pytest.raises(SchemaIsForeignError, match=r"schema 9999 is unknown .* install the"):
            use(empty_database)
    with empty_database.transaction() as session:
        assert session.scalar(text("SELECT version_num FROM alembic_version")) == "9999"
