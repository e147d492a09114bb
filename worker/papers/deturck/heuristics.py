"""How the first experiments of Deturck (2015) choose an element by its weight (section 4.4.1).

The thesis describes them in prose; where it leaves a choice, the reading is in the function
concerned. On one point its text and its algorithm 5 part: an element without children has no
difference to a child. In the algorithm it has no differential and is never chosen; in the
heuristics without ``inner`` it has its own weight, as it brings together all the text below it.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from worker.papers.deturck.token_tree import TokenTree


def differentials(page: TokenTree, weights: Sequence[int], *, inner: bool = False) -> list[int]:
    """Compute the weight that an element has beyond its heaviest child.

    The thesis calls it the smallest difference between the weights of a parent and of its
    immediate descendants (algorithm 5). It is large where many parts of a text meet.

    Parameters
    ----------
    page
        The page.
    weights
        Weights of its elements.
    inner
        Whether only elements with children have one; the others' is 0, else their weight.
    """
    heaviest: list[int | None] = [None] * len(weights)
    for index in range(1, len(weights)):
        parent = page.parents[index]
        heaviest[parent] = max(heaviest[parent] or 0, weights[index])
    of_leaves = [0] * len(weights) if inner else weights
    return [
        of_leaf if child is None else weight - child
        for weight, child, of_leaf in zip(weights, heaviest, of_leaves, strict=True)
    ]


def most_tokens(page: TokenTree, weights: Sequence[int]) -> int:
    """First heuristic: the greatest differential above the element with most text.

    The path goes from the element with the largest number of token children (algorithm 4),
    which is close to the leaves, up to the root: "the differential grows from the root up to a
    culminating point".
    """
    return _greatest(page, weights, page.path_to_root(_first_largest(page.tokens)))


def most_tokens_down(page: TokenTree, weights: Sequence[int]) -> int:
    """First heuristic: the greatest differential on the path from the element with most text down.

    The path "starts from the element with the largest quantity of text and follows this same
    criterion to a leaf": from each element it goes on to the child with most token children.
    Where that element is a leaf already, it is chosen.
    """
    path = page.path_to_leaf(_first_largest(page.tokens))
    return _greatest(page, weights, path, inner=True)


def differential(page: TokenTree, weights: Sequence[int], *, inner: bool = False) -> int:
    """Second heuristic: the greatest differential of the page."""
    return _first_largest(differentials(page, weights, inner=inner))


def depth(page: TokenTree, weights: Sequence[int], *, inner: bool = False) -> int:
    """Third heuristic: the greatest differential times depth.

    Depth is the number of levels from the root, so that what is low in the tree is favoured.
    The thesis looks for a maximum of the differential from there to the root, which is read as
    one of the weighted differential, hence the starting point itself: with the unweighted one
    all of 100 pages tried gave the result of the second heuristic.
    """
    pairs = zip(differentials(page, weights, inner=inner), page.depths(), strict=True)
    return _first_largest([difference * level for difference, level in pairs])


def offset(page: TokenTree, weights: Sequence[int], *, inner: bool = False) -> int:
    """Fourth heuristic: the element after the widest gap of offsets on the way down.

    From the root to the element of the third heuristic, each step goes from an element to a
    child that begins further on in the page's code. Where the gap is widest, the most has
    been left behind; the child is chosen.
    """
    path = page.path_to_root(depth(page, weights, inner=inner))
    gaps = [page.offsets[child] - page.offsets[parent] for child, parent in pairwise(path)]
    return path[_first_largest(gaps)] if gaps else path[0]


def _greatest(
    page: TokenTree, weights: Sequence[int], path: Sequence[int], *, inner: bool = False
) -> int:
    values = differentials(page, weights, inner=inner)
    return path[_first_largest([values[index] for index in path])]


def _first_largest(values: Sequence[int]) -> int:
    return max(range(len(values)), key=values.__getitem__)


HEURISTICS: dict[str, Callable[[TokenTree, Sequence[int]], int]] = {
    "most_tokens": most_tokens,
    "most_tokens_down": most_tokens_down,
    "differential": differential,
    "differential_inner": partial(differential, inner=True),
    "depth": depth,
    "depth_inner": partial(depth, inner=True),
    "offset": offset,
    "offset_inner": partial(offset, inner=True),
}
"""The experiments by name, in the order of the thesis."""
