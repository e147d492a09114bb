"""Permalinks of comments, which are links that lead to a single comment."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urldefrag

from detourage.comments.dates import FoundDate
from detourage.comments.extents import Extent
from detourage.comments.layout import Layout
from detourage.comments.part_words import PERMALINK
from detourage.html.flat import FlatDocument
from detourage.html.nodes import Node
from detourage.html.urls import absolute, base_of


def find_permalinks(
    page: FlatDocument,
    extents: Sequence[Extent],
    layouts: Sequence[Layout],
    dates: Mapping[int, FoundDate],
    url: str,
) -> list[str | None]:
    """Return the absolute permalink of each comment, or None.

    A permalink is a link labelled as permanent, or else a link on the date or to an anchor in the
    comment, or else the page's URL with the comment's ID as its fragment.
    """
    base = base_of(Node(page, 0), url)
    links = [
        next(_candidate_links(layout, dates.get(number)), "")
        for number, layout in enumerate(layouts)
    ]
    # A link to the top of the page is not a permalink.
    permalinks = [absolute(link, base) if link.strip() != "#" else None for link in links]
    if not any(permalinks):
        permalinks = [absolute(_own_anchor(page, extent), url) for extent in extents]
    # A target that several comments share is the page itself or an author's profile.
    counts = Counter(permalinks)
    return [permalink if counts[permalink] == 1 else None for permalink in permalinks]


def _candidate_links(layout: Layout, date: FoundDate | None) -> Iterator[str]:
    """Yield the links in a comment that may be its permalink, the most reliable first."""
    links = [index for index, tag in enumerate(layout.tags) if tag == "a"]
    for index in links:
        if layout.names[index] & PERMALINK:
            yield layout.get(index, "href") or ""
    if date is not None:
        for index in links:
            # The link is around the date or inside it.
            if index <= date.element < layout.ends[index] or (
                date.element <= index < layout.ends[date.element]
            ):
                yield layout.get(index, "href") or ""
    urls = [layout.get(index, "href") or "" for index in links]
    fragments = [urldefrag(url).fragment if "#" in url else "" for url in urls]
    if any(fragments):
        ids, names = layout.attributes.by_element("id"), layout.attributes.by_element("name")
        anchors = {ids.get(place) or names.get(place) for place in layout.places}
        for link_url, fragment in zip(urls, fragments, strict=True):
            if fragment and fragment in anchors:
                yield link_url


def _own_anchor(page: FlatDocument, extent: Extent) -> str:
    """Return the link to the ID of a comment, such as ``#comment-5``, or an empty string."""
    ids = (page.distinct_names[page.name_numbers[row]][1] for row in extent.rows)
    return next((f"#{identity}" for identity in ids if identity), "")
