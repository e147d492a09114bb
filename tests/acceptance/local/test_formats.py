"""A run writes the same articles in every format."""

from pathlib import Path

import duckdb
import pandas as pd
import pyarrow.parquet as pq

from detourage.messages import ArticleMessage
from examples.sample_crawl import write_crawl
from tests.acceptance.command_line import read_lines, run_command, without_clock
from tests.arrow_rows import message_of


def test_parquet_has_the_articles_of_json_lines(tmp_path: Path) -> None:
    write_crawl(tmp_path, pages_per_template=2, sites=["harbour-post.example"])
    lines, table = tmp_path / "articles.jsonl", tmp_path / "articles.parquet"
    for output in (lines, table):
        done = run_command(tmp_path / "pages.jsonl.gz", "-o", output)
        assert done.exit_code == 0, done.stderr
    expected = read_lines(lines)
    found = [message_of(row).to_json() for row in pq.read_table(table).to_pylist()]
    in_utc = [ArticleMessage.in_order(each) for each in expected]
    for each in (*found, *in_utc):
        # The time zone is not stored.
        each["published_at"] = pd.Timestamp(each["published_at"]).tz_convert("UTC")
    assert without_clock(found) == without_clock(in_utc)
    texts = [(each["url"], each["text"]) for each in expected]
    assert duckdb.sql(f"SELECT url, text FROM '{table}'").fetchall() == texts
    frame = pd.read_parquet(table)
    assert list(zip(frame["url"], frame["text"], strict=True)) == texts
    assert not list(tmp_path.glob(".*partial"))
