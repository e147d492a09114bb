"""Paper 000's first experiments (section 4.4.1), kept as ablations of what it retained.

All of them weigh the elements of a page by the text that the edit script against another
page changes, and choose one element.
"""

from functools import lru_cache

from worker.distance import edit_mapping
from worker.evaluation.methods.interface import Extracted, Neighbours, NoPivotError, Source
from worker.evaluation.methods.ours import cut
from worker.evaluation.methods.papers.heuristics import HEURISTICS
from worker.evaluation.methods.papers.token_tree import TokenTree, token_tree_of
from worker.evaluation.methods.reading import CACHED_PAGES, page_of
from worker.extraction import NoTextError
from worker.extraction.finding import Finding
from worker.extraction.outline import Outline


def extract(source: Source, neighbours: Neighbours, heuristic: str) -> Extracted:
    """Choose an element by one of the heuristics and render it.

    Parameters
    ----------
    source
        The page.
    neighbours
        With the page that it is compared with.
    heuristic
        A key of `heuristics.HEURISTICS`.

    Raises
    ------
    NoPivotError
        If there is no page to compare with.
    NoTextError
        If no text of the page differs.
    worker.distance.TreeTooLargeError
        If the token trees cannot be compared.
    """
    if neighbours.pivot is None:
        raise NoPivotError("no page to compare it with")
    outline, page = _views_of(source)
    pivot_outline, pivot = _views_of(neighbours.pivot)
    weights = page.weights(pivot, edit_mapping(page.tree, pivot.tree))
    if not weights[0]:
        raise NoTextError("no text of the page differs from the other page")
    chosen = page.elements[HEURISTICS[heuristic](page, weights)]
    finding = Finding(heuristic, outline.elements.index(chosen))
    return cut(source, outline, finding, pivot_outline)


@lru_cache(maxsize=CACHED_PAGES)
def _views_of(source: Source) -> tuple[Outline, TokenTree]:
    """Flatten a page in both ways at once, so that both are of the same elements."""
    document = page_of(source).document
    return Outline.of(document), token_tree_of(document)
