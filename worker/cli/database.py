"""Database access for commands that use the configured deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

    from worker.settings import Settings
    from worker.store.database import Database

T = TypeVar("T")


def with_database(settings: Settings, use: Callable[[Database], T]) -> T:
    """Call ``use`` with the database, then close its connections."""
    from worker.store.schema import current_database

    with current_database(settings.require_database_url()) as database:
        return use(database)


def read_database(settings: Settings, query: Callable[[Session], T]) -> T:
    """Run a query against one consistent snapshot, and return its result."""
    return with_database(settings, lambda database: database.read_snapshot(query))
