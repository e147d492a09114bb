"""Revisions of the schema: those this code knows, and which versions may work on which.

Neighbouring versions of the service work side by side during an upgrade. The database lists the
revisions it admits, each connection states the revision of its code, and triggers refuse every
write of another one, in the transaction that makes it.
"""

from functools import cache
from importlib.resources import files
from typing import Final

MARK: Final = "detourage.schema"
"""Setting of a connection that holds the revision of its code."""

LAST_UNMARKED: Final = "0024"
"""Last revision whose connections carry no mark; connections without one count as this revision."""

OLDEST_NEIGHBOUR: Final = LAST_UNMARKED
"""Revision of the oldest version that works on the newest schema alongside this one.

Raise it in a migration that removes or changes what code of that revision uses.
"""

FOREIGN_SCHEMA: Final = "DT001"
"""SQLSTATE of a refusal. Unmarked connections get 57P03, on which earlier versions wait."""


@cache
def known_revisions() -> tuple[str, ...]:
    """Return the revisions of this code in order: the prefixes of its migrations."""
    names = (each.name for each in files("migrations").joinpath("versions").iterdir())
    return tuple(sorted(name.partition("_")[0] for name in names if name[0].isdigit()))


def newest_revision() -> str:
    """Return the revision that this code works on."""
    return known_revisions()[-1]
