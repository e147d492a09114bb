"""Images above the text of an article (`blocks` finds those within it), and captions of both."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

import numpy as np

from detourage.article import ArticleImage
from detourage.html.flat import Booleans, Integers
from detourage.html.nodes import Node
from detourage.reader import media
from detourage.reader.found_body import FoundBody, kept_texts
from detourage.reader.outline import Outline
from detourage.reader.vocabulary import CAPTION, PARTS
from detourage.text.words import word_set

MAX_CAPTION_TOKENS = 100  # tokens in a caption, and in an element with an image and its caption
MAX_TOKENS_BELOW_IMAGE = 40  # tokens in a caption recognised only by its place below an image
MIN_CAPTIONED_WIDTH = 100  # declared width, in pixels, of an image with such a caption
MAX_FIGURE_ELEMENTS = 200  # elements in a figure searched for a caption
MAX_OPENING_SHARE = 0.3  # share of the text's words before a leading image, which may follow a lead
MIN_WIDTH = 200  # declared width, in pixels, of an image above the text, unlike portraits and logos
MAX_LINKED_SHARE = 0.5  # share of linked words in an element; with a larger share, it is a teaser

_ARTICLES = frozenset({"article", "main"})
_FRAMES = frozenset({"figure", "picture"})
_OTHER_SECTION_TAGS = frozenset({"nav", "aside", "form", "footer"})
_OTHER_PART_WORDS = (
    PARTS["menu"] | PARTS["advert"] | PARTS["byline"] | word_set("logo avatar icon related teaser")
)

# Elements that may contain an image and, after a line break, its caption.
_CAPTIONED = frozenset({"p", "div", "center", "td"})
_CAPTION_NAMES = CAPTION | word_set(
    "cap captions cutline legend legende bildunterschrift bildtext bildetekst billedtekst"
    " didascalia leyenda legenda onderschrift kuvateksti podpis altyazi"
)
"""Words of a class or ID that denote a caption if an image precedes it."""

_QUOTES = tuple('“„«»"「『')


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
    captions = captions_of(page)
    declared = media.file_stem(page.metas.get("og:image", ""))
    is_in_other = {root: False}  # whether elements belong to another section
    for index in images.tolist():
        path = [*takewhile(lambda each: each not in is_in_other, page.ancestry(index))]
        for each in reversed(path):
            is_other = page.tags[each] in _OTHER_SECTION_TAGS
            is_other = is_other or not page.name_words(each).isdisjoint(_OTHER_PART_WORDS)
            is_in_other[each] = is_other or is_in_other[page.parents[each]]
        element = page.node(index)
        if is_in_other[index] or _is_narrow(element):
            continue
        image = media.image_of(element, base, None)
        if image is None or media.is_drawing(image.url):
            continue
        frame = _frame_of(page, index, root, heading, kept_before)
        is_declared = bool(declared) and media.file_stem(image.url) == declared
        if is_declared or _may_lead(page, index, frame, heading):
            yield replace(image, caption=_caption_of(page, index, frame, captions))


def _frame_of(
    page: Outline, image: int, root: int, heading: int | None, kept_before: Integers
) -> int:
    """Return the largest element that contains nothing but an image and its caption."""
    frame, parent = image, page.parents[image]
    while parent > root and page.size(parent) <= MAX_CAPTION_TOKENS:
        has_body = kept_before[page.text_ends[parent]] > kept_before[page.text_starts[parent]]
        has_headline = heading is not None and parent <= heading < page.ends[parent]
        if has_body or has_headline:
            break
        frame, parent = parent, page.parents[parent]
    return frame


def _caption_of(page: Outline, index: int, frame: int, captions: Booleans) -> str | None:
    """Return the caption of an image, from an enclosing figure or its frame."""
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


def captions_of(page: Outline) -> Booleans:
    """Return a mask of the short elements that are captions because of their name or place."""

    def compute() -> Booleans:
        captions: Booleans = page.named(CAPTION) & (page.sizes <= MAX_CAPTION_TOKENS)
        captions[captions_under_images(page)] = True
        return captions

    return page.cached(captions_of, compute)


def captions_under_images(page: Outline) -> list[int]:
    """Return the short blocks that are captions of the image at their start or right above them.

    Text below an image belongs to it if a line break separates them within one block. A block of
    its own must have a name that denotes a caption, because a paragraph follows most images.
    """
    return page.cached(captions_under_images, lambda: _captions_under_images(page))


def _captions_under_images(page: Outline) -> list[int]:
    flat, has_image = page.flat, page.flat.having(("img",))
    if not has_image.any():
        return []
    # The largest element around an image without text, and the element below it
    is_frame = page.sizes[flat.parents] > 0
    frames = flat.nearest_marked(is_frame)[has_image]
    below = np.minimum(flat.ends[frames], len(flat.parents) - 1)
    is_near = (below == flat.ends[frames]) & (flat.text_starts[below] == flat.text_starts[frames])
    found = np.column_stack((np.flatnonzero(has_image), frames, below))[is_near].tolist()
    captions = (_caption_of_image(page, *each) for each in found)
    return sorted({block for block in captions if block is not None})


def lines_under_images(page: Outline) -> frozenset[int]:
    """Return the numbers of the lines in `captions_under_images`."""
    return frozenset(
        line
        for block in captions_under_images(page)
        for line in page.text_lines[page.text_starts[block] : page.text_ends[block]].tolist()
    )


def _caption_of_image(page: Outline, image: int, frame: int, below: int) -> int | None:
    """Return the block around an image, or the block below it, if that is the image's caption.

    `frame` is the largest element around the image without text, and `below` the next one.
    """
    if page.tags[below] == "br":
        block = page.blocks[page.parents[frame]]
        starts_with_image = page.text_starts[block] == page.text_starts[frame]
        may_be_caption = page.tags[block] in _CAPTIONED and starts_with_image
    else:
        block, may_be_caption = below, not page.name_words(below).isdisjoint(_CAPTION_NAMES)
    if not may_be_caption or not 0 < page.size(block) <= MAX_TOKENS_BELOW_IMAGE:
        return None
    first, end = page.text_starts[block], page.text_ends[block]
    is_long = page.text_lines[end - 1] > page.text_lines[first] + 1
    is_quote = page.flat.texts[first].lstrip().startswith(_QUOTES)
    is_other = is_long or is_quote or is_teaser(page, block)
    return None if is_other or _is_narrow(page.node(image), MIN_CAPTIONED_WIDTH) else block


def caption_within(page: Outline, index: int, captions: Booleans) -> str | None:
    """Return the first caption within an element; `captions` is the mask from `captions_of`."""
    for below in range(index + 1, page.ends[index])[:MAX_FIGURE_ELEMENTS]:
        if page.tags[below] == "figcaption" or captions[below]:
            return page.text_of(below) or None
    return None


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


def _is_narrow(image: Node, min_width: int = MIN_WIDTH) -> bool:
    """Return whether an image declares a width of fewer pixels than the minimum."""
    width = (image.get("width") or "").strip().removesuffix("px")
    return width.isdecimal() and int(width[:6]) < min_width
