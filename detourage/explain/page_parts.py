"""Representation of a page as nested boxes that contain its texts and images."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import numpy as np

from detourage.html.elements import HEADINGS, WITHIN_SENTENCES
from detourage.reader.knowledge import digest_of
from detourage.reader.lines import lines_of
from detourage.reader.outline import Outline

MAX_PARTS: Final = 1_200
"""Maximum number of texts and images per page, to bound the size of the picture."""

FIXED_SHARE: Final = 0.5
"""Minimum share of the other pages that must have a line for it to belong to the template."""

_IMAGES: Final = frozenset({"img", "picture", "svg", "video", "canvas", "iframe", "object"})


@dataclass(frozen=True)
class TextPart:
    """A line, or an image if the text is None; ``is_fixed`` if other pages also have it."""

    text: str | None
    is_heading: bool = False
    is_fixed: bool | None = None


@dataclass
class BoxPart:
    """An element with its visible content in order."""

    tag: str
    name: str
    parts: "list[BoxPart | TextPart]" = field(default_factory=list)


@dataclass(frozen=True)
class PageParts:
    """The root of a page's boxes, and the number of omitted texts and images."""

    root: BoxPart
    omitted: int


def fixed_lines(outline: Outline, others: Sequence[Outline]) -> Mapping[int, bool]:
    """Return for each line number whether other pages of the template have the line."""
    if not others:
        return {}
    digests = ({digest_of(line.tokens) for line in lines_of(other)} for other in others)
    shown = Counter(chain.from_iterable(digests))
    least = max(1.0, FIXED_SHARE * len(others))
    return {line.number: shown[digest_of(line.tokens)] >= least for line in lines_of(outline)}


def page_parts(outline: Outline, is_fixed: Mapping[int, bool]) -> PageParts:
    """Lay out the visible parts of a page as boxes, given its `fixed_lines`; omit empty boxes."""
    boxes, root = _boxes_of(outline)
    contents: list[tuple[int, int, BoxPart, BoxPart | TextPart]] = []
    for index, tag in enumerate(outline.tags):
        parent = outline.parents[index]
        if parent >= 0 and boxes[index] is not boxes[parent]:
            contents.append((outline.text_starts[index], index, boxes[parent], boxes[index]))
        elif tag in _IMAGES:
            contents.append((outline.text_starts[index], index, boxes[index], TextPart(None)))
    for line in lines_of(outline):
        is_heading = outline.tags[line.block] in HEADINGS
        text = TextPart(line.text, is_heading, is_fixed.get(line.number))
        place = int(np.searchsorted(outline.text_lines, line.number))
        contents.append((place, len(outline.tags), boxes[line.block], text))
    contents.sort(key=lambda each: each[:2])
    listed = 0
    for _, _, box, part in contents:
        is_box = isinstance(part, BoxPart)
        if is_box or listed < MAX_PARTS:
            box.parts.append(part)
        listed += not is_box
    shown = _pruned(root)
    while len(shown.parts) == 1 and isinstance(inner := shown.parts[0], BoxPart):
        shown = inner
    return PageParts(shown, max(listed - MAX_PARTS, 0))


def texts_of(box: BoxPart) -> Iterator[TextPart]:
    """Yield the texts of a box and its descendants, in order."""
    for part in box.parts:
        if isinstance(part, BoxPart):
            yield from texts_of(part)
        elif part.text is not None:
            yield part


def _boxes_of(outline: Outline) -> tuple[list[BoxPart], BoxPart]:
    """Return the box of each element (possibly that of an ancestor), and the root box."""
    is_inline = outline.flat.having(WITHIN_SENTENCES | _IMAGES) | ~outline.holds
    has_image = np.zeros(len(outline.tags) + 1, dtype=np.int64)
    has_image[1:] = np.cumsum([tag in _IMAGES for tag in outline.tags])
    boxes: list[BoxPart] = []
    depths: list[int] = []
    for index, (tag, parent) in enumerate(zip(outline.tags, outline.parents, strict=True)):
        depth = depths[parent] if parent >= 0 else 0
        shows = not is_inline[index] or (
            tag not in _IMAGES and has_image[outline.ends[index]] > has_image[index]
        )
        # Boxes nested more deeply could not be distinguished.
        if parent < 0 or (shows and depth < 12):
            boxes.append(BoxPart(tag, " ".join(outline.names[index].split()[:2])))
            depth += 1
        else:
            boxes.append(boxes[parent])
        depths.append(depth)
    return boxes, boxes[0]


def _pruned(box: BoxPart) -> BoxPart:
    """Remove empty boxes, and boxes that contain nothing but another box."""
    kept: list[BoxPart | TextPart] = []
    for part in box.parts:
        if isinstance(part, TextPart):
            kept.append(part)
            continue
        pruned = _pruned(part)
        if pruned.parts:
            is_single = len(pruned.parts) == 1 and pruned.tag not in {"td", "th"}
            kept.append(pruned.parts[0] if is_single else pruned)
    return BoxPart(box.tag, box.name, kept)
