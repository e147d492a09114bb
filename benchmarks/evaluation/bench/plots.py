"""Plots of scores with intervals, in SVG."""

from collections.abc import Iterator, Sequence
from html import escape

from benchmarks.evaluation.bench.results import Line

_WIDTH = 420
_LABELS = 150
"""Width of the space for names, to the left of the axis."""

_RIGHT = 40
"""Width of the space for figures, to the right of the axis."""

_ROW = 16
_TOP = 18
_DOT = 3.2
_STEPS = (1, 2, 5, 10, 20, 25)


def plot(name: str, lines: Sequence[Line]) -> str:
    """Draw a score of several methods with intervals, best first; omit methods without the score.

    The axis begins at the lowest interval, so that differences between the best methods are
    visible.
    """
    shown = sorted(
        (line for line in lines if name in line.scores),
        key=lambda line: -line.scores[name].pages.mean,
    )
    low = min(line.scores[name].pages.low for line in shown)
    high = max(line.scores[name].pages.high for line in shown)
    step = next((each for each in _STEPS if (high - low) / each <= 5), _STEPS[-1])
    start, end = step * (low // step), step * -(-high // step)
    if start == end:
        start -= step
    scale = (_WIDTH - _LABELS - _RIGHT) / (end - start)
    height = _TOP + _ROW * len(shown) + 4

    def across(value: float) -> str:
        return f"{_LABELS + (value - start) * scale:.1f}"

    def drawing() -> Iterator[str]:
        tick = start
        while tick <= end:
            at = across(tick)
            yield f'<line class="axis" x1="{at}" x2="{at}" y1="{_TOP - 4}" y2="{height}"/>'
            yield f'<text class="axis-label" x="{at}" y="10" text-anchor="middle">{tick:g}</text>'
            tick += step
        for row, line in enumerate(shown):
            mean = line.scores[name].pages
            y = _TOP + _ROW * row + _ROW / 2
            label = escape(line.method)
            yield f'<text x="{_LABELS - 10}" y="{y + 4}" text-anchor="end">{label}</text>'
            yield f'<g class="{line.kind}"><title>{label}: {mean.mean:.1f}, {mean.low:.1f} to'
            yield f' {mean.high:.1f}</title><line stroke-width="1.6" x1="{across(mean.low)}"'
            yield f' x2="{across(mean.high)}" y1="{y}" y2="{y}"/>'
            yield f'<circle cx="{across(mean.mean)}" cy="{y}" r="{_DOT}"/></g>'
            yield f'<text x="{_WIDTH - 2}" y="{y + 4}" text-anchor="end">{mean.mean:.1f}</text>'

    body = "".join(drawing())
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(name)}">{body}</svg>'
    )
