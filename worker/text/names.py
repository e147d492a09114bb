"""Names of months, weekdays and units of time, as ``names.json`` has them.

The file is made by ``python -m benchmarks.language.names``: what comes out of a page depends on no
installed version of a library of names, and nobody waits for one to be read and merged.
"""

from functools import cache
from typing import TypedDict

from worker.text.shipped import shipped_json


class Ages(TypedDict):
    """How a language says how long ago.

    Attributes
    ----------
    units
        Unit of a word: ``hours`` is ``hour``.
    whole
        Number and unit of a phrase without a number.
    """

    units: dict[str, str]
    whole: dict[str, tuple[int, str]]


class Names(TypedDict):
    """What the file holds.

    Attributes
    ----------
    months
        Number of a month by its name, by the codes of the languages that call it so.
    weekdays
        Of all languages.
    units
        Of ages, in all languages: ``hours``.
    directions
        What says that an age is past, in all languages: ``ago``.
    ages
        By the language.
    """

    months: dict[str, dict[str, int]]
    weekdays: list[str]
    units: list[str]
    directions: list[str]
    ages: dict[str, Ages]


@cache
def names() -> Names:
    """Return the names, read once."""
    found: Names = shipped_json("worker.text", "names.json")
    return found
