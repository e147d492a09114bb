"""Paper 000's first experiments (section 4.4.1), kept as ablations of what it retained.

All of them weigh the elements of a page by the text that the edit script against another
page changes, and choose one element. The paper describes them in prose; where it leaves a
choice, the reading is in the function concerned.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

from worker.distance import edit_mapping
from worker.extraction import NoTextError, titles
from worker.extractors.interface import Extracted, Neighbours, NoPivotError, Source
from worker.extractors.ours import cut, outline_of
from worker.extractors.reading import CACHED_PAGES, page_of
from worker.extractors.token_tree import TokenTree, token_tree_of


def extract(source: Source, neighbours: Neighbours, heuristic: str) -> Extracted:
    """Choose an element by one of the heuristics and render it.

    Parameters
    ----------
    source
        The page.
    neighbours
        With the page that it is compared with.
    heuristic
        A key of `HEURISTICS`.

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
    page, pivot = _tree_of(source), _tree_of(neighbours.pivot)
    weights = page.weights(pivot, edit_mapping(page.tree, pivot.tree))
    if not weights[0]:
        raise NoTextError("no text of the page differs from the other page")
    chosen = page.elements[HEURISTICS[heuristic](page, weights)]
    outline = outline_of(source)
    container = outline.elements.index(chosen)
    template = titles.headings_of(outline_of(neighbours.pivot))
    return cut(source, outline, container, template=template)


@lru_cache(maxsize=CACHED_PAGES)
def _tree_of(source: Source) -> TokenTree:
    return token_tree_of(page_of(source).document)


def differentials(page: TokenTree, weights: Sequence[int]) -> list[int]:
    """Compute the weight that an element has beyond its heaviest child.

    The paper calls it the smallest difference between the weights of a parent and of its
    immediate descendants (algorithm 5). It is large where many parts of a text meet. An
    element without children has its own weight.
    """
    heaviest = [0] * len(weights)
    for index in range(1, len(weights)):
        parent = page.parents[index]
        heaviest[parent] = max(heaviest[parent], weights[index])
    return [weight - child for weight, child in zip(weights, heaviest, strict=True)]


def most_tokens(page: TokenTree, weights: Sequence[int]) -> int:
    """First heuristic: the greatest differential above the element with most text.

    The path goes from the element with the largest number of token children (algorithm 4),
    which is close to the leaves, up to the root.
    """
    start = _first_largest(page.tokens)
    return _greatest_on_path(page, start, differentials(page, weights))


def differential(page: TokenTree, weights: Sequence[int]) -> int:
    """Second heuristic: the greatest differential of the page."""
    return _first_largest(differentials(page, weights))


def depth(page: TokenTree, weights: Sequence[int]) -> int:
    """Third heuristic: the greatest differential above the element with differential x depth.

    Depth, in levels from the root, favours what is low in the tree as a starting point; along
    the path from there to the root it is the differential alone that decides, as before.
    """
    return _greatest_on_path(page, _deepest_start(page, weights), differentials(page, weights))


def offset(page: TokenTree, weights: Sequence[int]) -> int:
    """Fourth heuristic: the element after the widest gap of offsets on the way down.

    From the root to the starting point of the third heuristic, each step goes from an
    element to a child that begins further on in the page's code. Where the gap is widest,
    the most has been left behind; the child is chosen.
    """
    path = page.path_to_root(_deepest_start(page, weights))
    gaps = [page.offsets[child] - page.offsets[parent] for child, parent in pairwise(path)]
    return path[_first_largest(gaps)] if gaps else path[0]


def _deepest_start(page: TokenTree, weights: Sequence[int]) -> int:
    pairs = zip(differentials(page, weights), page.depths(), strict=True)
    return _first_largest([difference * level for difference, level in pairs])


def _greatest_on_path(page: TokenTree, start: int, values: Sequence[int]) -> int:
    """Return the element with the greatest value on a path; of several, the lowest."""
    path = page.path_to_root(start)
    return path[_first_largest([values[index] for index in path])]


def _first_largest(values: Sequence[int]) -> int:
    return max(range(len(values)), key=values.__getitem__)


HEURISTICS: dict[str, Callable[[TokenTree, Sequence[int]], int]] = {
    "most_tokens": most_tokens,
    "differential": differential,
    "depth": depth,
    "offset": offset,
}
"""The experiments by name, in the order of the paper."""
