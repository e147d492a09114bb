"""CommentsMiner, section by section.

J. Subercaze, C. Gravier and F. Laforest, "Extraction de commentaires utilisateurs sur le Web",
EGC 2016.
"""

from collections.abc import Sequence

from lxml.html import HtmlElement

from worker.comments.elements import PageElements
from worker.comments.features import paper_measures
from worker.comments.reading import read_comments
from worker.html import Page
from worker.inference import BoostedTrees, load_model
from worker.papers.commentsminer.mining import Subtree, mine
from worker.papers.giving import as_given
from worker.papers.interface import Extracted, Neighbours, Source
from worker.papers.reading import page_of


def trained_ranking() -> BoostedTrees:
    """Return what the best of the rankers learnt: boosted trees (``benchmarks/comments``)."""
    return load_model(BoostedTrees, __package__, "commentsminer.json").model


def extract(source: Source, _neighbours: Neighbours) -> Extracted:
    """Find comments as the paper does, and read them as the service does."""
    page = page_of(source)
    comments = read_comments(page.flat, mine_comments(page), page.url)
    return Extracted(None, "", (), comments=as_given(comments))


def mine_comments(page: Page, ranking: BoostedTrees | None = None) -> tuple[HtmlElement, ...]:
    """Find the comments of a page as the paper does.

    Parameters
    ----------
    page
        The page. The paper's have two comments and more: some pattern is taken for the
        comments' whenever there is one.
    ranking
        The ranking function; `trained_ranking` unless given.

    Returns
    -------
    tuple of elements
        Root of each occurrence of the chosen pattern, in document order. Who answers whom
        is told by which one stands in which (section 3).
    """
    elements = PageElements.of(page.document)
    candidates = mine(elements)
    if not candidates:
        return ()
    features = paper_measures(elements, [each.roots for each in candidates])
    chosen = candidates[int((ranking or trained_ranking()).probabilities(features).argmax())]
    return tuple(elements.elements[root] for root in find_occurrences(elements, chosen))


def find_occurrences(page: PageElements, pattern: Subtree) -> list[int]:
    """Find where a page has a pattern, in one depth-first pass (section 3).

    Returns
    -------
    list of int
        The element at the root of each occurrence, rising.

    Notes
    -----
    From the last element to the first, which nodes of the pattern can stand at each is known
    from its children; those of a node are found in their order, each at the first child that
    follows.
    """
    below = _children_of(pattern.parents)
    fitting: list[frozenset[int]] = [frozenset()] * len(page)
    children: list[list[int]] = [[] for _ in page.elements]
    for index in range(len(page) - 1, -1, -1):
        fitting[index] = frozenset(
            node
            for node, label in enumerate(pattern.labels)
            if label == page.tags[index]
            and _in_order(below[node], [fitting[child] for child in reversed(children[index])])
        )
        if page.parents[index] >= 0:
            children[page.parents[index]].append(index)
    return [index for index, nodes in enumerate(fitting) if 0 in nodes]


def _children_of(parents: Sequence[int]) -> list[list[int]]:
    below: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents):
        if parent >= 0:
            below[parent].append(node)
    return below


def _in_order(nodes: Sequence[int], places: Sequence[frozenset[int]]) -> bool:
    """Tell whether nodes can be found at places, in their order."""
    remaining = iter(places)
    return all(any(node in place for place in remaining) for node in nodes)
