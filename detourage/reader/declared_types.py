"""Types of things that a page declares itself to be about (schema.org, OpenGraph)."""

import re
from typing import Final

from detourage.reader.outline import Outline
from detourage.reader.scripts import is_structured_data

MAX_SCRIPT: Final = 500_000  # length of JSON-LD searched for declared types

_TYPE: Final = re.compile(r'"@type"\s*+:\s*+\[?\s*+"([A-Za-z]{1,60})"')


def declared_types(page: Outline) -> list[str]:
    """Return all types that a page declares, in lower case."""
    if declared_types not in page.memo:
        scripts = (node for node in page.declaring if node.tag == "script")
        written = "\n".join(node.text or "" for node in scripts if is_structured_data(node))
        _, marked = page.flat.attributes.named("itemtype")
        found = _TYPE.findall(written[:MAX_SCRIPT])
        found += [value.rpartition("/")[2] for value in marked]
        found.append(page.metas.get("og:type", "").rpartition(":")[2])
        page.memo[declared_types] = [kind.strip().lower() for kind in found if kind]
    types: list[str] = page.memo[declared_types]
    return types
