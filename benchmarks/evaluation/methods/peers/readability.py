"""readability-lxml, a Python port of Arc90's Readability."""

from detourage.papers.conversion import text_of, typed_texts_of
from detourage.papers.interface import Extracted, Neighbours, Source


def prepare() -> None:
    """Import the library before any page is timed."""
    import readability  # noqa: F401


def extract(source: Source, _neighbours: Neighbours) -> Extracted:
    """Render readability's summary of the page."""
    from readability import Document

    document = Document(text_of(source), url=source.url or None)
    summary = document.summary(html_partial=True)
    return Extracted.from_typed_texts(document.short_title(), typed_texts_of(summary, source.url))
