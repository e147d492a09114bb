"""Comment extraction with CommentsMiner, following the sections of the paper.

J. Subercaze, C. Gravier and F. Laforest, "Extraction de commentaires utilisateurs sur le Web",
EGC 2016.
"""

from collections.abc import Sequence

from detourage.comments.assembly import read_comments
from detourage.html.flat import FlatDocument
from detourage.inference import BoostedTrees, load_model
from detourage.papers.commentsminer.measures import measure
from detourage.papers.commentsminer.mining import Forest, Subtree, displayed, mine
from detourage.papers.conversion import page_of, to_reader_comments
from detourage.papers.interface import Extracted, Neighbours, Source


def extract(source: Source, _neighbours: Neighbours) -> Extracted:
    """Find comments as the paper describes, and then read their fields as the service does.

    The comments are the occurrences of the pattern with the highest rank; their nesting shows which
    comment replies to which (section 3). Patterns are ranked by boosted trees, which scored best in
    ``benchmarks/comments``. Like the paper, the method assumes that every page has comments.
    """
    page = page_of(source)
    elements = displayed(page.flat)
    candidates = mine(elements)
    roots: list[int] = []
    if candidates:
        features = measure(elements, [each.roots for each in candidates])
        ranking = load_model(BoostedTrees, __package__, "commentsminer.json")
        chosen = candidates[int(ranking.probabilities(features).argmax())]
        roots = find_occurrences(elements, chosen)
    found = elements.numbers[roots].tolist() if roots else []
    comments = to_reader_comments(read_comments(page.flat, found, page.url))
    return Extracted(None, "", (), comments=comments)


def find_occurrences(page: FlatDocument, pattern: Subtree) -> list[int]:
    """Return the root elements of a pattern's occurrences, in ascending order (section 3)."""
    pattern_children = Forest(pattern.labels, pattern.parents).children
    # For each element, the nodes of the pattern whose subtrees it matches
    matched: list[frozenset[int]] = [frozenset()] * len(page.tags)
    children: list[list[int]] = [[] for _ in page.tags]
    for index in range(len(page.tags) - 1, -1, -1):
        matched_by_children = [matched[child] for child in reversed(children[index])]
        matched[index] = frozenset(
            node
            for node, label in enumerate(pattern.labels)
            if label == page.tags[index] and _in_order(pattern_children[node], matched_by_children)
        )
        if page.parents[index] >= 0:
            children[page.parents[index]].append(index)
    return [index for index, nodes in enumerate(matched) if 0 in nodes]


def _in_order(nodes: Sequence[int], matched: Sequence[frozenset[int]]) -> bool:
    """Return whether elements match `nodes` in order; `matched` has the nodes that each matches."""
    remaining = iter(matched)
    return all(any(node in candidates for candidates in remaining) for node in nodes)
