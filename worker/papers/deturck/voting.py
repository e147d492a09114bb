"""The vote proposed by Deturck (2015, conclusion): the element most often returned in a cluster.

Every page of the group is read by the retained heuristic: the representative is compared with the
page at hand, all others with the representative. Elements are identified by positional XPath, as in
the thesis's comparison of pages. A page on which the heuristic finds nothing, or something else,
gets the element on which the others agree.
"""

from collections import Counter
from functools import lru_cache

from worker.article import NoTextError
from worker.article.finding import Finding
from worker.html.places import element_at
from worker.papers.deturck.retained import filtered_parts, find_body
from worker.papers.giving import cut
from worker.papers.interface import Extracted, Neighbours, Source
from worker.papers.reading import outline_of, page_of, pivot_of

METHOD = "deturck_2015_vote"

REMEMBERED = 4096
"""Number of cached ballots per process: a page of a group votes on each of the others."""


def extract(source: Source, neighbours: Neighbours) -> Extracted:
    """Render the element that the pages of the group return most often.

    Raises NoPivotError without a page to compare with, and NoTextError if the page has none of the
    returned elements.
    """
    pivot = pivot_of(neighbours)
    own = _returned(source, pivot)
    others = {each for each in neighbours.group if each != pivot}
    ballots = [own, _returned(pivot, source), *(_returned(each, pivot) for each in others)]
    votes = Counter(path for path in ballots if path is not None)
    page = outline_of(source)
    # If elements are returned equally often, the page's own comes first.
    for path in sorted(votes, key=lambda path: (-votes[path], path != own, path)):
        element = element_at(page_of(source).document, path)
        for container in page.indices_of(() if element is None else (element,)):
            finding = Finding(METHOD, container, frozenset(filtered_parts(page)))
            return cut(source, page, finding, outline_of(pivot))
    raise NoTextError("the page has no element that the pages of its group return")


@lru_cache(maxsize=REMEMBERED)
def _returned(source: Source, pivot: Source) -> str | None:
    """Return the XPath of the element that the heuristic finds in a page."""
    page = outline_of(source)
    finding = find_body(page, outline_of(pivot))
    if finding is None:
        return None
    # Whether a first sibling has a number depends on the siblings after it.
    return page.node(finding.container).path().replace("[1]", "")
