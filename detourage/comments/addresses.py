"""Permalinks of comments."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urldefrag

from detourage.comments.dating import Dating
from detourage.comments.extents import Extent
from detourage.comments.layout import Layout
from detourage.html.addresses import absolute, base_of
from detourage.html.flat import FlatDocument
from detourage.html.nodes import Node
from detourage.text.words import listed

_NAMES = listed("permalink bookmark")


def permalinks_of(
    page: FlatDocument,
    extents: Sequence[Extent],
    layouts: Sequence[Layout],
    dated: Mapping[int, Dating],
    url: str,
) -> list[str | None]:
    """Return the absolute permalink of each comment, or None.

    The permalink is a link labelled as permanent or, failing that, the link on the date or a link
    to an anchor inside the comment. If no comment has any of these, the permalink is the page's URL
    with the comment's ID as the fragment.
    """
    base = base_of(Node(page, 0), url)
    links = [next(_links(layout, dated.get(number)), "") for number, layout in enumerate(layouts)]
    # A link to the top of the page is not a permalink.
    found = [absolute(link, base) if link.strip() != "#" else None for link in links]
    if not any(found):
        found = [absolute(_anchor(page, extent), url) for extent in extents]
    # A target that several comments share is the page itself or an author's profile.
    counts = Counter(found)
    return [address if counts[address] == 1 else None for address in found]


def _links(layout: Layout, dating: Dating | None) -> Iterator[str]:
    links = [index for index, tag in enumerate(layout.tags) if tag == "a"]
    for index in links:
        if layout.names[index] & _NAMES:
            yield layout.get(index, "href") or ""
    if dating is not None:
        for index in links:
            # The link is around the date or inside it.
            if index <= dating.element < layout.ends[index] or (
                dating.element <= index < layout.ends[dating.element]
            ):
                yield layout.get(index, "href") or ""
    addresses = [layout.get(index, "href") or "" for index in links]
    fragments = [urldefrag(each).fragment if "#" in each else "" for each in addresses]
    if any(fragments):
        ids, names = layout.attributes["id"], layout.attributes["name"]
        own = {ids.get(place) or names.get(place) for place in layout.places}
        for address, fragment in zip(addresses, fragments, strict=True):
            if fragment and fragment in own:
                yield address


def _anchor(page: FlatDocument, extent: Extent) -> str:
    names = (page.distinct_names[page.name_numbers[row]][1] for row in extent.rows)
    return next((f"#{name}" for name in names if name), "")
