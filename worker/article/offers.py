"""Count the offers on a page: its prices, or the goods that it declares."""

import re

from worker.article import whole_page
from worker.article.outline import Outline
from worker.text.texts import Count

PRICE = re.compile(
    r"[$€£¥₹₽₩]\s?\d|\d\s?(?:[€£¥₹₽₩]|(?:usd|eur|gbp|chf|zł|kr|руб)\b)", re.IGNORECASE
)

MAX_PRICE_WORDS = 8
"""Maximum number of words in a line with a price, such as "4 offers from $16.14"."""

_THINGS = re.compile(
    r"(?:product|offer|course|jobposting"
    r"|(?:business|childrens|dance|education|exhibition|food|music|social|theater)?event)"
)
"""schema.org types, in lower case, of things that people buy, attend or apply for."""


def count_offers(page: Outline) -> int:
    """Count the offers on a page, which are its prices, or its declared goods if there are more.

    Prices count if they are in a short line or at the start of a line. This excludes headlines that
    mention the price at which a company was sold.
    """
    declared = sum(_THINGS.fullmatch(kind) is not None for kind in whole_page.declared_types(page))
    return max(declared, _count_prices(page))


def _count_prices(page: Outline) -> int:
    said = page.said.texts
    sizes = said.counts[page.said.of_lines, Count.TOKENS].tolist()
    texts = map(said.clean.__getitem__, page.said.of_lines.tolist())
    return sum(
        PRICE.match(text) is not None
        or (size <= MAX_PRICE_WORDS and PRICE.search(text) is not None)
        for text, size in zip(texts, sizes, strict=True)
    )
