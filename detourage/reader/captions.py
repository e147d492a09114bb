"""Captions of images, recognised in the core, and the search for one within an element."""

import numpy as np
import numpy.typing as npt

from detourage import core
from detourage.html.flat import Booleans
from detourage.reader.outline import Outline

MAX_CAPTION_TOKENS = 100  # tokens in an element with an image and its caption
MAX_FIGURE_ELEMENTS = 200  # elements in a figure searched for a caption


def caption_mask(page: Outline) -> Booleans:
    """Return a mask of the short elements that are captions because of their name or place."""
    mask: Booleans = _signs_of_captions(page) > 0
    return mask


def lines_under_images(page: Outline) -> frozenset[int]:
    """Return the numbers of the lines in captions recognised by their place below an image."""
    blocks = np.flatnonzero(_signs_of_captions(page) & core.BELOW_IMAGE).tolist()
    ranges = (page.text_lines[page.text_starts[each] : page.text_ends[each]] for each in blocks)
    return frozenset(line for lines in ranges for line in lines.tolist())


def _signs_of_captions(page: Outline) -> npt.NDArray[np.uint8]:
    columns = page.flat, page.text_lines, page.text_sizes
    return page.cached(_signs_of_captions, lambda: core.captions(page.document, *columns))


def caption_within(page: Outline, index: int, captions: Booleans) -> str | None:
    """Return the first caption within an element; `captions` is the mask from `caption_mask`."""
    for below in range(index + 1, page.ends[index])[:MAX_FIGURE_ELEMENTS]:
        if page.tags[below] == "figcaption" or captions[below]:
            return page.text_of(below) or None
    return None
