"""Recognition of menus, which are pages that list other pages: home pages, section fronts etc.

The lines of such a page are linked headlines, with short teasers between them at the same position
in the tree, or with almost nothing between them. No passage is long enough for an article.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from detourage.html.flat import Integers
from detourage.html.urls import absolute, base_of, site_of
from detourage.reader.declared_types import declared_types
from detourage.reader.outline import Outline
from detourage.roles import Kind
from detourage.text.patterns import lazy_pattern
from detourage.text.texts import Count

MIN_HEADLINE_WORDS = 3  # words in a headline; shorter links are navigation, such as "Read more"
MAX_HEADLINE_WORDS = 45  # words in a headline; some sites link a whole article
MIN_LINKED_SHARE = 0.8  # share of linked words in a line that is a headline
MIN_TEASER_WORDS = 5  # words in a teaser; shorter text between headlines is a date or an author
MIN_TEASERS = 6  # teasers at the same position in the tree that form a list
MAX_TEASER_WORDS = 60  # words in a teaser; a longer one is an article
MAX_PROSE_WORDS = 80  # words in text outside lists; a longer text is an article
MIN_TEASERS_TO_PROSE = 4.0  # ratio of words in teasers to words in the longest text outside lists
MIN_HEADLINES_SHARE = 0.6  # share of a page's words that are in headlines if there are no teasers
MIN_HEADLINES_TO_PROSE = 20.0  # ratio of words in headlines to words in the longest other text
MIN_HEADLINES_WORDS = 100  # total number of words in the headlines of a list without teasers
MIN_OFFERS = 6  # offers in a list that belongs to a shop or an event calendar
MIN_OFFERS_TO_HEADLINES = 0.1  # ratio of offers to headlines in such a list
MIN_TEXT_SHARE = 0.6  # share of a page's words in the extracted text, if its list is its content
MIN_PROBABILITY = 0.5  # probability at which a page that looks like a menu counts as one
DECLARED_PROBABILITY = 0.6  # Probability that a declared, dated article is not a menu


def is_menu(page: Outline) -> bool:
    """Return whether a page is a list of other pages, according to its structure.

    A list consists of at least `MIN_TEASERS` teasers: texts that follow headlines, all with the
    same tag path. Prose is text outside lists.
    """
    headlines = _Headlines.of(page)
    # A text longer than `MAX_PROSE_WORDS` rules a menu out, whether or not it is in a list.
    if headlines.words_between.max() > MAX_PROSE_WORDS:
        return False
    paths = number_paths(page)
    # Each text between headlines, with the path of the headline above it: None for the first text.
    headline_paths = [None, *map(paths.__getitem__, headlines.blocks.tolist())]
    texts = [*zip(headline_paths, headlines.words_between.tolist(), strict=True)]
    counts = Counter(path for path, words in texts[1:] if words >= MIN_TEASER_WORDS)
    lists = {path for path, count in counts.items() if count >= MIN_TEASERS}
    teasers = [words for path, words in texts if path in lists and words >= MIN_TEASER_WORDS]
    longest_prose = max((words for path, words in texts if path not in lists), default=0.0)
    longest_teaser = max(teasers, default=0.0)
    has_teasers = bool(teasers) and sum(teasers) >= MIN_TEASERS_TO_PROSE * longest_prose
    has_only_headlines = (
        headlines.words >= MIN_HEADLINES_WORDS
        and headlines.words >= MIN_HEADLINES_SHARE * headlines.page_words
        and headlines.words >= MIN_HEADLINES_TO_PROSE * max(longest_prose, longest_teaser)
    )
    if longest_teaser > MAX_TEASER_WORDS or not (has_teasers or has_only_headlines):
        return False
    offers = count_offers(page)
    return offers < MIN_OFFERS or offers < MIN_OFFERS_TO_HEADLINES * len(headlines.blocks)


def menu_probability(
    page: Outline, url: str, kinds: Mapping[Kind, float], words: float, *, has_posts: bool
) -> float:
    """Return the probability that a page that looks like a menu (`is_menu`) is one.

    It may be a manual, a thread (`has_posts`), a declared article, or an article of links to other
    sites or to anchors on the page. `words` is the word count of its text.
    """
    headlines = _Headlines.of(page)
    other_probabilities = [kinds.get("documentation", 0.0)]
    metas = page.metas
    if metas.get("og:type", "").lower() == "article" and "article:published_time" in metas:
        other_probabilities.append(DECLARED_PROBABILITY)
    if has_posts:
        other_probabilities.append(kinds.get("forum", 0.0))
    if words >= MIN_TEXT_SHARE * headlines.page_words:
        other_probabilities.append(_share_leading_elsewhere(page, headlines, url))
    return 1.0 - max(other_probabilities)


def _share_leading_elsewhere(page: Outline, headlines: "_Headlines", url: str) -> float:
    """Return the share of headlines linked to other sites or to anchors on the page."""
    base, site, own = base_of(page.root, url), site_of(url), url.partition("#")[0]
    hrefs = (page.node(link).get("href") for link in headlines.links.tolist())
    urls = [link_url for href in hrefs if (link_url := absolute(href, base)) is not None]
    elsewhere = sum(
        site_of(link_url) != site or link_url.partition("#")[0] == own for link_url in urls
    )
    return elsewhere / len(urls) if urls and site else 0.0


class _Headlines(NamedTuple):
    """The blocks and links of a page's headlines, and the number of all their words.

    `words_between` are the word counts of the texts before the first headline and after each one.
    """

    blocks: Integers
    links: Integers
    words_between: npt.NDArray[np.float64]
    words: float
    page_words: float

    @classmethod
    def of(cls, page: Outline) -> Self:
        """Find the headlines of a page, and measure the texts between them."""
        if not page.texts:
            none = np.empty(0, dtype=np.int64)
            return cls(none, none, np.zeros(1), 0.0, 0.0)
        # Two characters of a script without spaces count as a word.
        counts = page.text_sizes - page.count_in_texts(Count.UNSPACED) / 2
        links = page.link_numbers[page.text_parents]
        linked = np.flatnonzero(links >= 0)
        linked_counts = np.zeros(len(counts))
        linked_counts[linked] = counts[linked]
        # Cumulative word counts within each link, even if the link spans several lines.
        begins_link = np.diff(links[linked], prepend=-1) != 0
        sums = np.cumsum(counts[linked])
        before_link = (sums - counts[linked])[begins_link]
        words_in_link = np.zeros(len(counts))
        words_in_link[linked] = sums - before_link[np.cumsum(begins_link) - 1]
        starts = page.line_starts
        words = np.add.reduceat(counts, starts)
        linked_words = np.add.reduceat(linked_counts, starts)
        # A line is part of a linked text, not mostly linked, or else a headline.
        is_linked_text = np.maximum.reduceat(words_in_link, starts) > MAX_HEADLINE_WORDS
        is_plain = ~is_linked_text & (linked_words < MIN_LINKED_SHARE * words)
        prose = np.where(is_linked_text, words, np.where(is_plain, words - linked_words, 0.0))
        headlines = np.flatnonzero(~is_linked_text & ~is_plain & (words >= MIN_HEADLINE_WORDS))
        prose_before = np.concatenate([[0.0], np.cumsum(prose)])
        return cls(
            blocks=page.block_numbers[page.text_parents[starts[headlines]]],
            links=np.maximum.reduceat(links, starts)[headlines],
            words_between=np.diff(prose_before[np.concatenate([[0], headlines, [len(prose)]])]),
            words=float(words[headlines].sum()),
            page_words=float(words.sum()),
        )


def number_paths(page: Outline) -> dict[int, int]:
    """Return the number of each block's tag path, such as ``html/body/div/p``, by element."""
    numbers: dict[tuple[int, int], int] = {}
    paths = {-1: -1}
    blocks, blocks_above = page.text_blocks
    tags = page.flat.tag_numbers[blocks].tolist()
    for block, block_above, tag in zip(blocks.tolist(), blocks_above.tolist(), tags, strict=True):
        paths[block] = numbers.setdefault((paths[block_above], tag), len(numbers))
    return paths


# Matches a price such as "$16", "16 €" or "16 USD".
PRICE = lazy_pattern(
    r"[$€£¥₹₽₩]\s?\d|\d\s?(?:[€£¥₹₽₩]|(?:usd|eur|gbp|chf|zł|kr|руб)\b)", re.IGNORECASE
)
MAX_PRICE_WORDS = 8  # words in a line with a price, such as "4 offers from $16.14"

_OFFERED_TYPES = lazy_pattern(
    r"(?:product|offer|course|jobposting"
    r"|(?:business|childrens|dance|education|exhibition|food|music|social|theater)?event)"
)
"""Lower-case schema.org types of things that people buy, attend or apply for."""


def count_offers(page: Outline) -> int:
    """Count the offers on a page: its prices or its declared goods, whichever are more.

    A price must start a line or be in a short line, unlike prices mentioned in headlines.
    """
    declared = sum(_OFFERED_TYPES.fullmatch(name) is not None for name in declared_types(page))
    texts, line_texts = page.tokenised, page.tokenised.line_texts
    word_counts: list[int] = texts.counts[line_texts, Count.TOKENS].tolist()
    lines = map(texts.clean.__getitem__, line_texts.tolist())
    prices = sum(
        PRICE.match(line) is not None
        or (words <= MAX_PRICE_WORDS and PRICE.search(line) is not None)
        for line, words in zip(lines, word_counts, strict=True)
    )
    return max(declared, prices)
