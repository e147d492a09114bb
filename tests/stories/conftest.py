"""Fixtures for the tests of stories, which are groups of articles about the same news."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, text

from stories.store import engine_of, migrate
from tests.stories.grouped import Stories


@pytest.fixture(scope="module")
def stories_engine(database_url: str) -> Iterator[Engine]:
    """Connections to a database with the tables of the service and those of the stories."""
    engine = engine_of(database_url)
    migrate(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def stories(stories_engine: Engine) -> Stories:
    """Stories on a database without articles."""
    with stories_engine.begin() as connection:
        for table in ("stories.articles", "stories.stories", "articles", "pages", "sites"):
            connection.execute(text(f"DELETE FROM {table}"))
    return Stories(stories_engine)
