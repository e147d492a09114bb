"""Marks that identify template groups in all pictures by number, colour and shape."""

from typing import Final

from detourage.explain.pictures.svg import Drawing, element

COLOURS: Final = 6
"""Number of colours in the style sheet (``c0`` to ``c5``), which suit any colour vision."""

_SHAPES: Final = (
    "M-1,0A1,1 0 1,0 1,0A1,1 0 1,0 -1,0Z",
    "M-.9,-.9H.9V.9H-.9Z",
    "M0,-1.15L1.1,.8H-1.1Z",
    "M0,-1.3L1.3,0L0,1.3L-1.3,0Z",
    "M0,1.15L1.1,-.8H-1.1Z",
    "M-.4,-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
)
_CROSS: Final = "M-1,-.7L-.7,-1L0,-.3L.7,-1L1,-.7L.3,0L1,.7L.7,1L0,.3L-.7,1L-1,.7L-.3,0Z"


def colour_class(group: int | None) -> str:
    """Return the CSS class for a group's colour; outliers have the text colour."""
    return "outlier" if group is None else f"c{(group - 1) % COLOURS}"


def mark(group: int | None, x: float, y: float, radius: float, class_: str = "") -> Drawing:
    """Draw the mark of a group, or a cross for outliers; marks are distinct for 36 groups."""
    shape = _CROSS
    if group is not None:
        turn, colour = divmod(group - 1, COLOURS)
        shape = _SHAPES[(turn + colour) % len(_SHAPES)]
    return element(
        "path",
        d=shape,
        class_=f"mark {colour_class(group)} {class_}".strip(),
        transform=f"translate({x:.1f} {y:.1f}) scale({radius:.1f})",
    )


def bar(group: int | None, x: float, y: float, width: float, height: float) -> Drawing:
    """Draw a bar in the colour of a group."""
    class_ = f"mark {colour_class(group)}"
    return element("rect", x=x, y=y, width=width, height=height, class_=class_)


def key(group: int | None) -> Drawing:
    """Draw the mark of a group for use within text."""
    drawn = mark(group, 7, 7, 5)
    return element("svg", drawn, width=14, height=14, class_="key", aria_hidden="true")
