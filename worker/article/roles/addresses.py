"""Evidence from the targets of a line's links."""

from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import urlsplit

import numpy as np

from worker.article.roles.view import MAX_MATCHED, View
from worker.article.roles.vocabulary import LINKED
from worker.inference import NamedColumn

MAX_LINKS = 4
"""Maximum number of links examined per line."""

MIN_SLUG = 25
"""Minimum length, in characters, of the last path segment of an article's URL."""

MIN_DIGITS = 5
"""Minimum number of digits in the last path segment of an article's URL."""

_KINDS = (*LINKED, "to_article", "to_anchor")


def of_links(view: View) -> Iterator[NamedColumn]:
    """Classify the targets of each line's links, and count those on other hosts."""
    page, host = view.page, _host(view.url)
    known: dict[int, tuple[int, bool]] = {}
    bits = np.zeros(len(view.lines), dtype=np.int64)
    counts, outside = np.zeros(len(view.lines)), np.zeros(len(view.lines))
    for row, nodes in enumerate(view.nodes):
        links = dict.fromkeys(page.links[node.parent] for node in nodes)
        links.pop(-1, None)
        counts[row] = len(links)
        for link in [*links][:MAX_LINKS]:
            if link not in known:
                known[link] = _target(page.node(link).get("href") or "", host)
            kind, leaves = known[link]
            bits[row] |= kind
            outside[row] += leaves
    yield "links", counts
    yield "links_outside", outside
    for place, name in enumerate(_KINDS):
        yield name, bits >> place & 1


def _target(address: str, host: str) -> tuple[int, bool]:
    """Return the kinds of a URL, as bits, and whether it leads to another host."""
    shown = address[:MAX_MATCHED].strip()
    to = _host(shown)
    return _kinds_of(shown), bool(to) and to != host


@lru_cache(maxsize=4096)
def _kinds_of(address: str) -> int:
    bits = sum(1 << place for place, kind in enumerate(LINKED.values()) if kind.search(address))
    slug = address.partition("?")[0].rstrip("/").rpartition("/")[2]
    is_article = len(slug) >= MIN_SLUG or sum(map(str.isdigit, slug)) >= MIN_DIGITS
    bits |= is_article << _KINDS.index("to_article")
    return bits | address.startswith("#") << _KINDS.index("to_anchor")


def _host(address: str) -> str:
    if "//" not in address:
        return ""
    try:
        return (urlsplit(address).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
