"""Revisions of the schema: those that this code knows, and which code may work on which.

Neighbouring versions of the service work side by side while one replaces the other. The database
says which revisions' code it admits; each connection says of which revision its code is, and
triggers refuse what is written by any other, in the transaction that writes it.
"""

from functools import cache
from importlib.resources import files
from typing import Final

MARK: Final = "detourage.schema"
"""Setting of a connection: the revision of the code that opened it."""

LAST_UNMARKED: Final = "0024"
"""Revision of the last version whose connections have no mark: all without one are taken for it."""

OLDEST_NEIGHBOUR: Final = LAST_UNMARKED
"""Revision of the oldest version that works on the newest schema beside this one.

A migration that takes away or changes what code of that revision uses raises it.
"""

FOREIGN_SCHEMA: Final = "DT001"
"""SQLSTATE of a refusal. Without a mark it is 57P03, for which earlier versions wait."""


@cache
def known_revisions() -> tuple[str, ...]:
    """Return the revisions of this code, with which the names of the migrations begin, in order."""
    names = (each.name for each in files("migrations").joinpath("versions").iterdir())
    return tuple(sorted(name.partition("_")[0] for name in names if name[0].isdigit()))


def newest_revision() -> str:
    """Return the revision that this code works on."""
    return known_revisions()[-1]
