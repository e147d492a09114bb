"""Durations are counted in the database, by whoever does the work."""

import math
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from worker.store import durations
from worker.store.database import Database


def count(url: str, seconds: list[float]) -> None:
    database = Database(url)
    for each in seconds:
        durations.note(database, "work", each)
    database.dispose()


def test_durations_of_all_processes_add_up(database_url: str) -> None:
    processes = ProcessPoolExecutor(3, mp_context=get_context("spawn"))
    with processes:
        for each in [processes.submit(count, database_url, [0.01, 0.2, 200.0]) for _ in range(6)]:
            each.result()
    database = Database(database_url)
    (found,) = [database.run(durations.histograms)["work"]]
    assert found.cumulative[0.01] == 6
    assert found.cumulative[0.1] == 6
    assert found.cumulative[0.3] == found.cumulative[100] == 12
    assert found.cumulative[math.inf] == 18
    assert math.isclose(found.seconds, 6 * 200.21)
    database.dispose()


def test_pieces_done_together_count_for_equal_shares(database_url: str) -> None:
    database = Database(database_url)
    durations.note(database, "batch", 0.8, pieces=8)
    found = database.run(durations.histograms)["batch"]
    assert (found.cumulative[0.03], found.cumulative[0.1]) == (0, 8)
    assert math.isclose(found.seconds, 0.8)
    database.dispose()


def test_work_goes_on_while_the_database_is_away() -> None:
    away = Database("postgresql+psycopg2://nobody@127.0.0.1:1/nowhere")
    with durations.timed(away, "work"):
        done = True
    assert done
