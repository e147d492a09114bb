"""Every statement of the store is valid for the schema, and is used once."""

import re
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from worker.store.database import Database
from worker.store.queries import Statements

STORE = Path(__file__).parents[3] / "worker" / "store"
SUBJECTS = sorted(path.stem for path in STORE.joinpath("queries").glob("*.sql"))


def names(subject: str, pattern: str) -> set[str]:
    """Return the names that a pattern finds in a file of statements."""
    return set(re.findall(pattern, (STORE / "queries" / f"{subject}.sql").read_text()))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_server_accepts_every_statement(subject: str, database_url: str) -> None:
    statements = Statements(subject)
    incomplete = names(subject, r"-- (\w+) --\n-- (?:Condition|Part): ")
    dialect = create_engine("postgresql+psycopg2://", paramstyle="numeric_dollar").dialect
    with Database(database_url) as database, database.engine.connect() as connection:
        for name in statements.names:
            if name not in incomplete:
                statement = getattr(statements, name).compile(dialect=dialect)
                connection.exec_driver_sql(f"PREPARE {name}_checked AS {statement}")


def test_every_statement_is_used_once() -> None:
    used: Counter[tuple[str, str]] = Counter()
    for module in STORE.glob("*.py"):
        source = module.read_text()
        for subject in re.findall(r'^SQL = Statements\("(\w+)"\)', source, re.MULTILINE):
            used.update((subject, name) for name in re.findall(r"\bSQL\.(\w+)", source))
    defined = {(subject, name) for subject in SUBJECTS for name in Statements(subject).names}
    parts = {(subject, name) for subject in SUBJECTS for name in names(subject, r"\{(\w+)\}")}
    assert used.keys() | parts == defined
    assert {name for name, number in used.items() if number > 1} == set()
