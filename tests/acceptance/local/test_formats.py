"""A run writes the same articles in every format."""

from pathlib import Path

import duckdb
import pandas as pd
import pyarrow.parquet as pq

from detourage.messages import ArticleMessage
from tests.acceptance.command_line import run_command, without_clock, write_messages
from tests.acceptance.local.conftest import Run
from tests.arrow_rows import message_of


def test_parquet_has_the_articles_of_json_lines(run: Run, tmp_path: Path) -> None:
    pages = write_messages(tmp_path / "pages.jsonl", run.bodies)
    table = tmp_path / "articles.parquet"
    run_command(pages, "-o", table)
    found = [message_of(row).to_json() for row in pq.read_table(table).to_pylist()]
    in_utc = [ArticleMessage.in_order(each) for each in run.articles]
    dated = [each for each in (*found, *in_utc) if each["published_at"]]
    assert len(dated) == 2
    for each in dated:
        # The time zone is not stored.
        each["published_at"] = pd.Timestamp(each["published_at"]).tz_convert("UTC")
    assert without_clock(found) == without_clock(in_utc)
    texts = [(each["url"], each["text"]) for each in run.articles]
    assert duckdb.sql(f"SELECT url, text FROM '{table}'").fetchall() == texts
    frame = pd.read_parquet(table)
    assert list(zip(frame["url"], frame["text"], strict=True)) == texts
    assert not list(tmp_path.glob(".*partial"))
