"""Plots of scores with intervals, in SVG."""

from collections.abc import Iterator, Sequence
from html import escape

from benchmarks.evaluation.bench.results import Line

_WIDTH = 420
"""Width of the whole plot in pixels, including the names on the left and figures on the right."""

_NAMES_WIDTH = 150
_FIGURES_WIDTH = 40
_ROW = 16  # height of a method's row; _AXIS is the height of the axis labels above the rows
_AXIS = 18
_DOT_RADIUS = 3.2  # the dot marks the mean
_TICK_STEPS = (1, 2, 5, 10, 20, 25)
"""Possible distances between ticks, in percent; the smallest with at most five steps is used."""


def plot(name: str, lines: Sequence[Line]) -> str:
    """Draw a score of several methods with intervals, best first; omit methods without the score.

    The axis begins just below the lowest interval, not at 0, so that small differences are visible.
    """
    shown = sorted(
        (line for line in lines if name in line.scores),
        key=lambda line: -line.scores[name].pages.mean,
    )
    low = min(line.scores[name].pages.low for line in shown)
    high = max(line.scores[name].pages.high for line in shown)
    step = next((each for each in _TICK_STEPS if (high - low) / each <= 5), _TICK_STEPS[-1])
    start, end = step * (low // step), step * -(-high // step)
    if start == end:
        start -= step
    scale = (_WIDTH - _NAMES_WIDTH - _FIGURES_WIDTH) / (end - start)
    height = _AXIS + _ROW * len(shown) + 4

    def x_of(value: float) -> str:
        return f"{_NAMES_WIDTH + (value - start) * scale:.1f}"

    def drawing() -> Iterator[str]:
        tick = start
        while tick <= end:
            x = x_of(tick)
            yield f'<line class="axis" x1="{x}" x2="{x}" y1="{_AXIS - 4}" y2="{height}"/>'
            yield f'<text class="axis-label" x="{x}" y="10" text-anchor="middle">{tick:g}</text>'
            tick += step
        for row, line in enumerate(shown):
            mean = line.scores[name].pages
            y = _AXIS + _ROW * row + _ROW / 2
            label = escape(line.method)
            yield f'<text x="{_NAMES_WIDTH - 10}" y="{y + 4}" text-anchor="end">{label}</text>'
            yield f'<g class="{line.kind}"><title>{label}: {mean.mean:.1f}, {mean.low:.1f} to'
            yield f' {mean.high:.1f}</title><line stroke-width="1.6" x1="{x_of(mean.low)}"'
            yield f' x2="{x_of(mean.high)}" y1="{y}" y2="{y}"/>'
            yield f'<circle cx="{x_of(mean.mean)}" cy="{y}" r="{_DOT_RADIUS}"/></g>'
            yield f'<text x="{_WIDTH - 2}" y="{y + 4}" text-anchor="end">{mean.mean:.1f}</text>'

    body = "".join(drawing())
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(name)}">{body}</svg>'
    )
