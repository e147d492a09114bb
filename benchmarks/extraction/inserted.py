"""Lines that sites put between an article's paragraphs, by language and role.

They are inserted into real pages for training and measuring. ``inserted.json`` has the lines, in
which `{}` represents the title of another article, or the name of the site.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from detourage.roles import LineRole

INSERTED_LINES: Final[Mapping[str, Mapping[LineRole, Sequence[str]]]] = json.loads(
    Path(__file__).with_name("inserted.json").read_text(encoding="utf-8")
)
"""Lines by language and role, such as "Read also: {}" in English for ``related``."""

INSERTED_MARKUP: Final = (
    "<p>{}</p>",
    "<p>{}</p>",
    "<p><strong>{}</strong></p>",
    "<p><em>{}</em></p>",
    '<p><a href="/a/{n}">{}</a></p>',
    '<div class="x{n}">{}</div>',
    '<div class="x{n}"><a href="/a/{n}"><span>{}</span></a></div>',
    '<p class="c{n}"><b>{}</b></p>',
    "<h4>{}</h4>",
    "<blockquote><p>{}</p></blockquote>",
)
"""Markup in which a line may be inserted: `{}` is the line, `{n}` a random number."""
