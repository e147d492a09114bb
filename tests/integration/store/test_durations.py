"""The durations recorded by all processes are added up in the database."""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from worker.store.database import Database
from worker.store.durations import Durations, histograms


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    with Database(database_url) as database:
        yield database


def record_durations(url: str, seconds: list[float]) -> None:
    """Record durations of work through a separate connection."""
    with Database(url) as database:
        durations = Durations(database)
        for each in seconds:
            durations.record("work", each)
        durations.write()


def test_durations_of_all_connections_add_up(database: Database, database_url: str) -> None:
    with ThreadPoolExecutor(3) as threads:
        list(threads.map(record_durations, [database_url] * 6, [[0.01, 0.2, 200.0]] * 6))
    found = database.run(histograms)["work"]
    assert found.cumulative[0.01] == 6
    assert found.cumulative[0.1] == 6
    assert found.cumulative[0.3] == found.cumulative[100] == 12
    assert found.cumulative[math.inf] == 18
    assert math.isclose(found.seconds, 6 * 200.21)


def test_the_duration_of_a_batch_is_divided_equally(database: Database) -> None:
    durations = Durations(database)
    durations.record("batch", 0.8, pieces=8)
    durations.write()
    found = database.run(histograms)["batch"]
    assert (found.cumulative[0.03], found.cumulative[0.1]) == (0, 8)
    assert math.isclose(found.seconds, 0.8)


def test_work_continues_while_the_database_is_unavailable() -> None:
    unavailable = Database("postgresql+psycopg2://nobody@127.0.0.1:1/nowhere")
    durations = Durations(unavailable)
    with durations.measure("work"):
        has_run = True
    durations.write()
    assert has_run
