"""Format a page's article for output on the command line."""

from collections.abc import Callable, Mapping

from worker.article.documents import to_html, to_markdown, to_tei
from worker.article.reader import Content
from worker.html import site_name
from worker.text.terminal import json_text


def to_text(content: Content, _url: str, _site: str) -> str:
    """Return the headline and text, with blank lines between paragraphs."""
    article = content.article
    return "\n\n".join(part for part in (article.title, article.text) if part) + "\n"


def to_json(content: Content, url: str, site: str) -> str:
    """Return the article message in schema order, without fields known only to a deployment."""
    # Importing the message contracts takes as long as importing everything else for one page.
    from worker.article.article_values import json_values

    return json_text(json_values(content, url, site)) + "\n"


def to_csv(content: Content, url: str, site: str) -> str:
    """Return a CSV table with a header line and one article."""
    import csv
    import io

    article = content.article
    metadata = article.metadata
    published = metadata.published
    row = {
        "url": url,
        "site": site_name(site),
        "title": article.title,
        "authors": "; ".join(metadata.authors),
        "published_at": published.instant.isoformat() if published else None,
        "language": article.language,
        "kind": metadata.kind,
        "confidence": article.confidence,
        "lead": metadata.lead,
        "text": article.text,
        "comments": len(content.comments),
    }
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerows((row.keys(), row.values()))
    return table.getvalue()


def to_json_feed(content: Content, url: str, site: str) -> str:
    """Return a JSON Feed with the article as its only item."""
    from worker.article.article_values import json_values
    from worker.article.syndication import json_feed, json_feed_item

    item = json_feed_item(json_values(content, url, site))
    return json_text(json_feed([item], site_name(site))) + "\n"


def to_ninjs(content: Content, url: str, site: str) -> str:
    """Return the article as a ninjs object."""
    from worker.article.article_values import json_values
    from worker.article.syndication import ninjs

    return json_text(ninjs(json_values(content, url, site))) + "\n"


FORMATS: Mapping[str, Callable[[Content, str, str], str]] = {
    "text": to_text,
    "markdown": to_markdown,
    "html": to_html,
    "json": to_json,
    "csv": to_csv,
    "xml-tei": to_tei,
    "jsonfeed": to_json_feed,
    "ninjs": to_ninjs,
}
"""Formatters by name; each receives a page's content, URL and site key."""
