"""A pair of pages: their distance, and the differences between their trees."""

from typing import Any, Final

from starlette.exceptions import HTTPException

from models.tables import StoredPage
from worker.article.outline import Outline
from worker.explain.page_parts import fixed_lines, page_parts
from worker.explain.pictures.groups import key
from worker.explain.pictures.wireframe import draw_wireframe
from worker.explain.tree_changes import TreeChanges, element_names, tree_changes
from worker.grouping.distance import TreeTooLargeError, normalised_distance
from worker.html import Page, Tree
from worker.inspector.asking import InspectorRequest
from worker.inspector.registry import Answer, Views
from worker.inspector.stored_page import KnownPage, known_page
from worker.store.trees import load_trees
from worker.text.abridged import abridged

views = Views()

MOST_CELLS: Final = 9_000_000
"""Maximum product of the sizes of two trees that are mapped, which takes about 100 ms."""

MOST_LINES: Final = 500
"""Maximum number of lines listed in the comparison."""

SHOWN_LINES: Final = 60
"""Number of lines initially shown."""

SIGNS: Final = {"same": " ", "removed": "−", "added": "+", "renamed": "~"}


@views.page("/pairs/{page:number}/{other:number}", "pair.html")
def pair(asked: InspectorRequest) -> Answer:
    """Show two pages side by side."""
    ids = asked.place("page"), asked.place("other")
    pages = [asked.known(lambda session, i=i: known_page(session, i)) for i in ids]  # type: ignore[misc]
    tree_ids = [each.page.tree_id or 0 for each in pages]
    stored = asked.read(lambda session: load_trees(session, tree_ids))
    if not stored.keys() >= set(tree_ids):
        raise HTTPException(404, "One of these pages has no tree to compare.")
    trees = [stored[tree_id] for tree_id in tree_ids]
    documents = [each.parse() for each in pages]
    changes = _changes(trees[0], trees[1], documents)
    values = {
        "pages": [_described(each, tree) for each, tree in zip(pages, trees, strict=True)],
        "distance": changes.distance if changes else None,
        "normalised": normalised_distance(changes.distance, len(trees[0]), len(trees[1]))
        if changes
        else None,
        "removed": changes.removed if changes else None,
        "added": changes.added if changes else None,
        "renamed": changes.renamed if changes else None,
        "lines": [line._asdict() for line in changes.lines[:MOST_LINES]] if changes else [],
        "more_lines": max(len(changes.lines) - MOST_LINES, 0) if changes else 0,
    }
    shown = {
        "wireframes": _wireframes(documents),
        "shown_lines": SHOWN_LINES,
        "signs": SIGNS,
        "key": key,
        "abridged": abridged,
    }
    return Answer(values, shown)


def _changes(a: Tree, b: Tree, documents: list[Page | None]) -> TreeChanges | None:
    if len(a) * len(b) > MOST_CELLS:
        return None
    names = [_names(*each) for each in zip((a, b), documents, strict=True)]
    try:
        return tree_changes(a, b, *names)
    except TreeTooLargeError:
        return None


def _names(tree: Tree, page: Page | None) -> list[str] | None:
    # The tree of a page rendered by a browser differs from the tree of its fetched HTML.
    return element_names(page) if page is not None and page.tree == tree else None


def _wireframes(documents: list[Page | None]) -> list[Any]:
    outlines = [Outline.of(page.flat) for page in documents if page is not None]
    if len(outlines) < 2:
        return []
    return [
        draw_wireframe(page_parts(one, fixed_lines(one, [other])), title)
        for one, other, title in (
            (outlines[0], outlines[1], "The first page"),
            (outlines[1], outlines[0], "The second page"),
        )
    ]


def _described(known: KnownPage, tree: Tree) -> dict[str, Any]:
    page: StoredPage = known.page
    return {
        "id": page.id,
        "url": page.url,
        "site_id": page.site_id,
        "site": known.place.site_key,
        "group": known.place.group_number,
        "role": known.place.role,
        "elements": len(tree),
    }
