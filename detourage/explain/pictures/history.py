"""Bar chart of a site's successive clusterings, with the number of pages per group."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from detourage.explain.pictures.groups import bar
from detourage.explain.pictures.svg import Drawing, element, picture
from detourage.text.plural import counted

WIDTH: Final = 640
HEIGHT: Final = 150
_TOP: Final = 20
_BOTTOM: Final = 22


@dataclass(frozen=True)
class DrawnGeneration:
    """One clustering, given by its number, its time, and group sizes by group number."""

    number: int
    at: datetime
    sizes: Sequence[tuple[int, int]]
    is_new_design: bool


def draw_history(generations: Sequence[DrawnGeneration]) -> Drawing:
    """Draw generations as stacked bars, oldest first; a triangle marks a new design."""
    step = min(48, WIDTH / max(len(generations), 1))
    most = max((sum(size for _, size in each.sizes) for each in generations), default=0) or 1
    drawn = [
        _bar(each, index * step, step, (HEIGHT - _TOP - _BOTTOM) / most)
        for index, each in enumerate(generations)
    ]
    ends = {0: "start", len(generations) - 1: "end"} if len(generations) > 1 else {0: "start"}
    labels = [
        element(
            "text",
            f"{generations[index].at:%Y-%m-%d}",
            x=index * step if anchor == "start" else max((index + 1) * step, 160),
            y=HEIGHT - 6,
            class_=f"label {anchor}",
        )
        for index, anchor in ends.items()
        if generations
    ]
    return picture(
        "Generations",
        f"{counted(len(generations), 'clustering')}, a bar for each with the pages of its groups,"
        f" {most} at most.",
        WIDTH,
        HEIGHT,
        *drawn,
        *labels,
    )


def _bar(generation: DrawnGeneration, x: float, step: float, scale: float) -> Drawing:
    parts: list[Drawing] = []
    bottom = float(HEIGHT - _BOTTOM)
    gap = 1 if step > 4 else 0
    for group, size in generation.sizes:
        bottom -= size * scale
        parts.append(bar(group, x, bottom, step - gap, max(size * scale - gap, 0.5)))
    if generation.is_new_design:
        middle = x + step / 2
        parts.append(
            element("path", d=f"M{middle:.1f},{bottom - 4:.1f}l-5,-8h10z", class_="mark new-design")
        )
    sizes = ", ".join(f"group {group}: {size}" for group, size in generation.sizes)
    name = f"generation {generation.number}, {generation.at:%Y-%m-%d %H:%M} UTC: {sizes or 'none'}"
    if generation.is_new_design:
        name += "; a new design"
    return element("g", element("title", name), *parts)
