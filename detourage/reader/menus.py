"""Recognition of menus, which are pages that list other pages: home pages, section fronts etc.

The lines of a menu are linked headlines, with short teasers between them at the same position in
the tree, or with almost nothing between them. No passage is long enough for an article.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from detourage import core
from detourage.html.urls import absolute, base_of, site_of
from detourage.reader.declared_types import declared_types
from detourage.reader.outline import Outline
from detourage.roles import Kind
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.token_counts import Count

MIN_OFFERS = 6  # offers in a list that belongs to a shop or an event calendar
MIN_OFFERS_TO_HEADLINES = 0.1  # ratio of offers to headlines in a list of offers
MIN_TEXT_SHARE = 0.6  # share of a page's words in the extracted text at which a list is the content
MIN_PROBABILITY = 0.5  # probability at which a page that looks like a menu counts as one
DECLARED_PROBABILITY = 0.6  # probability that a declared, dated article is not a menu


class Headlines(NamedTuple):
    """The addresses of the headlines that a page lists, and the number of the page's words."""

    addresses: list[str]
    page_words: float

    @classmethod
    def of(cls, page: Outline) -> "Headlines | None":
        """Return the headlines of a page that lists articles, not offers; None for other pages."""
        sizes, unspaced = page.text_sizes, page.count_in_texts(Count.UNSPACED)
        found = core.headlines(page.document, page.flat.shown, page.text_lines, sizes, unspaced)
        if found is None:
            return None
        offers = count_offers(page)
        has_few = offers < MIN_OFFERS or offers < MIN_OFFERS_TO_HEADLINES * len(found[0])
        return cls(*found) if has_few else None

    def menu_probability(
        self, page: Outline, url: str, kinds: Mapping[Kind, float], words: float, has_posts: bool
    ) -> float:
        """Return the probability that the page with these headlines is a menu.

        The page may instead be a manual, a thread (`has_posts`), a declared article, or an article
        of links to other sites or to its own anchors. `words` counts those in the extracted text.
        """
        others = [kinds.get("documentation", 0.0)]
        metas = page.metas
        if metas.get("og:type", "").lower() == "article" and "article:published_time" in metas:
            others.append(DECLARED_PROBABILITY)
        if has_posts:
            others.append(kinds.get("forum", 0.0))
        if words >= MIN_TEXT_SHARE * self.page_words:
            others.append(self._share_leading_elsewhere(base_of(page.root, url), url))
        return 1.0 - max(others)

    def _share_leading_elsewhere(self, base: str, url: str) -> float:
        """Return the share of headlines linked to other sites or to anchors on the page."""
        site, own = site_of(url), url.partition("#")[0]
        urls = [each for href in self.addresses if (each := absolute(href, base)) is not None]
        elsewhere = sum(site_of(each) != site or each.partition("#")[0] == own for each in urls)
        return elsewhere / len(urls) if urls and site else 0.0


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
