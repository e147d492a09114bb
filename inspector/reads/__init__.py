"""Queries for the inspector, whose SQL is in `queries.sql`, each with a name and a description."""

import re
from importlib.resources import files
from types import SimpleNamespace
from typing import Final

from sqlalchemy import text

_, *_SECTIONS = re.split(
    r"^-- (\w+) --\n-- .+\n",
    files(__name__).joinpath("queries.sql").read_text("utf-8"),
    flags=re.MULTILINE,
)
PARTS: Final = dict(zip(_SECTIONS[::2], map(str.strip, _SECTIONS[1::2]), strict=True))
"""Texts by name; ``{name}`` in one is replaced by another."""


def whole(statement: str) -> str:
    """Return an SQL text with the parts that it names."""
    return re.sub(r"\{(\w+)\}", lambda found: whole(PARTS[found[1]]), statement)


SQL: Final = SimpleNamespace(
    **{
        name: text(whole(statement))
        for name, statement in PARTS.items()
        if not name.startswith("part_")
    }
)
"""Statements by name."""
