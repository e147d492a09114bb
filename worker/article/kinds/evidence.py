"""Evidence for the kind of a page, with one row of features per page."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from worker.article import whole_page
from worker.article.finding import Finding
from worker.article.offers import PRICE
from worker.article.outline import Outline
from worker.article.result import BlockType, Extraction
from worker.article.whole_page import Number
from worker.inference import Features
from worker.text.texts import count_words

COUNTED_TAGS = (
    *("h1", "h2", "h3", "form", "input", "button", "select", "img", "time", "article"),
    *("table", "pre", "code", "li", "iframe", "dl", "nav", "section", "label", "svg"),
)

BLOCK_TYPES: tuple[BlockType, ...] = (
    "paragraph",
    "heading",
    "list_item",
    "quote",
    "table",
    "code",
    "caption",
)


@dataclass(frozen=True)
class Facts:
    """Facts about a page from which its kind is inferred.

    Attributes
    ----------
    page, finding
        The page and its body.
    article
        Main content of the page.
    url
        URL of the page.
    """

    page: Outline
    finding: Finding
    article: Extraction
    url: str


_EVIDENCE = "evidence of the page's kind"


def kind_evidence(facts: Facts) -> Features:
    """Compute the page-kind features, as one row."""
    # Cached because the confidence model needs it too.
    article, features = facts.page.worked_out.get(_EVIDENCE, (None, None))
    if article is not facts.article:
        features = _counted(facts)
        facts.page.worked_out[_EVIDENCE] = facts.article, features
    found: Features = features
    return found


def _counted(facts: Facts) -> Features:
    numbers = [
        *_of_text(facts),
        *_of_page(facts.page),
        *whole_page.of_declarations(facts.page),
        *whole_page.of_address(facts.url),
    ]
    return Features.of((name, [number]) for name, number in numbers)


def _of_text(facts: Facts) -> Iterator[Number]:
    page, article = facts.page, facts.article
    blocks = article.blocks
    sizes = [(block.type, count_words(block.text)) for block in blocks]
    total = sum(size for _, size in sizes)
    counts = Counter(kind for kind, _ in sizes)
    yield "text_words", total
    yield "text_share", total / max(1, len(page.tokens))
    yield "confidence", facts.finding.confidence
    for kind in BLOCK_TYPES:
        of_kind = sum(size for each, size in sizes if each == kind)
        yield f"{kind}_blocks", counts[kind]
        yield f"{kind}_share", of_kind / max(1, total)
    paragraphs = [size for kind, size in sizes if kind == "paragraph"]
    yield "mean_paragraph", float(np.mean(paragraphs)) if paragraphs else 0.0
    yield "longest_paragraph", max(paragraphs, default=0)
    yield "short_paragraphs", sum(size < 12 for size in paragraphs) / max(1, len(paragraphs))
    yield "images", len(article.images)
    yield "embeds", len(article.embeds)
    yield "questions", sum("?" in block.text for block in blocks) / max(1, len(blocks))
    yield "prices_in_text", sum(PRICE.search(block.text) is not None for block in blocks)
    yield "has_author", bool(article.metadata.authors)
    yield "has_date", article.metadata.published is not None


def _of_page(page: Outline) -> Iterator[Number]:
    tokens = len(page.tokens)
    linked = sum(text.size for text in page.texts if page.links[text.parent] >= 0)
    yield "page_words", tokens
    yield "page_texts", len(page.texts)
    yield "page_linked", linked / max(1, tokens)
    yield from whole_page.of_elements(page, COUNTED_TAGS)
    yield "page_prices", sum(PRICE.search(text.text) is not None for text in page.texts)
    yield from whole_page.of_runs(page)
