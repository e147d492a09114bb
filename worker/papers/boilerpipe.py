"""Boilerpipe in its Python port (Kohlschütter, Fankhauser and Nejdl, WSDM 2010)."""

from worker.papers.interface import Extracted, Neighbours, Source
from worker.papers.reading import text_of


def prepare() -> None:
    """Import the library."""
    import boilerpy3.extractors  # noqa: F401


def extract(source: Source, _neighbours: Neighbours) -> Extracted:
    """Apply the article extractor; the text blocks that it keeps become paragraphs."""
    from boilerpy3.extractors import ArticleExtractor

    document = ArticleExtractor().get_doc(text_of(source))
    return Extracted.from_lines(document.title, document.content)
