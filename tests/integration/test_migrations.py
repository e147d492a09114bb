"""The migrations make the tables that the code expects, on an empty and on a filled database."""

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from models.tables import Base
from tests.services import Services, temporary_database
from worker.store.database import Database
from worker.store.migrations import is_behind, migrate


def test_models_and_migrations_agree(database_url: str) -> None:
    database = Database(database_url)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    database.dispose()


def test_migrating_again_keeps_what_is_stored(services: Services) -> None:
    with temporary_database(services) as url:
        database = Database(url)
        assert is_behind(database)
        migrate(database)
        with database.transaction() as session:
            session.execute(text("INSERT INTO sites (key) VALUES ('news.example')"))
        migrate(database)
        assert not is_behind(database)
        with database.transaction() as session:
            assert session.scalar(text("SELECT key FROM sites")) == "news.example"
        database.dispose()
