"""Mine a page's frequent closed induced ordered subtrees (Subercaze et al. 2016, section 2).

Y. Chi, Y. Yang, Y. Xia and R. R. Muntz, "Mining closed and maximal frequent subtrees from
databases of labeled rooted trees", IEEE TKDE 17 (2005), under the paper's constraints.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from detourage.comments.elements import PageElements
from detourage.papers.commentsminer.patterns import Forest, Pattern

SUPPORT = 2
"""Minimum number of occurrences of a frequent subtree (section 2.1)."""

MAX_STEPS = 400_000
"""Maximum number of elements visited before mining stops and returns the subtrees found so far: all
that are more frequent than the last one grown."""

MAX_DEPTH = 100
"""Maximum depth of a subtree, in levels."""


@dataclass(frozen=True)
class Subtree:
    """A subtree and its occurrences.

    `labels` are tags in preorder, and `parents` the positions of their parents (-1 for the root).
    `roots` are the root elements of the occurrences in ascending order, and `rightmost` has, for
    each root, the element that matches the last node.
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    roots: tuple[int, ...]
    rightmost: tuple[int, ...]


def mine(page: PageElements, max_steps: int = MAX_STEPS) -> list[Subtree]:
    """Mine a page for subtrees that may be its comments.

    The paper's constraints (section 2.1) are:

    - every root has exactly one rightmost occurrence: ``|RootOcc| = |RmoOcc|``;
    - the nearest common ancestor of the occurrences is not the root of the page (here ``body``,
      which contains everything visible);
    - the occurrences are not all blank and do not all have the same text.
    """
    mined = mine_tree(page.tags, page.parents.tolist(), max_steps)
    return [each for each in mined if _has_ancestor(page, each) and _has_texts(page, each)]


def mine_tree(
    labels: Sequence[str], parents: Sequence[int], max_steps: int = MAX_STEPS
) -> list[Subtree]:
    """Mine a tree for closed frequent subtrees with ``|RootOcc| = |RmoOcc|``, most frequent first.

    `labels` and `parents` are in preorder, with -1 as the parent of a root. A subtree is closed if
    no larger subtree in the result contains it and has as many roots.

    A subtree is grown one node at a time, as the rightmost child of a node on the rightmost path.
    If it has several rightmost nodes below one root, it is not a result, but its extensions may
    be. A subtree is abandoned, together with its extensions, only if a node can be added left of
    the last one, or above the root, without losing any rightmost node. The same node can then be
    added to every extension, so none of them is closed.
    """
    forest = Forest(labels, parents)
    waiting: list[tuple[int, int, Pattern]] = []
    numbers = count()
    for pattern in forest.single_nodes(SUPPORT):
        heappush(waiting, (-len(pattern.rightmost), next(numbers), pattern))
    found: list[Pattern] = []
    while waiting and forest.steps < max_steps:
        _, _, pattern = heappop(waiting)
        if forest.can_be_added_to(pattern):
            continue
        larger = forest.extensions(pattern, SUPPORT)
        if len(pattern.path) < MAX_DEPTH:
            for each in larger:
                heappush(waiting, (-len(each.rightmost), next(numbers), each))
        occurs = len(pattern.rightmost)
        is_part = any(each.is_unique and len(each.rightmost) == occurs for each in larger)
        if pattern.is_unique and not is_part:
            found.append(pattern)
    return [_subtree(forest, each) for each in _closed(forest, found)]


def _closed(forest: Forest, patterns: Sequence[Pattern]) -> Iterator[Pattern]:
    """Yield the patterns that are not contained in another pattern with as many roots."""
    same: defaultdict[int, list[Pattern]] = defaultdict(list)
    for pattern in patterns:
        same[len(pattern.rightmost)].append(pattern)
    for pattern in patterns:
        shape = forest.shape_of(pattern)
        first = min(pattern.rightmost)
        if not any(
            other is not pattern
            and forest.has_around(first, other.rightmost)
            and forest.holds(forest.shape_of(other), shape)
            for other in same[len(pattern.rightmost)]
        ):
            yield pattern


def _subtree(forest: Forest, pattern: Pattern) -> Subtree:
    labels, parents = forest.nodes_of(forest.shape_of(pattern))
    roots = sorted(pattern.rightmost)
    rightmost = tuple(pattern.rightmost[root][0] for root in roots)
    return Subtree(labels, parents, tuple(roots), rightmost)


def _has_ancestor(page: PageElements, subtree: Subtree) -> bool:
    """Return whether the occurrences have a common ancestor below the body."""
    first, last = subtree.roots[0], subtree.roots[-1]
    around = page.parents[first]
    while around >= 0 and last >= page.ends[around]:
        around = page.parents[around]
    return around >= 0 and page.tags[around] not in {"html", "body"}


def _has_texts(page: PageElements, subtree: Subtree) -> bool:
    """Return whether the occurrences have different texts, which also means that some have text."""
    first = page.text_of(subtree.roots[0])
    return any(page.text_of(root) != first for root in subtree.roots[1:])
