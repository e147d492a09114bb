"""Things that a page offers: what they cost, and what the page declares them to be."""

import re

from worker.article import whole_page
from worker.article.outline import Outline
from worker.text.texts import Count

PRICE = re.compile(
    r"[$€£¥₹₽₩]\s?\d|\d\s?(?:[€£¥₹₽₩]|(?:usd|eur|gbp|chf|zł|kr|руб)\b)", re.IGNORECASE
)

MAX_PRICE_WORDS = 8
"""Words of a line that tells a price and hardly anything else: "4 offers from $16.14"."""

_THINGS = re.compile(
    r"(?:product|offer|course|jobposting"
    r"|(?:business|childrens|dance|education|exhibition|food|music|social|theater)?event)"
)
"""Types of schema.org, in lower case, of what people buy, go to or apply for."""


def count_offers(page: Outline) -> int:
    """Count the things that a page offers: by its prices or by what it declares, if that is more.

    A price is a line of few words that holds one, or a line that begins with one. A headline that
    tells what a firm was sold for is none.
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
