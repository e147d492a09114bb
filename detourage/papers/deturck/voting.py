"""Vote proposed by Deturck (2015, conclusion): the pages of a cluster elect an element.

Each page votes for the element that the heuristic finds in it, identified by its positional XPath
as in the thesis. The representative is compared with the page being extracted, and all other pages
with the representative. The element with the most votes is used even if the heuristic finds nothing
in the page itself, or another element.
"""

from collections import Counter
from functools import lru_cache

import numpy as np

from detourage.html.nodes import index_at
from detourage.papers.conversion import extract_body, outline_of, pivot_of
from detourage.papers.deturck.retained import filtered_parts, find_body
from detourage.papers.interface import Extracted, Neighbours, Source
from detourage.reader import NoTextError
from detourage.reader.found_body import FoundBody

METHOD = "deturck_2015_vote"

CACHED_VOTES = 4096
"""Number of votes cached per process; every page of a group needs the votes of all its pages."""


def extract(source: Source, neighbours: Neighbours) -> Extracted:
    """Extract the text of the element with the most votes, among the elements that the page has.

    Raise NoPivotError if there is no page to compare with, and NoTextError if the page has none of
    the elements with votes.
    """
    pivot = pivot_of(neighbours)
    own_vote = _vote(source, pivot)
    others = {each for each in neighbours.group if each != pivot}
    ballots = [own_vote, _vote(pivot, source), *(_vote(each, pivot) for each in others)]
    votes = Counter(path for path in ballots if path is not None)
    page = outline_of(source)
    # In a tie, the element found in the page itself wins.
    for path in sorted(votes, key=lambda path: (-votes[path], path != own_vote, path)):
        index = index_at(page.document, path)
        for container in np.flatnonzero(page.flat.numbers == index).tolist():
            finding = FoundBody(METHOD, container, frozenset(filtered_parts(page)))
            return extract_body(source, page, finding, outline_of(pivot))
    raise NoTextError("the page has none of the elements found in the pages of its group")


@lru_cache(maxsize=CACHED_VOTES)
def _vote(source: Source, pivot: Source) -> str | None:
    """Return the XPath of the element that the heuristic finds in a page, if any."""
    page = outline_of(source)
    finding = find_body(page, outline_of(pivot))
    if finding is None:
        return None
    # lxml numbers a first sibling only if more siblings follow, so "[1]" is dropped.
    return page.node(finding.container).path().replace("[1]", "")
