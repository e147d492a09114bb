"""First experiments of Deturck (2015, section 4.4.1), ablations of the retained heuristic.

Each of them weighs the elements of a page by the amount of text changed by the edit script to
another page, and chooses one element.
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
    """Choose an element with one of `heuristics.HEURISTICS` and render the element.

    Raise NoPivotError if there is no page to compare with, NoTextError if all texts are the same,
    and `worker.grouping.distance.TreeTooLargeError` if the token trees are too large.
    """
    pivot_outline, pivot = _views_of(pivot_of(neighbours))
    outline, page = _views_of(source)
    weights = page.weights(pivot, edit_mapping(page.tree, pivot.tree))
    if not weights[0]:
        raise NoTextError("the texts of the page do not differ from those of the other page")
    chosen = page.elements[HEURISTICS[heuristic](page, weights)]
    finding = Finding(heuristic, outline.elements.index(chosen))
    return cut(source, outline, finding, pivot_outline)


@lru_cache(maxsize=CACHED_PAGES)
def _views_of(source: Source) -> tuple[Outline, TokenTree]:
    """Return a page's outline and token tree from one parse, so that they share their elements."""
    document = page_of(source).document
    return Outline.of(document), token_tree_of(document)
