"""Captions of images, recognised in the core, and the search for one within an element."""

import re

import numpy as np
import numpy.typing as npt

from detourage import core
from detourage.html.flat import Booleans
from detourage.reader.lines import line_columns
from detourage.reader.outline import Outline
from detourage.text.lazy_patterns import lazy_pattern

MAX_CAPTION_TOKENS = 100  # tokens in an element with an image and its caption
MAX_CREDITED_TOKENS = 40  # tokens in a line with a caption and the photographer's name
MAX_FIGURE_ELEMENTS = 200  # elements in a figure searched for a caption

_CREDIT = lazy_pattern(  # "Photo: Ann Lee", "사진=", "Foto di Ann Lee", "林秀芬 摄"
    r"(?:\b(?:photo(?:s|graph|graphy|graphie|graphe)?|images?|(?<!\w\s)credits?"
    r"|(?:photo|image|picture) credits?|fot(?:o|ó|os|ografie|ograf[íi]a)?|bild|kuva|zdjęcie"
    r"|crédits?|imagen|immagine|snímek|фото|снимка|φωτο(?:γραφία)?|fotoğraf|ảnh)|صورة|تصوير|عکس|צילום|फ़ोटो|फोटो|ภาพ|摄影|供图|撮影|写真|사진)"
    r"\s*[:：=/|・·]\s*\w|\b(?:foto|photo)s? (?:by|von|di|de|par|av|af) \w|\w\s*摄$",
    re.IGNORECASE,
)
# Searched for first, because it takes less time; every text that matches `_CREDIT` has one.
_SIGN_OF_CREDIT = re.compile(r"[:：=/|・·摄]|(?:f|ph)oto", re.IGNORECASE)


def caption_mask(page: Outline) -> Booleans:
    """Return a mask of the short elements that are captions because of their name or place."""
    mask: Booleans = _signs_of_captions(page) > 0
    return mask


def lines_under_images(page: Outline) -> frozenset[int]:
    """Return the numbers of the lines in captions recognised by their place below an image."""
    blocks = np.flatnonzero(_signs_of_captions(page) & core.BELOW_IMAGE).tolist()
    ranges = (page.text_lines[page.text_starts[each] : page.text_ends[each]] for each in blocks)
    return frozenset(line for lines in ranges for line in lines.tolist()) | _credited(page)


def _credited(page: Outline) -> set[int]:
    """Return the numbers of short lines below images with a credit, also of a caption above it."""
    lines = line_columns(page)
    first_texts = page.flat.text_starts[page.flat.having(("img",))]
    below = page.text_lines[first_texts[first_texts < len(page.text_lines)]]
    found = set[int]()
    starts = {*np.searchsorted(lines.numbers, below).tolist()}
    for place in starts:
        for end in range(place, min(place + 2, len(lines.numbers))):
            if end > place and end in starts:  # below another image
                break
            if lines.words[end] > MAX_CREDITED_TOKENS or lines.linked[end]:
                break
            text = page.tokenised.clean[lines.texts[end]]
            is_credited = _CREDIT.match if end > place else _CREDIT.search
            if _SIGN_OF_CREDIT.search(text) and is_credited(text):
                found.update(lines.numbers[place : end + 1].tolist())
    return found


def _signs_of_captions(page: Outline) -> npt.NDArray[np.uint8]:
    shown = page.flat, page.text_lines, page.text_sizes
    return page.cached(_signs_of_captions, lambda: core.captions(page.document, *shown))


def caption_within(page: Outline, index: int, captions: Booleans) -> str | None:
    """Return the first caption within an element; `captions` is the mask from `caption_mask`."""
    for below in range(index + 1, page.ends[index])[:MAX_FIGURE_ELEMENTS]:
        if page.tags[below] == "figcaption" or captions[below]:
            return page.text_of(below) or None
    return None
