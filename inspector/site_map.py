"""Map of a site as SVG: a plane on which each page has the mark of its group.

The positions are computed as in `detourage.template.scaling`, but without SciPy, which would take
32 MB, a fifth of the inspector's memory limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import sqrt
from typing import Final

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from detourage.template.matrix import Matrix
from detourage.text.plural import pluralise

WIDTH: Final = 640
HEIGHT: Final = 420
_MARGIN: Final = 28
"""Size of the map and of the margin on each side, in SVG units."""

MAX_STEPS: Final = 300
TOLERANCE: Final = 1e-6
"""Maximum number of scaling steps, and relative reduction of the stress below which no further step
is made, as in `detourage.template.scaling`."""

MAX_SCALING_WORK: Final = 4_000_000
"""Maximum product of the number of scaling steps and the square of the number of pages, which
limits the time."""

COLOURS: Final = 6
"""Number of colours in the style sheet (``c0`` to ``c5``), which suit any colour vision."""

# SVG paths of the marks: circle, square, triangles, diamond, plus and cross
_SHAPES: Final = (
    "M-1,0A1,1 0 1,0 1,0A1,1 0 1,0 -1,0Z",
    "M-.9,-.9H.9V.9H-.9Z",
    "M0,-1.15L1.1,.8H-1.1Z",
    "M0,-1.3L1.3,0L0,1.3L-1.3,0Z",
    "M0,1.15L1.1,-.8H-1.1Z",
    "M-.4,-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
)
_CROSS: Final = "M-1,-.7L-.7,-1L0,-.3L.7,-1L1,-.7L.3,0L1,.7L.7,1L0,.3L-.7,1L-1,.7L-.3,0Z"


@dataclass(frozen=True)
class MappedPages:
    """Pages with the same tree, shown as one mark, which links to the address of one of them."""

    group: int | None
    pages: int
    is_representative: bool
    address: str
    name: str


class Drawing(str):
    """SVG markup that templates do not escape again."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def element(name: str, *children: str, **attributes: object) -> Drawing:
    """Write an element with escaped children and attributes, except those that are None.

    In attribute names, ``_`` is written as ``-``, and ``class_`` as ``class``.
    """
    attribute_text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    content = "".join(child if isinstance(child, Drawing) else escape(child) for child in children)
    return Drawing(f"<{name}{attribute_text}>{content}</{name}>")


def place_pages(distances: Matrix) -> Matrix:
    """Return positions that approximate distances, as `detourage.template.scaling` does."""
    count = len(distances)
    if count < 2:
        return np.zeros((count, 2))
    squared = distances**2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    # Several threads would not be faster, but would take time from other requests.
    with threadpool_limits(limits=1):
        return _positions(distances, centred)


def _positions(distances: Matrix, centred: Matrix) -> Matrix:
    """Return positions by classical scaling of the centred squared distances, then SMACOF."""
    count = len(distances)
    values, vectors = np.linalg.eigh(-centred / 2)
    # The two largest eigenvalues, which are the last ones, and their eigenvectors
    values, vectors = values[:-3:-1], vectors[:, :-3:-1]
    farthest = vectors[np.abs(vectors).argmax(axis=0), np.arange(2)]
    positions: Matrix = vectors * np.sign(farthest) * np.sqrt(values.clip(min=0.0))
    fitted = _distances_between(positions)
    stress = float(((distances - fitted) ** 2).sum())
    for _ in range(min(MAX_STEPS, MAX_SCALING_WORK // count**2)):
        ratios = np.divide(distances, fitted, out=np.zeros_like(fitted), where=fitted > 0)
        moved = (ratios.sum(axis=1)[:, None] * positions - ratios @ positions) / count
        fitted = _distances_between(moved)
        new_stress = float(((distances - fitted) ** 2).sum())
        has_converged = stress - new_stress <= TOLERANCE * stress
        positions, stress = moved, new_stress
        if has_converged:
            break
    return positions


def _distances_between(positions: Matrix) -> Matrix:
    x, y = positions.T
    distances: Matrix = np.sqrt((x[:, None] - x) ** 2 + (y[:, None] - y) ** 2)
    return distances


def draw_map(positions: Matrix, mapped: Sequence[MappedPages]) -> Drawing:
    """Draw pages at the given positions, shape (n, 2), with the representatives on top."""
    points = _fit_to_map(positions)
    order = sorted(range(len(mapped)), key=lambda i: (mapped[i].is_representative, i))
    marks = [_linked_mark(mapped[index], *points[index]) for index in order]
    groups = len({each.group for each in mapped} - {None})
    pages = sum(each.pages for each in mapped)
    description = (
        f"{pluralise(pages, 'page')} of {pluralise(groups, 'group')}; pages are close together"
        " if their trees are similar. The table of groups below has the same information."
    )
    return element(
        "svg",
        element("title", "Map of the pages"),
        element("desc", description),
        element("path", d=f"M0,.5H{WIDTH}V{HEIGHT - 0.5}H0Z", class_="frame"),
        *marks,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
        role="group",
        class_="picture",
    )


def _linked_mark(mapped: MappedPages, x: float, y: float) -> Drawing:
    """Draw the mark of pages as a link; a representative gets a ring and its group's number."""
    # The area grows with the number of pages, up to a limit.
    radius = min(5 + 1.6 * (sqrt(mapped.pages) - 1), 16)
    group_mark = mark(
        mapped.group, x, y, radius, "representative" if mapped.is_representative else ""
    )
    parts = [element("title", mapped.name), group_mark]
    if mapped.is_representative:
        parts += [
            element("circle", cx=x, cy=y, r=radius + 5, class_="ring"),
            element("text", str(mapped.group), x=x, y=y - radius - 8, class_="label middle"),
        ]
    # Keyboard navigation stops only at representatives, not at hundreds of pages.
    tabindex = None if mapped.is_representative else -1
    return element(
        "a", *parts, href=mapped.address, tabindex=tabindex, aria_label=mapped.name, class_="place"
    )


def _fit_to_map(positions: Matrix) -> list[tuple[float, float]]:
    """Scale and shift positions so that they fill the map within its margins."""
    if not len(positions):
        return []
    centre = (positions.max(axis=0) + positions.min(axis=0)) / 2
    spans = np.maximum(np.ptp(positions, axis=0), 1e-9)
    available = np.array([WIDTH - 2 * _MARGIN, HEIGHT - 2 * _MARGIN])
    scale = float((available / spans).min()) if np.ptp(positions, axis=0).max() > 1e-9 else 0.0
    fitted = (positions - centre) * scale + np.array([WIDTH, HEIGHT]) / 2
    return [(x, y) for x, y in fitted.tolist()]


def mark(group: int | None, x: float, y: float, radius: float, class_: str = "") -> Drawing:
    """Draw the mark of a group, or a cross for outliers; the marks of 36 groups are distinct."""
    shape, colour_class = _CROSS, "outlier"
    if group is not None:
        # Shapes change together with colours, so that the first groups differ in both.
        shift, colour = divmod(group - 1, COLOURS)
        shape, colour_class = _SHAPES[(shift + colour) % len(_SHAPES)], f"c{colour}"
    return element(
        "path",
        d=shape,
        class_=f"mark {colour_class} {class_}".strip(),
        transform=f"translate({x:.1f} {y:.1f}) scale({radius:.1f})",
    )


def key(group: int | None) -> Drawing:
    """Draw the mark of a group for use within text."""
    group_mark = mark(group, 7, 7, 5)
    return element("svg", group_mark, width=14, height=14, class_="key", aria_hidden="true")


def _value(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
