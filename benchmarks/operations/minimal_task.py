"""The minimum cost of a task with a queue and a database: that of a task that inserts a row."""

from functools import cache

from celery import Celery
from sqlalchemy import text

from worker.store.database import Database

app = Celery("floor", broker_connection_retry_on_startup=True)


@cache
def _database(url: str) -> Database:
    return Database(url)


@app.task(name="floor", acks_late=True, ignore_result=True)  # type: ignore[untyped-decorator]
def insert(database_url: str, number: int) -> None:
    """Insert a row, which is all that this task does."""
    with _database(database_url).transaction() as session:
        session.execute(text("INSERT INTO floor VALUES (:number)"), {"number": number})
