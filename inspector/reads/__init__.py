"""Queries for the inspector. Their SQL is in `queries.sql`, each with a name and a description."""

import re
from importlib.resources import files
from types import SimpleNamespace
from typing import Final

from sqlalchemy import text

# Names and SQL texts in turn; the headers between them are "-- name --" and a description
_, *_SECTIONS = re.split(
    r"^-- (\w+) --\n-- .+\n",
    files(__name__).joinpath("queries.sql").read_text("utf-8"),
    flags=re.MULTILINE,
)
PARTS: Final = dict(zip(_SECTIONS[::2], map(str.strip, _SECTIONS[1::2]), strict=True))
"""SQL texts by name; ``{name}`` in a text is replaced by the text of that name."""


def expand(statement: str) -> str:
    """Return an SQL text in which each ``{name}`` is replaced by the text of that name."""
    return re.sub(r"\{(\w+)\}", lambda match: expand(PARTS[match[1]]), statement)


SQL: Final = SimpleNamespace(
    **{
        name: text(expand(statement))
        for name, statement in PARTS.items()
        if not name.startswith("part_")
    }
)
"""Executable statements, as attributes by name."""
