"""The database of the configured deployment, for the time of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

    from worker.settings import Settings
    from worker.store.database import Database

T = TypeVar("T")


def with_database(settings: Settings, use: Callable[[Database], T]) -> T:
    """Return what is made of the database, whose connections are closed then.

    Raises
    ------
    SchemaIsBehindError
        If its schema is older than this code.
    """
    from worker.store.schema import current_database

    with current_database(settings.require_database_url()) as database:
        return use(database)


def read_database(settings: Settings, query: Callable[[Session], T]) -> T:
    """Return what a query finds in one snapshot."""
    return with_database(settings, lambda database: database.read_snapshot(query))
