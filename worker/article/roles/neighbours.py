"""Evidence from neighbouring lines: their properties, and the first pass's estimates for them."""

from collections.abc import Iterator

import numpy as np

from worker.article.roles.view import View
from worker.html.elements import HEADINGS
from worker.inference import NamedColumn

KEPT = 0.5
"""Minimum probability at which the first pass keeps a line."""

OFFSETS = (-3, -2, -1, 1, 2, 3)
"""Offsets of the neighbouring lines whose probabilities are used."""

REACHES = (5, 12)
"""Numbers of lines on each side over which the probability is averaged."""

MAX_AWAY = 99.0
"""Maximum distance in lines; also used if there is no line to measure the distance to."""

BESIDE = ("tag", "has_date", "in_figure", "ends_in_colon", "ends_sentence", "strong")
"""Columns copied from the lines directly before and after."""


def of_first_pass(view: View) -> Iterator[NamedColumn]:
    """Collect the first pass's estimates for the line, its neighbours and its siblings."""
    keep, counts = view.keep, view.counts
    yield "keep", view.cut(keep)
    for offset in OFFSETS:
        yield f"keep{offset:+d}", view.beside(keep, offset)
    parents = np.maximum(view.page.flat.parents, 0)[view.all_blocks]
    for name, groups in (("siblings", parents), ("cousins", view.page.flat.parents[parents])):
        _, numbers = np.unique(groups, return_inverse=True)
        sizes = np.bincount(numbers)
        yield f"keep_{name}", view.cut((np.bincount(numbers, keep) / sizes)[numbers])
        yield f"number_{name}", view.cut(sizes[numbers])
    sums = np.concatenate([[0.0], np.cumsum(keep)])
    for reach in REACHES:
        low = np.maximum(0, view.places - reach)
        high = np.minimum(len(keep), view.places + reach + 1)
        yield f"keep_within_{reach}", (sums[high] - sums[low]) / (high - low)
    is_kept = keep >= KEPT
    kept = np.flatnonzero(is_kept)
    first, last = (int(kept[0]), int(kept[-1])) if len(kept) else (len(keep), -1)
    yield "from_first_kept", view.places - first
    yield "to_last_kept", last - view.places
    words_kept = np.cumsum(keep * counts)
    total = max(1.0, float(words_kept[-1]))
    yield "kept_before", view.cut(words_kept - keep * counts) / total
    yield "kept_after", np.asarray(total - view.cut(words_kept), dtype=np.float64) / total
    yield "kept_words", np.full(len(view.places), total)
    yield "lines_kept", np.full(len(view.places), len(kept))
    runs = np.cumsum(np.diff(is_kept, prepend=is_kept[:1]) != 0)
    yield "run_lines", view.cut(np.bincount(runs)[runs])
    yield "run_words", view.cut(np.bincount(runs, counts)[runs])


def of_lines_beside(view: View) -> Iterator[NamedColumn]:
    """Describe the neighbouring lines and whether they are in the same element."""
    for name in BESIDE:
        values = view.known(name)
        for offset in (-1, 1):
            yield f"{name}{offset:+d}", view.beside(values, offset)
    for offset in (-3, 3):
        yield f"words{offset:+d}", view.beside(view.counts, offset)
    flat = view.page.flat
    parents = flat.parents[view.all_blocks]
    for offset in (-1, 1):
        yield f"same_parent{offset:+d}", view.beside(parents, offset) == view.cut(parents)
        yield f"same_block{offset:+d}", view.beside(view.all_blocks, offset) == view.blocks
    for name, tags in (("heading", HEADINGS), ("h1", ("h1",))):
        marks = np.flatnonzero(flat.having(tags)[view.all_blocks])
        before = np.searchsorted(marks, view.places) - 1
        last = np.concatenate([marks, [-MAX_AWAY]])[before]
        yield f"lines_since_{name}", np.minimum(view.places - last, MAX_AWAY)
    seen: dict[tuple[str, ...], int] = {}
    earlier = np.zeros(len(view.all_lines))
    for place, line in enumerate(view.all_lines):
        earlier[place] = count = seen.get(line.tokens, 0)
        seen[line.tokens] = count + 1
    yield "seen_before", view.cut(earlier)
