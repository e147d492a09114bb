"""The migrations make the tables that the code expects, on an empty and on a filled database."""

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from models.tables import Base
from tests.services import Services, temporary_database
from worker.store.database import Database


def test_models_and_migrations_agree(database_url: str) -> None:
    database = Database(database_url)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    database.dispose()


def test_migrating_again_keeps_what_is_stored(services: Services) -> None:
    with temporary_database(services) as url:
        database = Database(url)
        assert database.pending_migrations()
        database.migrate()
        with database.transaction() as session:
            session.execute(text("INSERT INTO sites (key) VALUES ('news.example')"))
        database.migrate()
        assert not database.pending_migrations()
        with database.transaction() as session:
            assert session.scalar(text("SELECT key FROM sites")) == "news.example"
        database.dispose()
