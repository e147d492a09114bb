"""Python port of Boilerpipe (Kohlschütter, Fankhauser and Nejdl, WSDM 2010)."""

from detourage.papers.conversion import text_of
from detourage.papers.interface import Extracted, Neighbours, Source


def prepare() -> None:
    """Import the library before the first page is timed."""
    import boilerpy3.extractors  # noqa: F401


def extract(source: Source, _neighbours: Neighbours) -> Extracted:
    """Apply Boilerpipe's article extractor; each text block that it keeps becomes a paragraph."""
    from boilerpy3.extractors import ArticleExtractor

    document = ArticleExtractor().get_doc(text_of(source))
    return Extracted.from_lines(document.title, document.content)
