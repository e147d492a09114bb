"""Precision, recall and their harmonic mean."""

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class PRF:
    """Precision, recall and F1 of found items, in percent."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, common: int, found: int, wanted: int) -> Self:
        """Compute the scores from the numbers of items in common, found and expected.

        They are 100 if `found` and `wanted` are both 0, and 0 if only one of them is 0.
        Raise ValueError if `common` exceeds one of them.
        """
        if not 0 <= common <= min(found, wanted):
            raise ValueError(f"{common} items cannot be common to {found} found, {wanted} wanted")
        if found == wanted == 0:
            return cls(100.0, 100.0, 100.0)
        return cls(
            precision=100 * common / found if found else 0.0,
            recall=100 * common / wanted if wanted else 0.0,
            f1=200 * common / (found + wanted),
        )
