"""What tasks need of the process they run in."""

import os
from functools import cache
from typing import Any

from worker.settings import load_settings
from worker.store.database import Database

TASK_OPTIONS: dict[str, Any] = {"ignore_result": True, "serializer": "json"}
"""Options of every task; delivery guarantees are settings of the application."""


def database() -> Database:
    """Return this process's database.

    Connections must not cross a fork, so each pool child has its own.
    """
    return _database_of(os.getpid())


@cache
def _database_of(_process: int) -> Database:
    return Database(load_settings().require_database_url())
