"""Trees of the pages in the corpora, and selection of the pairs and sites to measure."""

import base64
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from detourage.html import PageError, Tree, parse_page

Sites = dict[str, list[Tree]]  # trees of the pages, by corpus and site

MAX_TREES = 50  # maximum number of pages per site that are compared with each other


def read_sites(corpora: Path) -> Sites:
    """Return the trees of every site; corpora are the subfolders with a ``pages.jsonl.gz``."""
    sites: defaultdict[str, list[Tree]] = defaultdict(list)
    for path in sorted(corpora.glob("*/pages.jsonl.gz")):
        for message in _messages(path):
            html = message.get("html") or base64.b64decode(message["html_base64"])
            try:
                tree = parse_page(html, message["url"]).tree
            except PageError:
                continue
            sites[f"{path.parent.name}/{message['site']}"].append(tree)
    return dict(sites)


def _messages(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def pairs_of_size(sites: Sites, nodes: int, count: int) -> list[tuple[str, Tree, Tree]]:
    """Return pairs of different pages of one site, both with about the given number of nodes."""
    pairs = []
    for name, trees in sorted(sites.items()):
        similar_trees = [tree for tree in trees if 0.85 * nodes <= len(tree) <= 1.15 * nodes]
        if len(similar_trees) > 1 and similar_trees[0] != similar_trees[-1]:
            pairs.append((name, similar_trees[0], similar_trees[-1]))
    step = max(1, len(pairs) // count)
    return pairs[::step][:count]


def largest_sites(sites: Sites, count: int) -> dict[str, list[Tree]]:
    """Return the sites with the most pages, with at most `MAX_TREES` pages per site."""
    names = sorted(sites, key=lambda name: (-len(sites[name]), name))[:count]
    return {name: sites[name][:MAX_TREES] for name in names}


def pages_of_different_sites(sites: Sites, nodes: int) -> list[Tree]:
    """Return pages with about `nodes` nodes, each of a different site and a different template."""
    nearest = [min(trees, key=lambda tree: abs(len(tree) - nodes)) for trees in sites.values()]
    return sorted(nearest, key=lambda tree: abs(len(tree) - nodes))[:MAX_TREES]


def site_of_size(sites: Sites, nodes: int, pages: int) -> tuple[str, list[Tree]]:
    """Return the site with at least `pages` pages whose median size is nearest to `nodes`."""
    medians = {
        name: sorted(len(tree) for tree in trees)[len(trees) // 2]
        for name, trees in sites.items()
        if len(trees) >= pages
    }
    name = min(medians, key=lambda name: (abs(medians[name] - nodes), name))
    return name, sites[name][:MAX_TREES]
