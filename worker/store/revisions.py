"""Schema revisions: those that this code knows, and the versions that each schema admits.

Neighbouring versions of the service run side by side during an upgrade. The database lists the
revisions it admits, each connection declares the revision of its code, and triggers reject every
write from a revision that is not admitted, within its transaction.
"""

from functools import cache
from importlib.resources import files
from typing import Final

MARK: Final = "detourage.schema"
"""Connection setting that declares the revision of the code."""

LAST_UNMARKED: Final = "0024"
"""Last revision whose connections do not set `MARK`; connections without it get this revision."""

OLDEST_NEIGHBOUR: Final = LAST_UNMARKED
"""Revision of the oldest version that can work on the newest schema. Raise it in any migration that
removes or changes something that the code of that revision uses."""

FIRST_COMPACT: Final = "0034"
"""Revision of the first version that reads HTML with a reference, compressed messages in the
outbox, and articles without the texts of their blocks. They are stored only in databases that admit
no earlier one: new databases, and those for which `detourage migrate --finish` was run."""

FOREIGN_SCHEMA: Final = "DT001"
"""SQLSTATE of a rejection. Connections without `MARK` get 57P03, which makes old releases wait."""


@cache
def known_revisions() -> tuple[str, ...]:
    """Return the revisions known to this code in order: the prefixes of its migrations."""
    names = (each.name for each in files("migrations").joinpath("versions").iterdir())
    return tuple(sorted(name.partition("_")[0] for name in names if name[0].isdigit()))


def newest_revision() -> str:
    """Return the schema revision that this code requires."""
    return known_revisions()[-1]
