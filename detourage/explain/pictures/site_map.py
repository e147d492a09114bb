"""Map of a site: its pages positioned in the plane by multidimensional scaling."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from detourage.explain.pictures.groups import mark
from detourage.explain.pictures.svg import Drawing, element, picture
from detourage.text.plural import counted

WIDTH: Final = 640
HEIGHT: Final = 420
_MARGIN: Final = 28


@dataclass(frozen=True)
class MappedPages:
    """Pages with the same tree, shown as one mark on the map that links to the address."""

    group: int | None
    pages: int
    is_representative: bool
    address: str
    name: str


def draw_map(positions: npt.NDArray[np.float64], places: Sequence[MappedPages]) -> Drawing:
    """Draw pages at the given positions, shape (n, 2)."""
    points = _fitted(positions)
    order = sorted(range(len(places)), key=lambda i: (places[i].is_representative, i))
    drawn = [_place(places[index], *points[index]) for index in order]
    groups = len({place.group for place in places} - {None})
    pages = sum(place.pages for place in places)
    return picture(
        "Map of the pages",
        f"{counted(pages, 'page')} of {counted(groups, 'group')}; pages are close together"
        " if their trees are similar. The table of groups below has the same information.",
        WIDTH,
        HEIGHT,
        element("path", d=f"M0,.5H{WIDTH}V{HEIGHT - 0.5}H0Z", class_="frame"),
        *drawn,
    )


def _place(place: MappedPages, x: float, y: float) -> Drawing:
    radius = min(5 + 1.6 * (sqrt(place.pages) - 1), 16)
    drawn = mark(place.group, x, y, radius, "representative" if place.is_representative else "")
    parts = [element("title", place.name), drawn]
    if place.is_representative:
        parts += [
            element("circle", cx=x, cy=y, r=radius + 5, class_="ring"),
            element("text", str(place.group), x=x, y=y - radius - 8, class_="label middle"),
        ]
    # Keyboard navigation stops only at representatives, not at hundreds of pages.
    skipped = None if place.is_representative else -1
    return element(
        "a", *parts, href=place.address, tabindex=skipped, aria_label=place.name, class_="place"
    )


def _fitted(positions: npt.NDArray[np.float64]) -> list[tuple[float, float]]:
    if not len(positions):
        return []
    centre = (positions.max(axis=0) + positions.min(axis=0)) / 2
    spans = np.maximum(np.ptp(positions, axis=0), 1e-9)
    room = np.array([WIDTH - 2 * _MARGIN, HEIGHT - 2 * _MARGIN])
    scale = float((room / spans).min()) if np.ptp(positions, axis=0).max() > 1e-9 else 0.0
    fitted = (positions - centre) * scale + np.array([WIDTH, HEIGHT]) / 2
    return [(x, y) for x, y in fitted.tolist()]
