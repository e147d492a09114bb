"""The body of a page on its own: cleaning, then the densest packet of sentences (paper 003)."""

from collections import defaultdict

from worker.extraction import words
from worker.extraction.finding import Finding
from worker.extraction.names import name_words
from worker.extraction.outline import NO_TEXT, Outline

METHOD = "wutsi"

MIN_CHARACTERS = 20
"""Shortest text node that counts as content (the paper's own figure)."""

CLEANED_TAGS = frozenset({"nav", "header", "footer", "aside", "form"})
"""Elements of no interest; those without text are in `NO_TEXT` already."""

CLEANED_NAMES = frozenset(
    "footer comment comments related nav navbar navigation menu sidebar addthis share sharing "
    "social".split()
)
"""Words of a class or id that name sections of no interest."""

MAX_CLEANED = 0.5
"""An element with a larger share of the page's tokens is never cleaned away: class names such as
``single-post comments-open`` stand on the body itself."""

INLINE = frozenset(
    "a b i u s em strong small big font span abbr acronym cite q sub sup ins del mark tt kbd samp "
    "var time code nobr label bdi bdo dfn ruby rb rt rp wbr strike blink".split()
)
"""Elements within a line: their text belongs to the block around them."""

TEXT_DIVISIONS = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre center figure figcaption".split()
)
"""Blocks that divide a text: the packet is around them."""


def find_body(page: Outline) -> Finding | None:
    """Find the body by counting sentences, without any other page.

    Returns
    -------
    Finding or None
        None for a page without text.
    """
    cleaned = _cleaned(page)
    for dropped, least in ((cleaned, MIN_CHARACTERS), (cleaned, 1), (set[int](), 1)):
        container = _densest(page, dropped, least)
        if container is not None:
            return Finding(METHOD, container, frozenset(dropped))
    return None


def _cleaned(page: Outline) -> set[int]:
    largest = MAX_CLEANED * len(page.tokens)
    cleaned: set[int] = set()
    index = 0
    while index < len(page.elements):
        element = page.elements[index]
        of_no_interest = element.tag in NO_TEXT or (
            (element.tag in CLEANED_TAGS or not CLEANED_NAMES.isdisjoint(name_words(element)))
            and page.size(index) <= largest
        )
        if of_no_interest:
            cleaned.add(index)
        index = page.ends[index] if of_no_interest else index + 1
    return cleaned


def _densest(page: Outline, dropped: set[int], least: int) -> int | None:
    """Return the packet with most sentences; the first of several, None for no text."""
    outside: list[bool] = []
    for index, parent in enumerate(page.parents):
        outside.append(index in dropped or (parent >= 0 and outside[parent]))
    scores: defaultdict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for parent, text in page.texts:
        line = words.clean(text)
        if outside[parent] or len(line) < least:
            continue
        packet = parent
        while page.elements[packet].tag in INLINE and page.parents[packet] >= 0:
            packet = page.parents[packet]
        while page.elements[packet].tag in TEXT_DIVISIONS and page.parents[packet] >= 0:
            packet = page.parents[packet]
        sentences, characters = scores[packet]
        scores[packet] = (sentences + words.count_sentences(line), characters + len(line))
    if not scores:
        return None
    return max(scores, key=lambda packet: (*scores[packet], -packet))
