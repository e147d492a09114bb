"""Statements that are built once, and that the connection runs without the unit of work.

SQLAlchemy's session prepares every statement for objects: what only gives rows, or none, costs a
third when the connection runs it, and to build a statement costs as much again as to run it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import Executable, Result, ScalarResult
from sqlalchemy.orm import Session

S = TypeVar("S", bound=Executable)

Parameters = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None

_ROWS_ONLY = "detourage_rows_only"


def rows_only(statement: S) -> S:
    """Return a statement that `RowSession` leaves to the connection; it must give no objects."""
    return statement.execution_options(**{_ROWS_ONLY: True})


class RowSession(Session):
    """A session that leaves statements marked with `rows_only` to its connection."""

    def execute(
        self,
        statement: Executable,
        params: Parameters = None,
        **options: Any,
    ) -> Result[Any]:
        """Run a statement."""
        if not statement.get_execution_options().get(_ROWS_ONLY):
            return super().execute(statement, params, **options)
        # What was added before must be there, as it would for the session's own statements.
        self.flush()
        return self.connection().execute(statement, params)

    def scalar(self, statement: Executable, params: Parameters = None, **options: Any) -> Any:
        """Run a statement; return the first column of its first row, None without any."""
        return self.execute(statement, params, **options).scalar()

    def scalars(
        self, statement: Executable, params: Parameters = None, **options: Any
    ) -> ScalarResult[Any]:
        """Run a statement; return the first column of its rows."""
        return self.execute(statement, params, **options).scalars()
