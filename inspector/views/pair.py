"""A pair of pages: their distance, and the differences between their trees."""

from typing import Any, Final

from starlette.exceptions import HTTPException

from detourage.html import Page, Tree
from detourage.template.distance import TreeTooLargeError, normalised_distance
from inspector.reads.details import trees_by_id
from inspector.registry import ViewResponse, page_view
from inspector.request import InspectorRequest
from inspector.stored_page import PageData, page_data
from inspector.tree_changes import TreeChanges, element_names, tree_changes

MAX_SIZE_PRODUCT: Final = 9_000_000
"""Maximum product of the sizes of two trees to compare, which takes about 100 ms."""

MAX_LINES: Final = 500
"""Maximum number of lines that show the differences."""


@page_view("/pairs/{page:number}/{other:number}", "pair.html")
def pair(request: InspectorRequest) -> ViewResponse:
    """Show two pages side by side."""
    ids = request.path_number("page"), request.path_number("other")
    pages = [request.read_existing(page_data, page_id) for page_id in ids]
    tree_ids = [each.page.tree_id or 0 for each in pages]
    stored_trees = request.read(trees_by_id, tree_ids)
    if not stored_trees.keys() >= set(tree_ids):
        raise HTTPException(404, "One of these pages has no tree to compare.")
    trees = [stored_trees[tree_id] for tree_id in tree_ids]
    documents = [each.parse() for each in pages]
    changes = _changes(trees, documents)
    values = {
        "pages": [_description(each, tree) for each, tree in zip(pages, trees, strict=True)],
        "normalised": normalised_distance(changes.distance, *map(len, trees)) if changes else None,
        **{
            name: getattr(changes, name, None)
            for name in ("distance", "removed", "added", "renamed")
        },
        "lines": [line._asdict() for line in changes.lines[:MAX_LINES]] if changes else [],
        "more_lines": max(len(changes.lines) - MAX_LINES, 0) if changes else 0,
    }
    template_values = {
        "shown_lines": 60,
        "signs": {"same": " ", "removed": "−", "added": "+", "renamed": "~"},
    }
    return ViewResponse(values, template_values)


def _changes(trees: list[Tree], documents: list[Page | None]) -> TreeChanges | None:
    """Compare two trees; return None if they are too large."""
    if len(trees[0]) * len(trees[1]) > MAX_SIZE_PRODUCT:
        return None
    # The names come from the stored HTML, which does not match the tree of a page that was rendered
    # by a browser.
    names = [
        element_names(page) if page is not None and page.tree == tree else None
        for tree, page in zip(trees, documents, strict=True)
    ]
    try:
        return tree_changes(trees[0], trees[1], *names)
    except TreeTooLargeError:
        return None


def _description(data: PageData, tree: Tree) -> dict[str, Any]:
    page, context = data.page, data.context
    return {
        "id": page.id,
        "url": page.url,
        "site_id": page.site_id,
        "site": context.site_key,
        "group": context.group_number,
        "role": context.role,
        "elements": len(tree),
    }
