"""Pages of web archives as Arrow tables, and their articles, for any framework.

All functions are pure, apart from reading the archive, and need no server. `archived_pages` reads a
WARC file. `read_batch` extracts the articles of pages one by one. `read_site` extracts the articles
of all pages of a site by comparing the pages with each other. This is more accurate, but the
framework must first bring the pages of a site together.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa

import detourage
from detourage.html import site_of

PAGES = pa.schema(
    [
        ("site", pa.string()),
        ("url", pa.string()),
        ("html", pa.binary()),
        ("content_type", pa.string()),
        ("fetched_at", pa.timestamp("us", tz="UTC")),
    ]
)
ARTICLES = detourage.arrow_schema()

MAX_SITE_PAGES = 300
"""Maximum number of pages that are grouped at a time, because time and memory grow with the square
of this number."""


def archived_pages(path: str | Path, rows: int = 200) -> Iterator[pa.RecordBatch]:
    """Yield the pages of a WARC file, or of another file that Détourage can read.

    Each batch has at most `rows` pages, which bounds its use of memory.
    """
    pages = detourage.load_pages(path)
    while chunk := list(islice(pages, rows)):
        yield pa.RecordBatch.from_pylist(
            [
                {
                    "site": site_of(page.url),
                    "url": page.url,
                    "html": page.html.encode() if isinstance(page.html, str) else page.html,
                    "content_type": page.content_type,
                    "fetched_at": page.fetched_at,
                }
                for page in chunk
            ],
            schema=PAGES,
        )


def read_batch(batch: pa.RecordBatch | pa.Table) -> pa.Table:
    """Return the articles of pages, each read on its own; omit pages without an article."""
    return _article_table(detourage.extract_many(_pages(batch)))


def read_site(batch: pa.RecordBatch | pa.Table) -> pa.Table:
    """Return the articles of the pages of one site, which are compared with each other."""
    pages = list(_pages(batch))
    tables = [
        _article_table(detourage.Site(pages[start : start + MAX_SITE_PAGES]).read())
        for start in range(0, len(pages), MAX_SITE_PAGES)
    ]
    return pa.concat_tables(tables) if tables else ARTICLES.empty_table()


def _pages(batch: pa.RecordBatch | pa.Table) -> Iterator[detourage.Page]:
    # The order in which a shuffle delivers pages is arbitrary.
    for row in sorted(batch.to_pylist(), key=lambda row: row["url"]):
        yield detourage.Page(row["html"], row["url"], row["content_type"], row["fetched_at"])


def _article_table(results: Iterator[detourage.Result]) -> pa.Table:
    return detourage.to_arrow(each.article for each in results if each.article is not None)
