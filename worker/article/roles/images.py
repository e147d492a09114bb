"""Evidence from the images near a line, and from their descriptions."""

from collections.abc import Iterator

import numpy as np

from worker.article.roles.view import MAX_MATCHED, UNKNOWN, View
from worker.inference import NamedColumn
from worker.text import words

MAX_UP = 3
"""Number of elements around a line, including its own, searched for images."""

MAX_WORDS = 120
"""Maximum length, in words, of an element whose images belong to the line."""

MAX_IMAGES = 3
"""Maximum number of images examined per element."""

MIN_DESCRIPTION = 3
"""Minimum number of words in an informative description."""


def of_images(view: View) -> Iterator[NamedColumn]:
    """Measure how near the nearest image is, and how much of its description the line repeats."""
    flat = view.page.flat
    images = np.flatnonzero(flat.having(("img", "video", "iframe")))
    elements, steps = view.blocks, np.full(len(view.lines), UNKNOWN)
    holders, counts = view.blocks.copy(), np.zeros(len(view.lines), dtype=np.int64)
    first = np.zeros(len(view.lines), dtype=np.int64)
    for step in range(MAX_UP):
        starts = np.searchsorted(images, elements)
        within = np.searchsorted(images, flat.ends[elements]) - starts
        is_new = (steps == UNKNOWN) & (within > 0) & (view.page.sizes[elements] <= MAX_WORDS)
        steps[is_new], counts[is_new] = step, within[is_new]
        holders[is_new], first[is_new] = elements[is_new], starts[is_new]
        elements = np.maximum(flat.parents[elements], 0)
    alts = flat.values("alt")
    described: dict[int, frozenset[str]] = {}
    likeness = np.full(len(view.lines), UNKNOWN)
    for row in np.flatnonzero(counts).tolist():
        start = int(first[row])
        for image in images[start : start + min(MAX_IMAGES, int(counts[row]))].tolist():
            if image not in described:
                alt = alts.get(image) or ""
                described[image] = frozenset(words.tokens(alt[:MAX_MATCHED]))
            alt_words, line = described[image], view.token_sets[row]
            if len(alt_words) >= MIN_DESCRIPTION:
                shared = len(line & alt_words) / len(line | alt_words)
                likeness[row] = max(likeness[row], shared)
    yield "to_image", steps
    yield "images_there", counts
    yield "words_there", np.where(counts > 0, view.page.sizes[holders], UNKNOWN)
    yield "like_image", likeness
