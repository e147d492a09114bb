"""Heat map of a site's distances, with a dendrogram next to it."""

import zlib
from collections.abc import Sequence
from itertools import pairwise
from struct import pack
from typing import Final

import numpy as np
import numpy.typing as npt

from detourage.explain.pictures.arranging import OrderedPages
from detourage.explain.pictures.groups import bar
from detourage.explain.pictures.svg import Drawing, element, picture
from detourage.text.plural import counted

SIDE: Final = 600
"""Approximate width of the map in points."""

SMALLEST_CELL: Final = 2
LARGEST_CELL: Final = 20
TREE_WIDTH: Final = 132
STRIP_WIDTH: Final = 10

_INK: Final = (15, 114, 176)
"""Colour of the cells and the scale; distance is shown as transparency, which suits light and dark
pages."""


def cell_size(pages: int) -> int:
    """Return the width of a cell of the map in points."""
    return max(SMALLEST_CELL, min(LARGEST_CELL, SIDE // max(pages, 1)))


def draw_distances(distances: npt.NDArray[np.float64]) -> bytes:
    """Draw distances as a PNG with one pixel each, the nearer the stronger; NaN is transparent."""
    values = np.where(np.isnan(distances), 0, 1 + np.round(254 * (1 - np.nan_to_num(distances))))
    rows = np.insert(values.astype(np.uint8), 0, 0, axis=1)
    side = len(distances)
    if side == 0:
        return draw_distances(np.full((1, 1), np.nan))
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", pack(">IIBBBBB", side, side, 8, 3, 0, 0, 0))
        + _chunk(b"PLTE", bytes(_INK) * 256)
        + _chunk(b"tRNS", bytes([0, *range(255)]))
        + _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6))
        + _chunk(b"IEND", b"")
    )


def draw_dendrogram(ordered: OrderedPages, groups: Sequence[int | None]) -> Drawing:
    """Draw a heat map's dendrogram, and a strip in the colours of the leaves' groups."""
    cell = cell_size(len(ordered.order))
    height = cell * len(ordered.order)
    right = TREE_WIDTH - STRIP_WIDTH - 4
    paths = []
    for places, heights in ordered.branches:
        y = [cell * (place + 0.5) for place in places]
        x = [right * (1 - value) + 1 for value in heights]
        paths.append(f"M{x[0]:.1f},{y[0]:.1f}H{x[1]:.1f}V{y[2]:.1f}H{x[3]:.1f}")
    strip = [
        bar(group, right + 3, start * cell, STRIP_WIDTH, (end - start) * cell)
        for start, end, group in _runs(groups)
    ]
    return picture(
        "Dendrogram",
        f"Average linkage of {counted(len(ordered.order), 'tree')}: the farther left two branches"
        " meet, the more their pages differ. The strip has the colours of the groups.",
        TREE_WIDTH,
        height,
        element("path", d="".join(paths), class_="line"),
        *strip,
    )


def _runs(groups: Sequence[int | None]) -> list[tuple[int, int, int | None]]:
    borders = [
        place for place in range(len(groups)) if place == 0 or groups[place - 1] != groups[place]
    ]
    return [(start, end, groups[start]) for start, end in pairwise([*borders, len(groups)])]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data))
