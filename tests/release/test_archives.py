"""Articles of web archives, extracted without a server by a framework that shuffles the pages."""

import base64
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest

import detourage
from examples.archives import with_dask
from examples.archives.pages import ARTICLES, PAGES, archived_pages, read_batch, read_site
from examples.sample_crawl import generate

SITES = ("harbour-post.example", "courrier-du-val.example")


def warc_record(message: dict[str, Any]) -> bytes:
    """Return a WARC record of an HTTP response."""
    html = base64.b64decode(message["html_base64"])
    http_head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(html)}\r\n\r\n"
    response = http_head.encode() + html
    fields = {
        "WARC-Type": "response",
        "WARC-Target-URI": message["url"],
        "WARC-Date": message["fetched_at"],
        "WARC-Record-ID": f"<urn:uuid:{message['id']}>",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(response)),
    }
    header_lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"WARC/1.1\r\n{header_lines}\r\n".encode() + response + b"\r\n\r\n"


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two archives; each has pages of two sites of the sample crawl."""
    folder = tmp_path_factory.mktemp("archives")
    records = [warc_record(page.message) for page in generate(pages_per_template=2, sites=SITES)]
    paths = [folder / "1.warc", folder / "2.warc"]
    for number, path in enumerate(paths):
        path.write_bytes(b"".join(records[number::2]))
    return paths


def pages_of(archives: list[Path]) -> pa.Table:
    return pa.Table.from_batches([each for path in archives for each in archived_pages(path, 4)])


def rows_by_url(table: pa.Table) -> list[dict[str, Any]]:
    return sorted(table.to_pylist(), key=lambda row: row["url"])


def test_pages_are_read_one_by_one(archives: list[Path]) -> None:
    pages = pages_of(archives)
    assert pages.schema == PAGES
    assert set(pages["site"].to_pylist()) == set(SITES)
    articles = read_batch(pages)
    assert articles.schema == ARTICLES
    for row in rows_by_url(articles)[:3]:
        (page,) = (each for each in pages.to_pylist() if each["url"] == row["url"])
        article = detourage.extract(page["html"], page["url"])
        assert article is not None
        assert article.text == row["text"]


def test_dask_brings_the_pages_of_a_site_together(archives: list[Path], tmp_path: Path) -> None:
    with_dask.main(str(tmp_path / "articles"), *map(str, archives))
    rows = rows_by_url(ds.dataset(tmp_path / "articles").to_table())
    pages = pages_of(archives)
    tables = [read_site(pages.filter(pc.equal(pages["site"], site))) for site in SITES]
    assert rows == rows_by_url(pa.concat_tables(tables))
    assert {row["site"] for row in rows} == set(SITES)
    query = f"SELECT count(DISTINCT url) FROM '{tmp_path}/articles/*.parquet'"
    assert duckdb.sql(query).fetchall() == [(len(rows),)]
