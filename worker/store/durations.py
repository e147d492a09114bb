"""How long pieces of work take, counted in the database: right however many processes there are."""

import logging
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

from sqlalchemy import bindparam, func, select
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from models.tables import Duration
from worker.store.database import Database

logger = logging.getLogger(__name__)

BOUNDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, math.inf)
"""Upper bounds of the classes that durations are counted by, in seconds."""

SLOTS = 16
"""Rows that processes share the counting of a class among, so that few wait for each other."""


@dataclass(frozen=True)
class Histogram:
    """How often a kind of work was done, and how long it took.

    Parameters
    ----------
    cumulative
        Number of times that it took at most so long, by `BOUNDS`.
    seconds
        What it took in all.
    """

    cumulative: dict[float, int]
    seconds: float


@contextmanager
def timed(database: Database, work: str, pieces: int = 1) -> Iterator[None]:
    """Note how long a block takes, however it ends; see `note`."""
    began = monotonic()
    try:
        yield
    finally:
        note(database, work, monotonic() - began, pieces)


def note(database: Database, work: str, seconds: float, pieces: int = 1) -> None:
    """Count one duration, unless the database is away.

    It costs this process 0.9 ms of CPU, and may be lost when the database's host crashes.

    Parameters
    ----------
    database
        Where it is counted.
    work
        Kind of work.
    seconds
        What it took.
    pieces
        How many pieces were done together; each counts for an equal share of the time.
    """
    try:
        share = seconds / pieces
        with database.statement_by_statement() as connection:
            connection.execute(
                _COUNT,
                {
                    "work": work,
                    "slot": os.getpid() % SLOTS,
                    "at_most": next(bound for bound in BOUNDS if share <= bound),
                    "number": pieces,
                    "seconds": seconds,
                },
            )
    except SQLAlchemyError:
        logger.warning("a duration could not be noted", exc_info=True)


def _counting() -> Insert:
    names = ("work", "slot", "at_most", "number", "seconds")
    columns = Duration.__table__.columns
    # Within the statement, which is a transaction, so that nobody waits for the disk.
    not_waited_for = func.set_config("synchronous_commit", "off", True).table_valued("setting")
    values = select(*(bindparam(name, type_=columns[name].type) for name in names))
    add = insert(Duration).from_select(names, values.select_from(not_waited_for))
    return add.on_conflict_do_update(
        constraint="pk_durations",
        set_={
            "number": Duration.number + add.excluded.number,
            "seconds": Duration.seconds + add.excluded.seconds,
        },
    ).execution_options(dml_strategy="raw")


_COUNT = _counting()


def histograms(session: Session) -> dict[str, Histogram]:
    """Return the durations of each kind of work that was ever done."""
    numbers: dict[str, dict[float, int]] = {}
    seconds: dict[str, float] = {}
    rows = session.execute(
        select(
            Duration.work, Duration.at_most, func.sum(Duration.number), func.sum(Duration.seconds)
        )
        .group_by(Duration.work, Duration.at_most)
        .order_by(Duration.work)
    )
    for work, at_most, number, total in rows:
        numbers.setdefault(work, {})[at_most] = int(number)
        seconds[work] = seconds.get(work, 0.0) + float(total)
    return {
        work: Histogram(
            {
                bound: sum(n for at_most, n in counted.items() if at_most <= bound)
                for bound in BOUNDS
            },
            seconds[work],
        )
        for work, counted in numbers.items()
    }
