import sys
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow.parquet as pq
import pytest

import detourage
from detourage.expected_errors import MissingExtraError
from detourage.export import arrow
from detourage.export.arrow import article_schema, write_parquet
from detourage.export.output_files import write_articles
from detourage.messages import ArticleMessage
from tests.arrow_rows import example, message_from_row
from tests.pages import article_html

HUGE = 10**30  # an integer that JSON and PostgreSQL can store but Arrow cannot


def keys_of(value: Any, path: str = "") -> set[str]:
    """Return the paths of all keys of a value, except those of locations, which are arrays."""
    if isinstance(value, list):
        return {path}.union(*(keys_of(each, path) for each in value))
    if not isinstance(value, dict):
        return {path}
    values = ((f"{path}.{key}", each) for key, each in value.items() if key != "texts")
    return {path}.union(*(keys_of(each, inner_path) for inner_path, each in values))


def test_a_message_with_every_key_survives_without_other_columns(tmp_path: Path) -> None:
    values = example()
    assert write_parquet(tmp_path / "articles.parquet", [values, values]) == 2
    rows = pq.read_table(tmp_path / "articles.parquet").to_pylist()
    message = ArticleMessage.model_validate(values)
    assert [message_from_row(row) for row in rows] == [message, message]
    assert keys_of(rows[0]) == keys_of(values)
    assert article_schema().metadata[b"detourage.contract_version"] == b"1"


def test_hostile_values_survive_or_become_null(tmp_path: Path) -> None:
    values = example() | {
        "title": "NUL \x00 and a lone \ud800 surrogate, and a pair \ud83d\ude00",
        "text": "\u2028" * 3 + "\x1b[31m",
        "revision": HUGE,
        "page_id": "",
        "authors": [],
        "published_at": "9999-12-31T23:59:59-05:00",
        "fetched_at": "9999-12-31T23:59:59Z",
        "extracted_at": "0001-01-01T00:00:00Z",
        "withdrawn": "not a time",
    }
    values["comments"][0] |= {"votes": -HUGE, "parent": 2**63}
    path = tmp_path / "articles.parquet"
    write_parquet(path, [values])
    (row,) = pq.read_table(path).to_pylist()
    assert row["title"] == "NUL \x00 and a lone � surrogate, and a pair 😀"
    assert row["text"] == values["text"]
    assert (row["revision"], row["published_at"], row["withdrawn"]) == (None, None, None)
    assert (row["fetched_at"].year, row["extracted_at"].year) == (9999, 1)
    assert (row["page_id"], row["authors"]) == ("", [])
    assert (row["comments"][0]["votes"], row["comments"][0]["parent"]) == (None, None)
    (found,) = duckdb.sql(
        f"SELECT title, year(fetched_at AT TIME ZONE 'UTC') FROM '{path}'"
    ).fetchall()
    assert found == (row["title"], 9999)
    assert pd.read_parquet(path)["title"].to_list() == [row["title"]]


def test_row_groups_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "ROW_GROUP_BYTES", 100_000)
    path = tmp_path / "articles.parquet"
    total = 500
    messages = (example() | {"revision": n, "text": f"{n} " * 1000} for n in range(total))
    assert write_parquet(path, messages) == total
    file = pq.ParquetFile(path)
    assert file.num_row_groups > total / arrow.BATCH_MESSAGES / 2
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert file.read(["revision"])["revision"].to_pylist() == list(range(total))


def test_a_file_without_articles_has_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "articles.parquet"
    assert write_parquet(path, []) == 0
    assert pq.read_schema(path) == article_schema()
    assert duckdb.sql(f"SELECT count(*) FROM '{path}'").fetchall() == [(0,)]


def test_articles_of_the_python_api_become_a_table() -> None:
    html = [(article_html(n), f"https://news.example/{n}") for n in range(2)]
    articles = [each.article for each in detourage.extract_many(html) if each.article]
    table = detourage.to_arrow(articles)
    assert table.schema == detourage.arrow_schema() == article_schema()
    assert table["text"].to_pylist() == [each.text for each in articles]
    assert table["id"].null_count == len(articles) == 2


def test_the_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "articles.parquet"
    with pytest.raises(MissingExtraError, match=r"pip install 'detourage\[arrow\]'"):
        write_articles(path, "parquet", [])
    with pytest.raises(ImportError, match=r"pip install 'detourage\[arrow\]'"):
        detourage.to_arrow([])
    assert not list(tmp_path.iterdir())
