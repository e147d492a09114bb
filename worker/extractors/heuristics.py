"""How paper 000's first experiments choose an element by its weight (section 4.4.1).

The paper describes them in prose; where it leaves a choice, the reading is in the function
concerned.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from worker.extractors.token_tree import TokenTree


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
