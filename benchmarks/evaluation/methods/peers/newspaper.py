"""newspaper4k, the maintained successor of newspaper3k."""

import warnings

from detourage.papers.conversion import text_of
from detourage.papers.interface import Extracted, Neighbours, Source


def prepare() -> None:
    """Import the library before any page is timed."""
    with warnings.catch_warnings():
        # newspaper warns that summaries and keywords, unused here, need another library.
        warnings.filterwarnings("ignore", message="nltk is not installed")
        import newspaper  # noqa: F401


def extract(source: Source, _neighbours: Neighbours) -> Extracted:
    """Parse the page as an article without fetching anything."""
    prepare()
    from newspaper import Article

    article = Article(source.url or "http://localhost/", fetch_images=False)
    article.download(input_html=text_of(source))
    article.parse()
    date = article.publish_date
    return Extracted.from_lines(
        article.title,
        article.text,
        authors=article.authors,
        date=date.isoformat() if date else None,
    )
