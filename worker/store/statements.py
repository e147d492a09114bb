"""Statements that are built once and run on the connection, without SQLAlchemy's unit of work.

This saves most of the overhead of statements that return plain rows or nothing. A session would
also insert rows in one statement per set of non-null columns.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import Executable, Result, ScalarResult, TextClause, TextualSelect
from sqlalchemy.orm import Session

S = TypeVar("S", bound=Executable)

Parameters = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None

_ROWS_ONLY = "detourage_rows_only"


def rows_only(statement: S) -> S:
    """Mark a statement to be run on the connection by `RowSession`; it must not return objects."""
    return statement.execution_options(**{_ROWS_ONLY: True})


class RowSession(Session):
    """A session that runs SQL texts, and statements marked by `rows_only`, on its connection."""

    def execute(
        self,
        statement: Executable,
        params: Parameters = None,
        **options: Any,
    ) -> Result[Any]:
        """Run a statement."""
        is_text = isinstance(statement, TextClause | TextualSelect)
        if not is_text and not statement.get_execution_options().get(_ROWS_ONLY):
            return super().execute(statement, params, **options)
        # Flush pending objects first, as a session does for its own statements.
        self.flush()
        return self.connection().execute(statement, params)

    def scalar(self, statement: Executable, params: Parameters = None, **options: Any) -> Any:
        """Run a statement, and return the first column of its first row, or None."""
        return self.execute(statement, params, **options).scalar()

    def scalars(
        self, statement: Executable, params: Parameters = None, **options: Any
    ) -> ScalarResult[Any]:
        """Run a statement, and return the first column of its rows."""
        return self.execute(statement, params, **options).scalars()
