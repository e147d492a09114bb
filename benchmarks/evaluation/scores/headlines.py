"""Detection of the headline at the start of a gold text, to prefix every method's text with it."""

from collections.abc import Iterable

from lxml.html import HtmlElement

from benchmarks.evaluation.scores.records import HEADING, Gold, TextBlock
from benchmarks.evaluation.scores.words import words

_TITLE_ELEMENTS = "//title | //h1 | //h2 | //h3"  # XPath of elements that may show the headline
_TITLE_METADATA = "//meta[@property='og:title']/@content"


def headline_of(gold: Gold, document: HtmlElement) -> TextBlock | None:
    """Return the headline at the start of a gold text, or None if the text does not begin with it.

    The headline is the title in the gold record. If the record has none, it is the text's first
    line, provided that the page shows or declares that line as a title. Its type is that of the
    text's first segment.
    """
    if not gold.title_in_text or not gold.text:
        return None
    first_line = next((line.strip() for line in gold.text.splitlines() if line.strip()), "")
    block_type = gold.blocks[0].type if gold.blocks else HEADING
    all_words = words(gold.text)
    if gold.title:
        title = words(gold.title)
        return (
            TextBlock(block_type, gold.title)
            if title and all_words[: len(title)] == title
            else None
        )
    title = words(first_line)
    if title and any(_contains_words(words(shown), title) for shown in _titles(document)):
        return TextBlock(block_type, first_line)
    return None


def _titles(document: HtmlElement) -> Iterable[str]:
    for element in document.xpath(_TITLE_ELEMENTS):
        yield "".join(element.itertext())
    yield from document.xpath(_TITLE_METADATA)


def _contains_words(shown: list[str], title: list[str]) -> bool:
    """Return whether a displayed title contains the words, as in "Headline - Site"."""
    return any(
        shown[start : start + len(title)] == title for start in range(len(shown) - len(title) + 1)
    )
