"""Wireframes of pages, drawn from their boxes without a browser or style sheets."""

from collections.abc import Sequence
from itertools import groupby
from math import ceil
from typing import Final

from detourage.explain.page_parts import BoxPart, PageParts, TextPart
from detourage.explain.pictures.svg import Drawing, element, picture
from detourage.text.plural import counted, cut

WIDTH: Final = 560
_PADDING: Final = 5
_GAP: Final = 3
_BAR: Final = 5
_HEADING_BAR: Final = 9
_LETTER: Final = 2.6
"""Width of a letter in points of the picture."""

_IMAGE_HEIGHT: Final = 34
_MOST_BARS: Final = 8
_SHORT: Final = 32
"""Maximum length of a text that is placed next to other texts, as in a menu."""

_NARROWEST: Final = 8.0
"""Minimum width of content in deeply nested tables."""


def draw_wireframe(page: PageParts, title: str) -> Drawing:
    """Draw a page with solid bars for its own texts and hollow bars for boilerplate."""
    drawn: list[Drawing] = []
    height = _box(page.root, 1.0, 1.0, WIDTH - 2.0, drawn)
    rest = f" {counted(page.omitted, 'part')} more are omitted." if page.omitted else ""
    return picture(
        title,
        "The elements of the page as boxes, one below the other. Texts are bars: solid where they"
        " vary from page to page, hollow where they belong to the template." + rest,
        WIDTH,
        height + 2,
        *drawn,
    )


def _box(box: BoxPart, x: float, y: float, width: float, drawn: list[Drawing]) -> float:
    """Draw a box and its content, and return its height."""
    place = len(drawn)
    inner, below = max(width - 2 * _PADDING, _NARROWEST), y + _PADDING
    if box.tag == "tr" and 1 < len(box.parts) <= 6:
        column = max(inner / len(box.parts), _NARROWEST + _GAP)
        heights = [
            _parts([part], x + _PADDING + number * column, below, column - _GAP, drawn)
            for number, part in enumerate(box.parts)
        ]
        below += max(heights)
    else:
        below += _parts(box.parts, x + _PADDING, below, inner, drawn)
    height = below - y + _PADDING - _GAP
    name = f"{box.tag} {box.name}".strip()
    frame = element(
        "rect", element("title", name), x=x, y=y, width=width, height=height, class_="box"
    )
    drawn.insert(place, frame)
    return height


def _parts(
    parts: Sequence[BoxPart | TextPart], x: float, y: float, width: float, drawn: list[Drawing]
) -> float:
    below = y
    for is_short, run in groupby(parts, _is_short):
        several = list(run)
        if is_short and len(several) > 1:
            below += _row(
                [part for part in several if isinstance(part, TextPart)], x, below, width, drawn
            )
            continue
        for part in several:
            if isinstance(part, BoxPart):
                below += _box(part, x, below, width, drawn) + _GAP
            elif part.text is None:
                below += _image(x, below, min(width, 150.0), drawn) + _GAP
            else:
                below += _text(part, part.text, x, below, width, drawn) + _GAP
    return below - y


def _is_short(part: BoxPart | TextPart) -> bool:
    return (
        isinstance(part, TextPart)
        and part.text is not None
        and not part.is_heading
        and len(part.text) <= _SHORT
    )


def _row(
    parts: Sequence[TextPart], x: float, y: float, width: float, drawn: list[Drawing]
) -> float:
    """Draw short texts next to each other."""
    along, below = x, y
    for part in parts:
        length = min(max(len(part.text or "") * _LETTER, 6.0), width)
        if along + length > x + width:
            along, below = x, below + _BAR + _GAP
        drawn.append(_bars(part, [(along, below, length, _BAR)]))
        along += length + 6
    return below - y + _BAR + _GAP


def _text(
    part: TextPart, text: str, x: float, y: float, width: float, drawn: list[Drawing]
) -> float:
    bar = _HEADING_BAR if part.is_heading else _BAR
    letter = _LETTER * (1.7 if part.is_heading else 1)
    length = len(text) * letter
    bars = min(ceil(length / width) or 1, _MOST_BARS)
    last = max(length - (bars - 1) * width, 6.0) if length < bars * width else width
    drawn.append(
        _bars(
            part,
            [
                (x, y + number * (bar + 2), width if number < bars - 1 else min(last, width), bar)
                for number in range(bars)
            ],
        )
    )
    return bars * (bar + 2)


def _bars(part: TextPart, places: Sequence[tuple[float, float, float, float]]) -> Drawing:
    kind = {True: "fixed", False: "varies", None: "unknown"}[part.is_fixed]
    path = "".join(_rounded(*place) for place in places)
    title = element("title", cut(part.text or "", 91))
    return element("path", title, d=path, class_=f"bar {kind}")


def _rounded(x: float, y: float, width: float, height: float) -> str:
    return f"M{x:.1f},{y:.1f}h{width:.1f}v{height:.1f}h-{width:.1f}z"


def _image(x: float, y: float, width: float, drawn: list[Drawing]) -> float:
    right, bottom = x + width, y + _IMAGE_HEIGHT
    path = (
        f"M{x:.1f},{y:.1f}H{right:.1f}V{bottom:.1f}H{x:.1f}ZL{right:.1f},{bottom:.1f}"
        f"M{x:.1f},{bottom:.1f}L{right:.1f},{y:.1f}"
    )
    drawn.append(element("path", element("title", "image"), d=path, class_="image"))
    return float(_IMAGE_HEIGHT)
