"""jusText (Pomikálek 2011), with or without stop lists."""

from collections.abc import Collection
from functools import cache

from detourage.article import BlockType
from detourage.html.visible_text import visible_text
from detourage.papers.conversion import page_of, text_of
from detourage.papers.interface import Extracted, Neighbours, Source
from detourage.text import words

MIN_COVERAGE = 0.1
"""Minimum share of a page's words in the stop list of its language (measured on DAnIEL pages)."""


def prepare(*, stop_words: bool) -> None:
    """Import the library, and load its stop lists if they are used."""
    import justext  # noqa: F401

    if stop_words:
        _stop_lists()


def extract(source: Source, _neighbours: Neighbours, *, stop_words: bool) -> Extracted:
    """Keep the paragraphs that jusText does not classify as boilerplate.

    With `stop_words`, the stop list that best covers the page is used. Otherwise, or if no list
    matches, jusText uses its language-independent settings.
    """
    from justext import justext

    stop_list = _stop_list_of(source) if stop_words else frozenset[str]()
    options = {} if stop_list else {"stopwords_low": 0, "stopwords_high": 0}
    typed_texts: list[tuple[BlockType, str]] = [
        ("heading" if paragraph.is_heading else "paragraph", paragraph.text)
        for paragraph in justext(text_of(source), stop_list, **options)
        if not paragraph.is_boilerplate
    ]
    return Extracted.from_typed_texts(None, typed_texts)


@cache
def _stop_lists() -> dict[str, frozenset[str]]:
    from justext import get_stoplist, get_stoplists

    return {
        language: frozenset(word.lower() for word in get_stoplist(language))
        for language in sorted(get_stoplists())
    }


def _stop_list_of(source: Source) -> Collection[str]:
    """Return the stop list that best covers a page, or an empty list."""
    body = page_of(source).document.find("body")
    tokens = words.tokens(visible_text(body)) if body is not None else []
    coverage = {
        language: sum(token in stop_list for token in tokens)
        for language, stop_list in _stop_lists().items()
    }
    best = max(coverage, key=coverage.__getitem__)
    return _stop_lists()[best] if coverage[best] > MIN_COVERAGE * len(tokens) else frozenset()
