"""Precision, recall and their harmonic mean."""

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class PRF:
    """Precision, recall and F1, in percent.

    Attributes
    ----------
    precision
        Share of the found items that are expected.
    recall
        Share of the expected items that are found.
    f1
        Harmonic mean of precision and recall; 0 if both are 0.
    """

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, common: int, found: int, wanted: int) -> Self:
        """Compute precision, recall and F1 from counts.

        Parameters
        ----------
        common
            Number of items that are both found and expected.
        found, wanted
            Total numbers of items found and expected. If both are 0, all scores are 100; if
            only one is 0, all scores are 0.

        Raises
        ------
        ValueError
            If the number of common items exceeds that of found or of expected items.
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
