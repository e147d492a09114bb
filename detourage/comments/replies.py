"""Identification of the comments that other comments reply to."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise, takewhile
from urllib.parse import urldefrag

from detourage.comments.extents import Extent
from detourage.comments.layout import Layout
from detourage.comments.naming import Naming
from detourage.html.flat import FlatDocument
from detourage.text.caches import cached_if_short

MIN_SHARE = 0.9  # share of comments with a depth if depths are used; missing depths count as 0
MAX_JUMPS = 0.1  # share of comments that are more than one level deeper than the preceding comment
MAX_AROUND = 12  # enclosing elements searched for a comment's indentation
MAX_HEADER = 80  # length, in characters, of a text that states who is being answered

_Parents = list[int | None]
_Extents = Sequence[Extent]

_DEPTH_CLASS = re.compile(
    r"(?:^|[\s_-])(?:depth|level|lvl|indent(?:ation)?|nest(?:ed|ing)?|tier|ebene|niveau|stufe)[_-]?(\d{1,2})\b",
    re.IGNORECASE,
)
_DEPTH_ATTRIBUTE = re.compile(r"^(?:data-)?(?:\w+-)?(?:depth|level|indent|nesting)(?:-level)?$")
_OWN_ID_ATTRIBUTES = ("id", "name", "data-id", "data-comment-id", "data-cid", "data-commentid")
_PARENT_ATTRIBUTE = re.compile(
    r"^(?-i:data-).*(?:parent|in-?reply-?to|reply-to)", re.IGNORECASE | re.DOTALL
)
_SHIFT = re.compile(
    r"(?:^|;)\s*(?:margin|padding)(?:-inline-start|-left)\s*:\s*(\d+(?:\.\d+)?)\s*(?:px|em|rem|%)"
)
_REPLY_TEXT = re.compile(
    r"\b(?:in reply to|reply to|replied to|replying to|antwort auf|als antwort|en réponse à"
    r"|in risposta|en respuesta|em resposta|odpowiedź na|w odpowiedzi|в ответ|ответ на"
    r"|antwoord op|svar på|回复)",
    re.IGNORECASE,
)
_ID = re.compile(r"\d{2,}|[0-9a-f]{8,}", re.IGNORECASE)


def parents_of(
    page: FlatDocument,
    extents: Sequence[Extent],
    layouts: Sequence[Layout],
    named: Mapping[int, Naming],
) -> _Parents:
    """Return, for each comment, the index of the comment that it replies to, or None.

    The first method that finds any parents is used: nesting; IDs in attributes or links; depths
    (from numbers, indentation or nested lists); names of the authors replied to. If depths are
    used, the parent is the closest preceding comment that is less deep.
    """
    for find_parents in (_by_nesting, _by_id, _by_depth):
        parents = find_parents(page, extents, layouts)
        if any(parent is not None for parent in parents):
            return parents
    return _by_name(layouts, named)


def _by_nesting(page: FlatDocument, extents: _Extents, _layouts: Sequence[Layout]) -> _Parents:
    number_of = {row: number for number, extent in enumerate(extents) for row in extent.rows}
    return [
        next((number_of[each] for each in _around(page, extent) if each in number_of), None)
        for extent in extents
    ]


def _around(page: FlatDocument, extent: Extent) -> Iterator[int]:
    above = int(page.parents[extent.element])
    while above >= 0:
        yield above
        above = int(page.parents[above])


def _by_id(page: FlatDocument, extents: _Extents, layouts: Sequence[Layout]) -> _Parents:
    """Find parents by ID, in attributes or in links labelled as leading to a parent."""
    named = [
        [*_parent_ids(page, extent, layout), *_linked_ids(layout)]
        for extent, layout in zip(extents, layouts, strict=True)
    ]
    if not any(named):
        return [None] * len(extents)
    owners: dict[str, int] = {}
    shared: set[str] = set()
    for number, layout in enumerate(layouts):
        by_attribute = map(layout.attributes.by_element, _OWN_ID_ATTRIBUTES)
        own = (each.get(place, "") for each in by_attribute if each for place in layout.places)
        for name in {name for value in own for name in _ids(value)}:
            if owners.setdefault(name, number) != number:
                shared.add(name)
    parents: _Parents = []
    for number, names in enumerate(named):
        found = (owners.get(name) for name in names if name not in shared)
        parents.append(next((each for each in found if each is not None and each != number), None))
    return parents if not _has_cycle(parents) else [None] * len(parents)


def _ids(value: str) -> Iterator[str]:
    """Yield the forms in which an ID or a reference is compared: the whole, and numbers in it."""
    if value:
        yield f"#{value}"
        yield from _ID.findall(value)


def _parent_ids(page: FlatDocument, extent: Extent, layout: Layout) -> Iterator[str]:
    values = _matching_values(page, _PARENT_ATTRIBUTE)
    for place in (*extent.rows, *layout.places) if values else ():
        for value in values.get(place, ()):
            yield from _ids(value)


def _matching_values(page: FlatDocument, pattern: re.Pattern[str]) -> dict[int, list[str]]:
    """Return the values of all attributes whose names match a pattern, by element."""

    def values() -> dict[int, list[str]]:
        found: defaultdict[int, list[str]] = defaultdict(list)
        for name in filter(pattern.search, page.attributes.distinct):
            for place, value in page.attributes.by_element(name).items():
                found[place].append(value)
        return found

    return page.once(pattern, values)


def _linked_ids(layout: Layout) -> Iterator[str]:
    for index, tag in enumerate(layout.tags):
        href = layout.get(index, "href") if tag == "a" else None
        fragment = urldefrag(href).fragment if href and "#" in href else ""
        if fragment and names_parent(layout, index):
            yield from _ids(fragment)


def names_parent(layout: Layout, index: int) -> bool:
    """Return whether an element, or the text before it, states who is being answered."""
    text = layout.text_of(index)
    if len(text) > MAX_HEADER or _REPLY_TEXT.search(text):
        return len(text) <= MAX_HEADER
    start = layout.text_starts[index]
    text = f"{layout.texts[start - 1].text} {text}" if start else ""
    return len(text) <= MAX_HEADER and _REPLY_TEXT.search(text) is not None


def _has_cycle(parents: Sequence[int | None]) -> bool:
    # Map each comment to the start of the walk that reached it first.
    come_from: dict[int, int] = {}
    for number in range(len(parents)):
        above: int | None = number
        while above is not None and above not in come_from:
            come_from[above] = number
            above = parents[above]
        if above is not None and come_from[above] == number and parents[number] is not None:
            return True
    return False


def _by_depth(page: FlatDocument, extents: _Extents, layouts: Sequence[Layout]) -> _Parents:
    for measure in (_numbered_depth, _indentation, _ancestor_count):
        depths = _ranks([measure(page, *each) for each in zip(extents, layouts, strict=True)])
        if depths is not None:
            return _parents_by_depth(depths)
    return [None] * len(extents)


def _ranks(measured: Sequence[float | None]) -> list[int] | None:
    """Convert depths to ranks from 0; return None if they are implausible for a conversation."""
    known = [each for each in measured if each is not None]
    values = sorted(set(known))
    if len(known) < MIN_SHARE * len(measured) or len(values) < 2:
        return None
    rank = {value: number for number, value in enumerate(values)}
    ranks = [rank[each] if each is not None else 0 for each in measured]
    jumps = sum(after > before + 1 for before, after in pairwise(ranks))
    return ranks if ranks[0] == 0 and jumps <= MAX_JUMPS * len(ranks) else None


def _parents_by_depth(depths: Sequence[int]) -> _Parents:
    parents: _Parents = []
    above: list[int] = []
    for number, depth in enumerate(depths):
        while above and depths[above[-1]] >= depth:
            above.pop()
        parents.append(above[-1] if above else None)
        above.append(number)
    return parents


def _numbered_depth(page: FlatDocument, extent: Extent, layout: Layout) -> float | None:
    """Read a depth from a class or an attribute."""
    own = [extent.element, *islice(_around(page, extent), 1)]
    values = _matching_values(page, _DEPTH_ATTRIBUTE)
    for place in (*own, *layout.places[:6]):
        depth = _depth_in(page.distinct_names[page.name_numbers[place]][0])
        if depth is not None:
            return depth
        for value in values.get(place, ()):
            if value.strip().isdigit():
                return float(value)
    return None


@cached_if_short(4096)
def _depth_in(classes: str) -> float | None:
    found = _DEPTH_CLASS.search(classes)
    return float(found[1]) if found else None


def _indentation(page: FlatDocument, extent: Extent, layout: Layout) -> float | None:
    """Measure a comment's indentation, which may use styles or spacer images."""
    ancestors = takewhile(lambda each: page.tags[each] != "body", _around(page, extent))
    own = [extent.element, *islice(ancestors, MAX_AROUND)]
    styles = layout.attributes.by_element("style")
    moved = [styles[place] for place in (*own, *layout.places[1:4]) if place in styles]
    widths = [
        layout.get(index, "width") or ""
        for index, place in enumerate(layout.places[:6])
        if layout.tags[index] in ("img", "td") and page.text_starts[place] == page.text_ends[place]
    ]
    return sum(float(found[1]) for found in map(_SHIFT.search, moved) if found) + sum(
        float(width) for width in widths if width.isdigit()
    )


def _ancestor_count(page: FlatDocument, extent: Extent, _layout: Layout) -> float | None:
    """Count the ancestors of a comment, because replies may be in nested lists."""
    return float(page.depths[extent.element])


def _by_name(layouts: Sequence[Layout], named: Mapping[int, Naming]) -> _Parents:
    """Find parents by name: the parent is the latest preceding comment by the author replied to."""
    parents: _Parents = []
    last: dict[str, int] = {}
    for number, layout in enumerate(layouts):
        parents.append(_named_parent(layout, last))
        if number in named:
            last[named[number].name.lower()] = number
    return parents


def _named_parent(layout: Layout, last: Mapping[str, int]) -> int | None:
    for place, node in enumerate(layout.texts):
        found = _REPLY_TEXT.search(node.text) if len(node.text) <= MAX_HEADER else None
        if found:
            after = node.text[found.end() :].strip(" :@")
            if not after and place + 1 < len(layout.texts):
                after = layout.texts[place + 1].text.strip(" :@")
            return last.get(after.lower())
    return None
