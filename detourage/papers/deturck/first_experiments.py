"""First experiments of Deturck (2015, section 4.4.1): heuristics tried before the retained one.

Each heuristic weights every element of a page by the number of words that the edit script to
another page changes, and chooses one element. The thesis describes the heuristics in prose; if it
leaves room for interpretation, the function documents the choice. In algorithm 5, unlike in the
text, elements without children have no differential and are never chosen; the ``inner`` variants
follow the algorithm. In the other variants, the differential of such an element is its weight.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import pairwise

from detourage.papers.conversion import CACHED_PAGES, extract_body, page_of, pivot_of
from detourage.papers.deturck.token_tree import TokenTree, token_tree_of
from detourage.papers.interface import Extracted, Neighbours, Source
from detourage.reader import NoTextError
from detourage.reader.found_body import FoundBody
from detourage.reader.outline import Outline
from detourage.template.distance import edit_mapping


def extract(source: Source, neighbours: Neighbours, heuristic: str) -> Extracted:
    """Choose an element with one of the `HEURISTICS` and extract its text.

    Raise NoPivotError if there is no page to compare with, NoTextError if all texts are the same,
    and `detourage.template.distance.TreeTooLargeError` if the token trees are too large.
    """
    pivot_outline, pivot = _views_of(pivot_of(neighbours))
    outline, page = _views_of(source)
    weights = page.weights(pivot, edit_mapping(page.tree, pivot.tree))
    if not weights[0]:
        raise NoTextError("the texts of the page do not differ from those of the other page")
    chosen = page.elements[HEURISTICS[heuristic](page, weights)]
    finding = FoundBody(heuristic, outline.elements.index(chosen))
    return extract_body(source, outline, finding, pivot_outline)


@lru_cache(maxsize=CACHED_PAGES)
def _views_of(source: Source) -> tuple[Outline, TokenTree]:
    """Return a page's outline and token tree from one parse, so that they share their elements."""
    flat = page_of(source).flat
    elements = flat.elements  # Elements that nothing refers to would be built again.
    return Outline.of(flat), token_tree_of(elements[0])


def differentials(page: TokenTree, weights: Sequence[int], *, inner: bool = False) -> list[int]:
    """Return by how much each element outweighs its heaviest child (algorithm 5).

    The differential is large for an element that contains many parts of a text. For an element
    without children, it is 0 with `inner`, and the element's weight otherwise.
    """
    heaviest_child: list[int | None] = [None] * len(weights)
    for index in range(1, len(weights)):
        parent = page.parents[index]
        heaviest_child[parent] = max(heaviest_child[parent] or 0, weights[index])
    leaf_values = [0] * len(weights) if inner else weights
    return [
        leaf_value if child is None else weight - child
        for weight, child, leaf_value in zip(weights, heaviest_child, leaf_values, strict=True)
    ]


def most_tokens(page: TokenTree, weights: Sequence[int]) -> int:
    """First heuristic: the greatest differential above the element with the most text.

    The path leads from the element with the most token children (algorithm 4) up to the root: "the
    differential grows from the root up to a culminating point".
    """
    return _greatest(page, weights, page.path_to_root(_first_largest(page.tokens)))


def most_tokens_down(page: TokenTree, weights: Sequence[int]) -> int:
    """First heuristic, downwards: the greatest differential below the element with the most text.

    The path "starts from the element with the largest quantity of text and follows this same
    criterion to a leaf", always to the child with the most token children.
    """
    return _greatest(page, weights, page.path_to_leaf(_first_largest(page.tokens)), inner=True)


def differential(page: TokenTree, weights: Sequence[int], *, inner: bool = False) -> int:
    """Second heuristic: the greatest differential of the page."""
    return _first_largest(differentials(page, weights, inner=inner))


def depth(page: TokenTree, weights: Sequence[int], *, inner: bool = False) -> int:
    """Third heuristic: the greatest differential times depth, in levels from the root.

    The thesis then looks for a maximum of the differential on the way to the root. This is read as
    the differential weighted by depth, so that the maximum is the starting point itself. Without
    this weight, the result would be that of the second heuristic.
    """
    pairs = zip(differentials(page, weights, inner=inner), page.depths(), strict=True)
    return _first_largest([difference * level for difference, level in pairs])


def offset(page: TokenTree, weights: Sequence[int], *, inner: bool = False) -> int:
    """Fourth heuristic: the element after the widest gap in offsets on the way down.

    The path leads from the root to the element chosen by the third heuristic. The chosen element
    is the child that begins farthest behind its parent in the page's code, because the step to it
    skips the most code.
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
