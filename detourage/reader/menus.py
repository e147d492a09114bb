"""Recognition of pages that list other pages: home pages, section fronts, search results and so on.

The lines of such a page are linked headlines, with short teasers between them at the same position
in the tree, or with almost nothing between them. No passage is long enough for an article.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from detourage.html.addresses import absolute, base_of, site_of
from detourage.html.flat import Integers
from detourage.reader.declared_types import declared_types
from detourage.reader.outline import Outline
from detourage.roles import Kind
from detourage.text.texts import Count

MIN_HEADLINE_WORDS = 3  # words in a headline; shorter links are navigation, such as "Read more"
MAX_HEADLINE_WORDS = 45  # words in a headline; some sites link a whole article
MIN_LINKED = 0.8  # share of linked words for a line to count as a link
MIN_TEASER_WORDS = 5  # words in a teaser; shorter text between headlines is a date or an author
MIN_ITEMS = 6  # teasers at the same position in the tree that form a list
MAX_TEASER_WORDS = 60  # words in a teaser; a longer one is an article
MAX_PROSE_WORDS = 80  # words in text outside lists; a longer text is an article
MIN_TEASERS_TO_PROSE = 4.0  # ratio of words in teasers to words in the longest text outside lists
MIN_HEADLINES_SHARE = 0.6  # share of a page's words that are in headlines if there are no teasers
MIN_HEADLINES_TO_PROSE = 20.0  # ratio of words in headlines to words in the longest other text
MIN_HEADLINES_WORDS = 100  # total number of words in the headlines of a list without teasers
MIN_OFFERS = 6  # offers in a list that belongs to a shop or an event calendar
MIN_OFFERS_TO_HEADLINES = 0.1  # ratio of offers to headlines for a list not to be a menu
MIN_READ = 0.6  # share of a page's words in the extracted text for a list to be the page's content
MIN_PROBABILITY = 0.5  # menu probability for a page that looks like a menu to count as one
DECLARED_PROBABILITY = 0.6  # Probability that a declared, dated article is not a menu


def is_menu(page: Outline) -> bool:
    """Return whether a page is a list of other pages, according to its structure.

    A list consists of at least `MIN_ITEMS` teasers: texts that follow headlines, all with the same
    tag path. Prose is text outside lists.
    """
    found = _Stretches.of(page)
    # A text longer than `MAX_PROSE_WORDS` rules a menu out, whether or not it is in a list.
    if found.words.max() > MAX_PROSE_WORDS:
        return False
    paths = number_paths(page)
    # Text before the first headline is not in a list.
    after = [None, *map(paths.__getitem__, found.blocks.tolist())]
    stretches = [*zip(after, found.words.tolist(), strict=True)]
    counts = Counter(path for path, length in stretches[1:] if length >= MIN_TEASER_WORDS)
    lists = {path for path, count in counts.items() if count >= MIN_ITEMS}
    teasers = [length for path, length in stretches if path in lists and length >= MIN_TEASER_WORDS]
    prose = max((length for path, length in stretches if path not in lists), default=0.0)
    longest = max(teasers, default=0.0)
    has_teasers = bool(teasers) and sum(teasers) >= MIN_TEASERS_TO_PROSE * prose
    is_headlines = (
        found.headlines >= MIN_HEADLINES_WORDS
        and found.headlines >= MIN_HEADLINES_SHARE * found.total
        and found.headlines >= MIN_HEADLINES_TO_PROSE * max(prose, longest)
    )
    if longest > MAX_TEASER_WORDS or not (has_teasers or is_headlines):
        return False
    offers = count_offers(page)
    return offers < MIN_OFFERS or offers < MIN_OFFERS_TO_HEADLINES * len(found.blocks)


def menu_probability(
    page: Outline, url: str, kinds: Mapping[Kind, float], words: float, *, has_posts: bool
) -> float:
    """Return the probability that a page that looks like a menu (`is_menu`) is one.

    It may be a manual, a thread (`has_posts`), a declared article, or an article of links to other
    sites or to anchors on the page. `words` is the word count of its text.
    """
    found = _Stretches.of(page)
    others = [kinds.get("documentation", 0.0)]
    metas = page.metas
    if metas.get("og:type", "").lower() == "article" and "article:published_time" in metas:
        others.append(DECLARED_PROBABILITY)
    if has_posts:
        others.append(kinds.get("forum", 0.0))
    if words >= MIN_READ * found.total:
        others.append(_share_leading_elsewhere(page, found, url))
    return 1.0 - max(others)


def _share_leading_elsewhere(page: Outline, found: "_Stretches", url: str) -> float:
    """Return the share of headlines linked to other sites or to anchors on the page."""
    base, site, own = base_of(page.root, url), site_of(url), url.partition("#")[0]
    hrefs = (page.node(link).get("href") for link in found.links.tolist())
    addresses = [address for href in hrefs if (address := absolute(href, base)) is not None]
    elsewhere = sum(
        site_of(address) != site or address.partition("#")[0] == own for address in addresses
    )
    return elsewhere / len(addresses) if addresses and site else 0.0


class _Stretches(NamedTuple):
    """The blocks and links of a page's headlines, and the words before the first and after each.

    `headlines` and `total` are the word counts of all headlines and of the page.
    """

    blocks: Integers
    links: Integers
    words: npt.NDArray[np.float64]
    headlines: float
    total: float

    @classmethod
    def of(cls, page: Outline) -> Self:
        """Find the headlines of a page, and measure the texts between them."""
        if not page.texts:
            none = np.empty(0, dtype=np.int64)
            return cls(none, none, np.zeros(1), 0.0, 0.0)
        counts = page.text_sizes - page.count_in_texts(Count.UNSPACED) / 2
        links = page.link_numbers[page.text_parents]
        linked = np.flatnonzero(links >= 0)
        in_links = np.zeros(len(counts))
        in_links[linked] = counts[linked]
        # Cumulative word counts within each link, even if the link spans several lines.
        is_other = np.diff(links[linked], prepend=-1) != 0
        sums = np.cumsum(counts[linked])
        before = (sums - counts[linked])[is_other]
        so_far = np.zeros(len(counts))
        so_far[linked] = sums - before[np.cumsum(is_other) - 1]
        starts = page.line_starts
        words = np.add.reduceat(counts, starts)
        linked_words = np.add.reduceat(in_links, starts)
        is_text = np.maximum.reduceat(so_far, starts) > MAX_HEADLINE_WORDS
        is_plain = ~is_text & (linked_words < MIN_LINKED * words)
        prose = np.where(is_text, words, np.where(is_plain, words - linked_words, 0.0))
        headlines = np.flatnonzero(~is_text & ~is_plain & (words >= MIN_HEADLINE_WORDS))
        sums = np.concatenate([[0.0], np.cumsum(prose)])
        return cls(
            page.block_numbers[page.text_parents[starts[headlines]]],
            np.maximum.reduceat(links, starts)[headlines],
            np.diff(sums[np.concatenate([[0], headlines, [len(prose)]])]),
            float(words[headlines].sum()),
            float(words.sum()),
        )


def number_paths(page: Outline) -> dict[int, int]:
    """Assign a number to every tag path from the root, omitting inline elements."""
    numbers: dict[tuple[int, int], int] = {}
    paths = {-1: -1}
    blocks = page.block_numbers
    chosen = np.flatnonzero(page.has_text & (blocks == np.arange(len(blocks))))
    parents = page.flat.parents[chosen]
    above = np.where(parents < 0, -1, blocks[parents]).tolist()
    tags = page.flat.tag_numbers[chosen].tolist()
    for index, around, tag in zip(chosen.tolist(), above, tags, strict=True):
        paths[index] = numbers.setdefault((paths[around], tag), len(numbers))
    return paths


PRICE = re.compile(
    r"[$€£¥₹₽₩]\s?\d|\d\s?(?:[€£¥₹₽₩]|(?:usd|eur|gbp|chf|zł|kr|руб)\b)", re.IGNORECASE
)

MAX_PRICE_WORDS = 8  # words in a line with a price, such as "4 offers from $16.14"

_THINGS = re.compile(
    r"(?:product|offer|course|jobposting"
    r"|(?:business|childrens|dance|education|exhibition|food|music|social|theater)?event)"
)
"""Lower-case schema.org types of things that people buy, attend or apply for."""


def count_offers(page: Outline) -> int:
    """Count the offers on a page: its prices or its declared goods, whichever are more.

    A price must start a line or be in a short line, unlike prices mentioned in headlines.
    """
    declared = sum(_THINGS.fullmatch(kind) is not None for kind in declared_types(page))
    found, of_lines = page.tokenised.texts, page.tokenised.of_lines
    sizes: list[int] = found.counts[of_lines, Count.TOKENS].tolist()
    texts = map(found.clean.__getitem__, of_lines.tolist())
    prices = sum(
        PRICE.match(text) is not None
        or (size <= MAX_PRICE_WORDS and PRICE.search(text) is not None)
        for text, size in zip(texts, sizes, strict=True)
    )
    return max(declared, prices)
