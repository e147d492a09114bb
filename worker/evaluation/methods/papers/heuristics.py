"""How paper 000's first experiments choose an element by its weight (section 4.4.1).

The paper describes them in prose; where it leaves a choice, the reading is in the function
concerned.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from worker.evaluation.methods.papers.token_tree import TokenTree


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
    path = page.path_to_root(_first_largest(page.tokens))
    values = differentials(page, weights)
    return path[_first_largest([values[index] for index in path])]


def differential(page: TokenTree, weights: Sequence[int]) -> int:
    """Second heuristic: the greatest differential of the page."""
    return _first_largest(differentials(page, weights))


def depth(page: TokenTree, weights: Sequence[int]) -> int:
    """Third heuristic: the greatest differential times depth.

    Depth is the number of levels from the root, so that what is low in the tree is favoured.
    The paper looks for a maximum of the differential from there to the root, which is read as
    one of the weighted differential, hence the starting point itself: with the unweighted one
    all of 100 pages tried gave the result of the second heuristic.
    """
    pairs = zip(differentials(page, weights), page.depths(), strict=True)
    return _first_largest([difference * level for difference, level in pairs])


def offset(page: TokenTree, weights: Sequence[int]) -> int:
    """Fourth heuristic: the element after the widest gap of offsets on the way down.

    From the root to the element of the third heuristic, each step goes from an element to a
    child that begins further on in the page's code. Where the gap is widest, the most has
    been left behind; the child is chosen.
    """
    path = page.path_to_root(depth(page, weights))
    gaps = [page.offsets[child] - page.offsets[parent] for child, parent in pairwise(path)]
    return path[_first_largest(gaps)] if gaps else path[0]


def _first_largest(values: Sequence[int]) -> int:
    return max(range(len(values)), key=values.__getitem__)


HEURISTICS: dict[str, Callable[[TokenTree, Sequence[int]], int]] = {
    "most_tokens": most_tokens,
    "differential": differential,
    "depth": depth,
    "offset": offset,
}
"""The experiments by name, in the order of the paper."""
