"""Resiliparse (Bevendorff, Potthast and Stein), the extractor of the ChatNoir search engine."""

from detourage.papers.conversion import text_of
from detourage.papers.interface import Extracted, Neighbours, Source


def prepare() -> None:
    """Import the library before any page is timed."""
    import resiliparse.extract.html2text  # noqa: F401


def extract(source: Source, _neighbours: Neighbours) -> Extracted:
    """Return the main content as plain text, without generated text such as bullets."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    tree = HTMLTree.parse(text_of(source))
    title = tree.title
    text = extract_plain_text(
        tree, main_content=True, comments=False, alt_texts=False, list_bullets=False
    )
    return Extracted.from_lines(title, text)
