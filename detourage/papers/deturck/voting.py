"""Vote proposed by Deturck (2015, conclusion): the element most often returned in a cluster.

The representative is compared with the page being extracted, all other pages with the
representative. Elements are identified by positional XPath, as in the thesis. The elected element
is used even if the heuristic finds nothing, or another element, in the page itself.
"""

from collections import Counter
from functools import lru_cache

from detourage.html.nodes import element_at
from detourage.papers.deturck.retained import filtered_parts, find_body
from detourage.papers.interface import Extracted, Neighbours, Source
from detourage.papers.reading import cut, outline_of, page_of, pivot_of
from detourage.reader import NoTextError
from detourage.reader.finding import Finding

METHOD = "deturck_2015_vote"

CACHED_VOTES = 4096
"""Number of votes cached per process; every page of a group needs the votes of all its pages."""


def extract(source: Source, neighbours: Neighbours) -> Extracted:
    """Render the element returned most often for the pages of the group.

    Raise NoPivotError if there is no page to compare with, and NoTextError if the page has none of
    the returned elements.
    """
    pivot = pivot_of(neighbours)
    own = _returned(source, pivot)
    others = {each for each in neighbours.group if each != pivot}
    ballots = [own, _returned(pivot, source), *(_returned(each, pivot) for each in others)]
    votes = Counter(path for path in ballots if path is not None)
    page = outline_of(source)
    # In a tie, the element returned for the page itself wins.
    for path in sorted(votes, key=lambda path: (-votes[path], path != own, path)):
        element = element_at(page_of(source).document, path)
        for container in page.indices_of(() if element is None else (element,)):
            finding = Finding(METHOD, container, frozenset(filtered_parts(page)))
            return cut(source, page, finding, outline_of(pivot))
    raise NoTextError("the page has none of the elements returned for the pages of its group")


@lru_cache(maxsize=CACHED_VOTES)
def _returned(source: Source, pivot: Source) -> str | None:
    """Return the XPath of the element that the heuristic finds in a page."""
    page = outline_of(source)
    finding = find_body(page, outline_of(pivot))
    if finding is None:
        return None
    # lxml numbers a first sibling only if more siblings follow, so "[1]" is dropped.
    return page.node(finding.container).path().replace("[1]", "")
