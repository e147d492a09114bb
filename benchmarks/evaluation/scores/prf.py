"""Precision, recall and their harmonic mean."""

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class PRF:
    """Precision, recall and F1, in percent.

    Attributes
    ----------
    precision
        Share of the found items that are wanted.
    recall
        Share of the wanted items that are found.
    f1
        Their harmonic mean, 0 if both are 0.
    """

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, common: int, found: int, wanted: int) -> Self:
        """Compute the three from counts.

        Parameters
        ----------
        common
            Items both found and wanted.
        found, wanted
            All items found, all items wanted. If both are 0, the scores are perfect (100); if
            only one is, all three are 0.

        Raises
        ------
        ValueError
            If more items are common than there are.
        """
        if not 0 <= common <= min(found, wanted):
            raise ValueError(f"{common} of {found} found and {wanted} wanted in common")
        if found == wanted == 0:
            return cls(100.0, 100.0, 100.0)
        return cls(
            precision=100 * common / found if found else 0.0,
            recall=100 * common / wanted if wanted else 0.0,
            f1=200 * common / (found + wanted),
        )
