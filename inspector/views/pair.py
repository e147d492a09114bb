"""A pair of pages: their distance, and the differences between their trees."""

from typing import Any, Final

from starlette.exceptions import HTTPException

from detourage.html import Page, Tree
from detourage.template.distance import TreeTooLargeError, normalised_distance
from inspector.reads.details import trees_by_id
from inspector.registry import Answer, page_view
from inspector.request import InspectorRequest
from inspector.stored_page import KnownPage, known_page
from inspector.tree_changes import TreeChanges, element_names, tree_changes

MAX_CELLS: Final = 9_000_000
"""Maximum product of the sizes of two trees to be mapped, which takes about 100 ms."""

MAX_LINES: Final = 500
"""Maximum number of lines in the comparison."""


@page_view("/pairs/{page:number}/{other:number}", "pair.html")
def pair(request: InspectorRequest) -> Answer:
    """Show two pages side by side."""
    ids = request.path_number("page"), request.path_number("other")
    pages = [request.known(known_page, page_id) for page_id in ids]
    tree_ids = [each.page.tree_id or 0 for each in pages]
    stored = request.read(trees_by_id, tree_ids)
    if not stored.keys() >= set(tree_ids):
        raise HTTPException(404, "One of these pages has no tree to compare.")
    trees = [stored[tree_id] for tree_id in tree_ids]
    documents = [each.parse() for each in pages]
    changes = _changes(trees, documents)
    values = {
        "pages": [_described(each, tree) for each, tree in zip(pages, trees, strict=True)],
        "normalised": normalised_distance(changes.distance, *map(len, trees)) if changes else None,
        **{
            name: getattr(changes, name, None)
            for name in ("distance", "removed", "added", "renamed")
        },
        "lines": [line._asdict() for line in changes.lines[:MAX_LINES]] if changes else [],
        "more_lines": max(len(changes.lines) - MAX_LINES, 0) if changes else 0,
    }
    shown = {
        "shown_lines": 60,
        "signs": {"same": " ", "removed": "−", "added": "+", "renamed": "~"},
    }
    return Answer(values, shown)


def _changes(trees: list[Tree], documents: list[Page | None]) -> TreeChanges | None:
    if len(trees[0]) * len(trees[1]) > MAX_CELLS:
        return None
    # The tree of a page rendered by a browser differs from the tree of its fetched HTML.
    names = [
        element_names(page) if page is not None and page.tree == tree else None
        for tree, page in zip(trees, documents, strict=True)
    ]
    try:
        return tree_changes(trees[0], trees[1], *names)
    except TreeTooLargeError:
        return None


def _described(known: KnownPage, tree: Tree) -> dict[str, Any]:
    page = known.page
    return {
        "id": page.id,
        "url": page.url,
        "site_id": page.site_id,
        "site": known.place.site_key,
        "group": known.place.group_number,
        "role": known.place.role,
        "elements": len(tree),
    }
