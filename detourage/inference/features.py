"""Input features of models: rows of numbers with named columns."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.float32]
Number = tuple[str, float]  # A named feature of a single row
NamedColumn = tuple[str, Sequence[float] | npt.NDArray[np.float64 | np.int64 | np.bool_]]
"""Name of a column, and its value in each row."""


class Features(NamedTuple):
    """Rows of numbers with named columns, shape (rows, columns)."""

    columns: tuple[str, ...]
    rows: Rows

    @classmethod
    def of(cls, named_columns: Iterable[NamedColumn]) -> Self:
        """Combine columns; raise ValueError if two have the same name."""
        columns = list(named_columns)
        names = tuple(name for name, _ in columns)
        if len(set(names)) < len(names):
            raise ValueError("two columns have the same name")
        count = len(columns[0][1]) if columns else 0
        rows = np.empty((count, len(columns)), dtype=np.float32)
        for index, (_, values) in enumerate(columns):
            rows[:, index] = values
        return cls(names, rows)

    def rows_for(self, columns: tuple[str, ...]) -> Rows:
        """Return the rows for a model trained on `columns`; raise RuntimeError if they differ."""
        expect_columns(self.columns, columns)
        return self.rows


def expect_columns(measured: tuple[str, ...], trained: tuple[str, ...]) -> None:
    """Raise RuntimeError unless the columns are those used in training, in the same order."""
    if measured == trained:
        return
    missing = [name for name in trained if name not in measured]
    unknown = [name for name in measured if name not in trained]
    raise RuntimeError(
        f"the model was trained on different columns (missing {missing}, unknown {unknown}, or in"
        " another order): train it again"
    )
