"""The first experiments of Deturck (2015, section 4.4.1), ablations of what the thesis retained.

All of them weigh the elements of a page by the text that the edit script to another page changes,
and choose one element.
"""

from functools import lru_cache

from worker.article import NoTextError
from worker.article.finding import Finding
from worker.article.outline import Outline
from worker.grouping.distance import edit_mapping
from worker.papers.deturck.heuristics import HEURISTICS
from worker.papers.deturck.token_tree import TokenTree, token_tree_of
from worker.papers.giving import cut
from worker.papers.interface import Extracted, Neighbours, Source
from worker.papers.reading import CACHED_PAGES, page_of, pivot_of


def extract(source: Source, neighbours: Neighbours, heuristic: str) -> Extracted:
    """Choose an element by one of `heuristics.HEURISTICS` and render it.

    Raises NoPivotError without a page to compare with, NoTextError if no text of the page differs,
    and `worker.grouping.distance.TreeTooLargeError` if the token trees are too large to compare.
    """
    pivot_outline, pivot = _views_of(pivot_of(neighbours))
    outline, page = _views_of(source)
    weights = page.weights(pivot, edit_mapping(page.tree, pivot.tree))
    if not weights[0]:
        raise NoTextError("no text of the page differs from the other page")
    chosen = page.elements[HEURISTICS[heuristic](page, weights)]
    finding = Finding(heuristic, outline.elements.index(chosen))
    return cut(source, outline, finding, pivot_outline)


@lru_cache(maxsize=CACHED_PAGES)
def _views_of(source: Source) -> tuple[Outline, TokenTree]:
    """Flatten a page in both ways at once, so that both refer to the same elements."""
    document = page_of(source).document
    return Outline.of(document), token_tree_of(document)
