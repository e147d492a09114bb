"""Images above an article's text (`blocks` finds images within the text), and captions of both."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

import numpy as np

from detourage.article import ArticleImage, copy_with
from detourage.html.flat import Booleans, Integers
from detourage.html.urls import split_url
from detourage.reader import media
from detourage.reader.captions import MAX_CAPTION_TOKENS, caption_mask, caption_within
from detourage.reader.class_words import PARTS
from detourage.reader.found_body import FoundBody, kept_texts
from detourage.reader.outline import Outline
from detourage.text.words import word_set

MAX_OPENING_SHARE = 0.3  # share of the text's words before a leading image, which may follow a lead
MIN_WIDTH = 200  # declared width, in pixels, of an image above the text; logos are narrower
MAX_LINKED_SHARE = 0.5  # share of linked words in an element; with a larger share, it is a teaser

_ARTICLES = frozenset({"article", "main"})
_FRAMES = frozenset({"figure", "picture"})
_OTHER_SECTION_TAGS = frozenset({"nav", "aside", "form", "footer"})
_OTHER_PART_WORDS = (
    PARTS["menu"] | PARTS["advert"] | PARTS["byline"] | word_set("logo avatar icon related teaser")
)


def leading_images(
    page: Outline, body: FoundBody, heading: int | None, base: str
) -> Iterator[ArticleImage]:
    """Yield the images above the text or in its opening, in document order.

    Narrow images, drawings and images of other sections are left out. Unless declared (`og:image`),
    an image must not link to a page, and must be in a figure or below the headline (`heading`).
    """
    is_kept = kept_texts(page, body)
    places = np.flatnonzero(is_kept)
    if not len(places):
        return
    words_so_far = page.text_sizes[places].cumsum()
    opening_end = int(np.searchsorted(words_so_far, MAX_OPENING_SHARE * words_so_far[-1]))
    first, end = page.text_parents[places[[0, opening_end]]].tolist()
    if heading is not None and heading >= end:
        heading = None
    root = _article_around(page, (first if heading is None else heading, first, end))
    is_image = page.flat.having([*filter(media.is_image, page.flat.distinct_tags)])
    images = np.flatnonzero(is_image[root + 1 : end]) + root + 1
    if not len(images):
        return
    # Number of the article's text nodes before each text node of the page.
    kept_before = np.concatenate([[0], np.cumsum(is_kept)])
    captions = caption_mask(page)
    declared = media.file_stem(page.metas.get("og:image", ""))
    is_other = page.flat.having(_OTHER_SECTION_TAGS) | page.named(_OTHER_PART_WORDS)
    others_around = page.flat.count_around(is_other)
    for index in images.tolist():
        element = page.node(index)
        width = (element.get("width") or "").strip().removesuffix("px")
        is_narrow = width.isdecimal() and int(width[:6]) < MIN_WIDTH
        if others_around[index] > others_around[root] or is_narrow:
            continue
        image = media.image_of(element, base, None)
        # A drawing is usually a logo or an icon.
        if image is None or split_url(image.url).path.lower().endswith(".svg"):
            continue
        frame = _frame_of(page, index, root, heading, kept_before)
        is_declared = bool(declared) and media.file_stem(image.url) == declared
        if is_declared or _may_lead(page, index, frame, heading):
            yield copy_with(image, caption=_leading_image_caption(page, index, frame, captions))


def _frame_of(
    page: Outline, image: int, root: int, heading: int | None, kept_before: Integers
) -> int:
    """Return the largest short element that holds an image but no text of body or headline."""
    frame, parent = image, page.parents[image]
    while parent > root and page.size(parent) <= MAX_CAPTION_TOKENS:
        has_body = kept_before[page.text_ends[parent]] > kept_before[page.text_starts[parent]]
        has_headline = heading is not None and parent <= heading < page.ends[parent]
        if has_body or has_headline:
            break
        frame, parent = parent, page.parents[parent]
    return frame


def _leading_image_caption(page: Outline, index: int, frame: int, captions: Booleans) -> str | None:
    """Return the caption of an image, from an enclosing figure or from the image's frame."""
    for each in takewhile(lambda each: each >= frame, page.ancestry(index)):
        if each != index and (page.tags[each] == "figure" or each == frame):
            caption = caption_within(page, each, captions)
            if caption:
                return caption
    return None


def _may_lead(page: Outline, index: int, frame: int, heading: int | None) -> bool:
    """Return whether an undeclared image may illustrate the article."""
    is_below = heading is not None and index > heading
    if not is_below and page.tags[page.parents[index]] not in _FRAMES:
        return False
    link = page.links[index]
    if link >= 0 and not media.is_image_url(page.node(link).get("href")):
        return False
    return not is_teaser(page, frame)


def is_teaser(page: Outline, index: int) -> bool:
    """Return whether most of an element's words are in links."""
    texts = slice(page.text_starts[index], page.text_ends[index])
    linked = page.text_sizes[texts][page.link_numbers[page.text_parents[texts]] >= 0].sum()
    return bool(linked > MAX_LINKED_SHARE * page.size(index))


def _article_around(page: Outline, elements: Sequence[int]) -> int:
    """Return the nearest ``article`` around the elements, or else their common ancestor."""
    common = min(elements)
    while max(elements) >= page.ends[common]:
        common = page.parents[common]
    return next((each for each in page.ancestry(common) if page.tags[each] in _ARTICLES), common)
