"""Types that a page declares for its content, such as NewsArticle (schema.org, OpenGraph)."""

import re
from typing import Final

from detourage.metadata.json_ld import json_ld_of
from detourage.reader.outline import Outline

MAX_SCRIPT_CHARACTERS: Final = 500_000  # length of JSON-LD searched for declared types

_TYPE: Final = re.compile(r'"@type"\s*+:\s*+\[?\s*+"([A-Za-z]{1,60})"')


def declared_types(page: Outline) -> list[str]:
    """Return the types that a page declares, in lower case, such as ``"newsarticle"``."""

    def compute() -> list[str]:
        json_ld = "\n".join(text for _, text in json_ld_of(page.document))
        _, item_types = page.flat.attributes.named("itemtype")
        types = _TYPE.findall(json_ld[:MAX_SCRIPT_CHARACTERS])
        types += [value.rpartition("/")[2] for value in item_types]
        types.append(page.metas.get("og:type", "").rpartition(":")[2])
        return [name.strip().lower() for name in types if name]

    return page.cached(declared_types, compute)
