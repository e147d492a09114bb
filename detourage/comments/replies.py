"""Identification of the comments that other comments reply to."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise, takewhile
from urllib.parse import urldefrag

from detourage.comments.authors import FoundAuthor
from detourage.comments.extents import Extent
from detourage.comments.layout import Layout
from detourage.html.flat import FlatDocument
from detourage.text.caches import cached_if_short
from detourage.text.lazy_patterns import lazy_pattern

MIN_SHARE = 0.9  # depths are used only if at least this share of comments have one
MAX_JUMP_SHARE = 0.1  # maximum share of comments over one level deeper than the preceding one
MAX_ANCESTORS = 12  # number of ancestors whose indentation is added up
MAX_HEADER = 80  # maximum length, in characters, of a text such as "In reply to Ann"
_Parents = list[int | None]
_Extents = Sequence[Extent]
_DEPTH_CLASS = lazy_pattern(  # "depth-2", "indent3"
    r"(?:^|[\s_-])(?:depth|level|lvl|indent(?:ation)?|nest(?:ed|ing)?|tier|ebene|niveau|stufe)[_-]?(\d{1,2})\b",
    re.IGNORECASE,
)
_DEPTH_ATTRIBUTE = lazy_pattern(r"^(?:data-)?(?:\w+-)?(?:depth|level|indent|nesting)(?:-level)?$")
_OWN_ID_ATTRIBUTES = ("id", "name", "data-id", "data-comment-id", "data-cid", "data-commentid")
_PARENT_ATTRIBUTE = lazy_pattern(  # "data-parent-id", "data-in-reply-to"
    r"^(?-i:data-).*(?:parent|in-?reply-?to|reply-to)", re.IGNORECASE | re.DOTALL
)
_MARGIN = lazy_pattern(  # "margin-left: 40px"
    r"(?:^|;)\s*(?:margin|padding)(?:-inline-start|-left)\s*:\s*(\d+(?:\.\d+)?)\s*(?:px|em|rem|%)"
)
_REPLY_TEXT = lazy_pattern(  # the start of "In reply to Ann"
    r"\b(?:in reply to|reply to|replied to|replying to|antwort auf|als antwort|en réponse à"
    r"|in risposta|en respuesta|em resposta|odpowiedź na|w odpowiedzi|в ответ|ответ на"
    r"|antwoord op|svar på|回复)",
    re.IGNORECASE,
)
_ID = lazy_pattern(r"\d{2,}|[0-9a-f]{8,}", re.IGNORECASE)


def find_parents(
    page: FlatDocument,
    extents: Sequence[Extent],
    layouts: Sequence[Layout],
    authors: Mapping[int, FoundAuthor],
) -> _Parents:
    """Return, for each comment, the index of the comment that it replies to, or None.

    The methods are tried in order until one finds a parent: nesting, IDs in attributes or links,
    depths (from numbers, indentation or nested lists), and names of the authors replied to.
    """
    for method in (_by_nesting, _by_id, _by_depth):
        parents = method(page, extents, layouts)
        if any(parent is not None for parent in parents):
            return parents
    return _by_name(layouts, authors)


def _by_nesting(page: FlatDocument, extents: _Extents, _layouts: Sequence[Layout]) -> _Parents:
    """Find parents by nesting: the parent's element contains the reply's element."""
    comment_of_row = {row: number for number, extent in enumerate(extents) for row in extent.rows}
    enclosing = (map(comment_of_row.get, _ancestors(page, extent)) for extent in extents)
    return [next((each for each in numbers if each is not None), None) for numbers in enclosing]


def _ancestors(page: FlatDocument, extent: Extent) -> Iterator[int]:
    ancestor = int(page.parents[extent.element])
    while ancestor >= 0:
        yield ancestor
        ancestor = int(page.parents[ancestor])


def _by_id(page: FlatDocument, extents: _Extents, layouts: Sequence[Layout]) -> _Parents:
    """Find parents by their IDs, which are in attributes or in links such as "In reply to Ann"."""
    parent_ids = [
        [*_parent_ids(page, extent, layout), *_linked_ids(layout)]
        for extent, layout in zip(extents, layouts, strict=True)
    ]
    if not any(parent_ids):
        return [None] * len(extents)
    owners: dict[str, int] = {}
    ambiguous: set[str] = set()
    for number, layout in enumerate(layouts):
        for attribute in map(layout.attributes.by_element, _OWN_ID_ATTRIBUTES):
            values = [attribute.get(place, "") for place in layout.places if attribute]
            for identity in chain.from_iterable(map(_comparable_ids, values)):
                if owners.setdefault(identity, number) != number:
                    ambiguous.add(identity)
    parents: _Parents = []
    for number, ids in enumerate(parent_ids):
        found = (owners.get(identity, number) for identity in ids if identity not in ambiguous)
        parents.append(next((parent for parent in found if parent != number), None))
    return parents if not _has_cycle(parents) else [None] * len(parents)


def _comparable_ids(value: str) -> Iterator[str]:
    """Yield the forms in which an ID is compared, such as ``#comment-12`` and ``12``."""
    if value:
        yield f"#{value}"
        yield from _ID.findall(value)


def _parent_ids(page: FlatDocument, extent: Extent, layout: Layout) -> Iterator[str]:
    """Yield the IDs in a comment's attributes that refer to its parent."""
    values = _matching_values(page, _PARENT_ATTRIBUTE)
    for place in (*extent.rows, *layout.places) if values else ():
        for value in values.get(place, ()):
            yield from _comparable_ids(value)


def _matching_values(page: FlatDocument, pattern: re.Pattern[str]) -> dict[int, list[str]]:
    """Return the values of all attributes whose names match a pattern, by element."""

    def collect() -> dict[int, list[str]]:
        values: defaultdict[int, list[str]] = defaultdict(list)
        for name in filter(pattern.search, page.attributes.distinct):
            for element, value in page.attributes.by_element(name).items():
                values[element].append(value)
        return values

    return page.once(pattern, collect)


def _linked_ids(layout: Layout) -> Iterator[str]:
    """Yield the IDs to which links such as "In reply to Ann" lead."""
    for index, tag in enumerate(layout.tags):
        href = layout.get(index, "href") if tag == "a" else None
        fragment = urldefrag(href).fragment if href and "#" in href else ""
        if fragment and names_parent(layout, index):
            yield from _comparable_ids(fragment)


def names_parent(layout: Layout, index: int) -> bool:
    """Return whether an element, with the text before it, is a header such as "In reply to Ann"."""
    text = layout.text_of(index)
    if len(text) > MAX_HEADER or _REPLY_TEXT.search(text):
        return len(text) <= MAX_HEADER
    start = layout.text_starts[index]
    text = f"{layout.texts[start - 1].text} {text}" if start else ""
    return len(text) <= MAX_HEADER and _REPLY_TEXT.search(text) is not None


def _has_cycle(parents: Sequence[int | None]) -> bool:
    # For each comment, the comment whose chain of parents was the first to reach it.
    reached_from: dict[int, int] = {}
    for number in range(len(parents)):
        ancestor: int | None = number
        while ancestor is not None and ancestor not in reached_from:
            reached_from[ancestor] = number
            ancestor = parents[ancestor]
        if (
            ancestor is not None
            and reached_from[ancestor] == number
            and parents[number] is not None
        ):
            return True
    return False


def _by_depth(page: FlatDocument, extents: _Extents, layouts: Sequence[Layout]) -> _Parents:
    """Find parents by depth: the parent is the nearest preceding comment that is less deep."""
    for measure in (_numbered_depth, _indentation, _ancestor_count):
        depths = _rank_depths([measure(page, *each) for each in zip(extents, layouts, strict=True)])
        if depths is not None:
            return _parents_by_depth(depths)
    return [None] * len(extents)


def _rank_depths(depths: Sequence[float | None]) -> list[int] | None:
    """Return depths such as 0, 40, 80 as ranks from 0 (also if missing), or None if implausible."""
    known = [depth for depth in depths if depth is not None]
    distinct = sorted(set(known))
    if len(known) < MIN_SHARE * len(depths) or len(distinct) < 2:
        return None
    rank_of = {depth: rank for rank, depth in enumerate(distinct)}
    ranks = [rank_of[depth] if depth is not None else 0 for depth in depths]
    jumps = sum(after > before + 1 for before, after in pairwise(ranks))
    return ranks if ranks[0] == 0 and jumps <= MAX_JUMP_SHARE * len(ranks) else None


def _parents_by_depth(depths: Sequence[int]) -> _Parents:
    """Return, for each depth, the index of the nearest preceding depth that is smaller, or None."""
    parents: _Parents = []
    ancestors: list[int] = []
    for number, depth in enumerate(depths):
        while ancestors and depths[ancestors[-1]] >= depth:
            ancestors.pop()
        parents.append(ancestors[-1] if ancestors else None)
        ancestors.append(number)
    return parents


def _numbered_depth(page: FlatDocument, extent: Extent, layout: Layout) -> float | None:
    """Return a comment's depth from a class such as ``depth-2``, or from an attribute, or None."""
    element_and_parent = [extent.element, *islice(_ancestors(page, extent), 1)]
    values = _matching_values(page, _DEPTH_ATTRIBUTE)
    for place in (*element_and_parent, *layout.places[:6]):
        depth = _depth_in_classes(page.distinct_names[page.name_numbers[place]][0])
        if depth is not None:
            return depth
        for value in values.get(place, ()):
            if value.strip().isdigit():
                return float(value)
    return None


@cached_if_short(4096)
def _depth_in_classes(classes: str) -> float | None:
    found = _DEPTH_CLASS.search(classes)
    return float(found[1]) if found else None


def _indentation(page: FlatDocument, extent: Extent, layout: Layout) -> float | None:
    """Return the sum of the left margins, paddings and spacer images that indent a comment."""
    ancestors = takewhile(lambda each: page.tags[each] != "body", _ancestors(page, extent))
    places = [extent.element, *islice(ancestors, MAX_ANCESTORS), *layout.places[1:4]]
    styles = layout.attributes.by_element("style")
    margins = map(_MARGIN.search, [styles[place] for place in places if place in styles])
    spacer_widths = [
        layout.get(index, "width") or ""
        for index, place in enumerate(layout.places[:6])
        if layout.tags[index] in ("img", "td") and page.text_starts[place] == page.text_ends[place]
    ]
    return sum(float(margin[1]) for margin in margins if margin) + sum(
        float(width) for width in spacer_widths if width.isdigit()
    )


def _ancestor_count(page: FlatDocument, extent: Extent, _layout: Layout) -> float | None:
    """Return a comment's number of ancestors, which is its depth if replies are in nested lists."""
    return float(page.depths[extent.element])


def _by_name(layouts: Sequence[Layout], authors: Mapping[int, FoundAuthor]) -> _Parents:
    """Find parents by name: the latest preceding comment by the author named in the reply."""
    parents: _Parents = []
    latest_by_author: dict[str, int] = {}
    for number, layout in enumerate(layouts):
        parents.append(latest_by_author.get(_name_answered(layout)))
        if number in authors:
            latest_by_author[authors[number].name.lower()] = number
    return parents


def _name_answered(layout: Layout) -> str:
    """Return the lower-case name after a text such as "In reply to", or an empty string."""
    for index, node in enumerate(layout.texts):
        match = _REPLY_TEXT.search(node.text) if len(node.text) <= MAX_HEADER else None
        if match:
            name = node.text[match.end() :].strip(" :@")
            if not name and index + 1 < len(layout.texts):
                name = layout.texts[index + 1].text.strip(" :@")
            return name.lower()
    return ""
