"""Pictures of the groups of sites, with ordered distances next to a map of the pages.

The layout follows figure 4.2 of Deturck (2015).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from detourage.template.groups import Grouping
from detourage.template.matrix import Indices, Matrix
from detourage.template.sites import SiteGroups
from detourage.text.abridged import abridged
from detourage.text.plural import counted

MAX_SITES: Final = 40
"""Maximum number of rows in a picture; most viewers cannot open larger pictures."""

SUFFIXES: Final = (".png", ".svg")
"""Supported file suffixes."""

LEGEND_GROUPS: Final = 16
"""Maximum number of groups in the legend; more would be illegible."""

MARKERS: Final = "os^Dv<>ph"
COLOURS: Final = 10
"""Number of colours in matplotlib's default cycle; further groups differ by marker."""


def draw(sites: Sequence[SiteGroups], path: Path) -> None:
    """Draw the groups of up to `MAX_SITES` sites in a PNG or SVG file, one row per site.

    On the left is the distance matrix, with groups framed in their colours; on the right are the
    pages in the plane. Equal input results in equal files.
    """
    suffix = path.suffix.lower()
    shown = list(sites[:MAX_SITES])
    rows = max(len(shown), 1)
    figure = Figure(figsize=(14, 5 * rows), layout="constrained")
    axes = figure.subplots(rows, 2, squeeze=False, gridspec_kw={"width_ratios": [1, 1.25]})
    for site, (left, right) in zip(shown, axes, strict=False):
        draw_distances(site, left)
        draw_map(site, right)
    with rc_context({"svg.hashsalt": "detourage"}):
        figure.savefig(
            path,
            dpi=130,  # A heat map of 500 pages has about one dot per page.
            format=suffix[1:],
            metadata={"Date": None} if suffix == ".svg" else None,
        )


def draw_distances(site: SiteGroups, axes: Axes) -> None:
    """Draw a site's distance matrix, with its pages in the order of their groups."""
    order = reading_order(site.distances, site.grouping)
    greys = colormaps["gray_r"].with_extremes(bad="#cfe3f5")
    image = axes.imshow(site.distances[np.ix_(order, order)], cmap=greys, vmin=0, vmax=1)
    frames, ticks, start = [], [], -0.5
    for number, group in enumerate(site.grouping.groups):
        size = len(group.members)
        frames.append(
            Rectangle((start, start), size, size, fill=False, edgecolor=colour_of(number))
        )
        ticks.append((start + size / 2, f"{number + 1}", size))
        start += size
    axes.add_collection(PatchCollection(frames, match_original=True, linewidths=2, clip_on=False))
    if site.grouping.outliers:
        ticks.append((start + len(site.grouping.outliers) / 2, "out", len(site.grouping.outliers)))
    axes.set_yticks(*_readable(ticks, len(order)))
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.set_ylabel("groups")
    axes.set_title(
        f"{site.site}: {counted(len(site.urls), 'page')}", fontsize="medium", parse_math=False
    )
    axes.figure.colorbar(image, ax=axes, location="bottom", shrink=0.7, pad=0.02, aspect=40)


def draw_map(site: SiteGroups, axes: Axes) -> None:
    """Draw the pages of a site in the plane that best separates them."""
    positions = site.grouping.embedding[:, :2]
    x, y = positions.T
    size = float(np.clip(1500 / max(len(positions), 1), 10, 45))
    entries: list[Line2D | Patch] = []
    for number, group in enumerate(site.grouping.groups):
        colour = colour_of(number)
        marker = MARKERS[number // COLOURS % len(MARKERS)]
        members = list(group.members)
        axes.scatter(x[members], y[members], s=size, c=colour, marker=marker, alpha=0.6, lw=0)
        axes.scatter(
            x[group.pivot],
            y[group.pivot],
            s=2.2 * size + 25,
            c=colour,
            marker=marker,
            edgecolors="black",
            zorder=3,
        )
        if number < LEGEND_GROUPS:
            text = (
                f"{number + 1}: {counted(len(members), 'page')}, {abridged(site.urls[group.pivot])}"
            )
            entries.append(Line2D([], [], lw=0, c=colour, marker=marker, label=text))
    hidden = site.grouping.groups[LEGEND_GROUPS:]
    if hidden:
        pages = sum(len(group.members) for group in hidden)
        text = f"and {counted(len(hidden), 'group')} more, {counted(pages, 'page')}"
        entries.append(Patch(alpha=0, label=text))
    outliers = list(site.grouping.outliers)
    if outliers:
        axes.scatter(x[outliers], y[outliers], s=size + 12, c="black", marker="x", lw=1)
        label = counted(len(outliers), "outlier")
        entries.append(Line2D([], [], lw=0, c="black", marker="x", label=label))
    axes.set_aspect("equal", adjustable="datalim")
    axes.tick_params(labelsize="x-small")
    axes.grid(alpha=0.25)
    axes.set_title(f"silhouette {site.grouping.silhouette:.2f}", fontsize="medium")
    legend = axes.legend(
        handles=entries,
        loc="upper left",
        bbox_to_anchor=(1.01, 1),
        fontsize="x-small",
        title="group: pages, representative (ringed)",
        title_fontsize="x-small",
        alignment="left",
        frameon=False,
    )
    for entry in legend.get_texts():
        entry.set_parse_math(False)


def reading_order(distances: Matrix, grouping: Grouping) -> Indices:
    """Order pages by group and, within each, by average linkage; outliers come last."""
    parts = [group.members for group in grouping.groups] + [grouping.outliers]
    return np.concatenate([_ordered_by_similarity(distances, list(part)) for part in parts])


def colour_of(number: int) -> str:
    """Return the colour of a group by rank, where 0 is the largest; colours repeat after ten."""
    return f"C{number % COLOURS}"


def _ordered_by_similarity(distances: Matrix, pages: list[int]) -> Indices:
    among = np.nan_to_num(distances[np.ix_(pages, pages)], nan=1.0)
    if len(pages) < 3:
        return np.array(pages, dtype=np.int64)
    tree = linkage(squareform(among, checks=False), "average", optimal_ordering=len(pages) <= 300)
    return np.array(pages, dtype=np.int64)[np.asarray(leaves_list(tree), dtype=np.int64)]


def _readable(ticks: Sequence[tuple[float, str, int]], pages: int) -> tuple[list[float], list[str]]:
    """Return the positions and names of the groups that have enough room for their name."""
    kept = [(place, name) for place, name, size in ticks if size >= pages / 30]
    return [place for place, _ in kept], [name for _, name in kept]
