"""`detourage export` writes the latest articles of a deployment, one file per day."""

import gzip
import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb
import pyarrow.parquet as pq
import pytest
from click.testing import Result
from sqlalchemy import select, update

from detourage.messages import ArticleMessage
from detourage.outcomes import PageOutcome
from models.tables import Article, StoredPage
from tests.arrow_rows import message_from_row
from tests.commands import invoke
from tests.inline_tasks import Tasks
from tests.pages import article_html

MONDAY, TUESDAY = date(2026, 11, 23), date(2026, 11, 24)
NOON = timedelta(hours=12)


@pytest.fixture(autouse=True)
def _published(tasks: Tasks) -> None:
    """Publish three articles on Monday and two on Tuesday, from two sites."""
    for host, seeds in {"a": range(2, 5), "b": range(5, 7)}.items():
        tasks.cluster(tasks.publish(host, [(f"x/{n}", article_html(n)) for n in seeds]))
    tasks.run_all()
    tasks.take_articles()
    with tasks.database.transaction() as session:
        for number, article in enumerate(session.scalars(select(Article).order_by(Article.id))):
            stored_on = MONDAY if number < 3 else TUESDAY
            stored_at = datetime.combine(stored_on, datetime.min.time(), UTC) + NOON
            article.created_at = stored_at + timedelta(seconds=number % 2)


def export(folder: Path, *options: str, since: date = MONDAY, code: int = 0) -> Result:
    return invoke("export", "--since", since, "--to", folder, *options, code=code)


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files below a folder, by relative path."""
    files = (each for each in folder.rglob("*") if each.is_file())
    return {str(each.relative_to(folder)): each.read_bytes() for each in files}


def exported_articles(folder: Path) -> list[ArticleMessage]:
    files = sorted(folder.glob("day=*/part-0000.parquet"))
    return [message_from_row(row) for file in files for row in pq.read_table(file).to_pylist()]


def stored_messages(tasks: Tasks) -> list[Any]:
    return list(tasks.query(select(Article.message).order_by(Article.created_at, Article.id)))


def change_first_page(tasks: Tasks, **values: Any) -> int:
    """Change columns of the page that has the first article, and return the page ID."""
    with tasks.database.transaction() as session:
        first = select(Article.page_id).order_by(Article.created_at, Article.id).limit(1)
        page_id = session.scalars(first).one()
        if values:
            session.execute(update(StoredPage).where(StoredPage.id == page_id).values(**values))
    return page_id


def test_two_exports_give_the_same_files_with_every_article(tasks: Tasks, tmp_path: Path) -> None:
    folder = tmp_path / "articles"
    result = export(folder)
    assert result.stderr == f"5 articles in 2 files in {folder}\n"
    before = files_in(folder)
    assert sorted(before) == [
        "_export.json",
        "day=2026-11-23/part-0000.parquet",
        "day=2026-11-24/part-0000.parquet",
    ]
    assert exported_articles(folder) == [
        ArticleMessage.model_validate(each) for each in stored_messages(tasks)
    ]
    export(folder)
    assert files_in(folder) == before
    query = f"SELECT day, count(*) FROM '{folder}/*/*.parquet' GROUP BY day ORDER BY day"
    assert duckdb.sql(query).fetchall() == [(MONDAY, 3), (TUESDAY, 2)]


def test_json_lines_are_the_messages(tasks: Tasks, tmp_path: Path) -> None:
    export(tmp_path, "--format", "jsonl")
    files = sorted(tmp_path.glob("day=*/part-0000.jsonl.gz"))
    lines = [line for file in files for line in gzip.decompress(file.read_bytes()).splitlines()]
    assert [json.loads(line) for line in lines] == stored_messages(tasks)


def test_a_new_revision_moves_an_article_to_its_own_day(tasks: Tasks, tmp_path: Path) -> None:
    export(tmp_path)
    page_id = change_first_page(tasks, revision=2)
    withdrawn = {"revision": 2, "withdrawn": "2026-11-24T20:00:00Z"}
    with tasks.database.transaction() as session:
        old = session.scalars(select(Article).where(Article.page_id == page_id)).one()
        session.add(
            Article(
                id=uuid4(),
                page_id=page_id,
                revision=2,
                content_digest="",
                message=old.message | withdrawn,
                created_at=old.created_at + timedelta(days=1),
            )
        )
    assert export(tmp_path).stderr.startswith("5 articles in 2 files")
    articles = exported_articles(tmp_path)
    assert [each.revision for each in articles].count(2) == 1
    (revised,) = (each for each in articles if each.withdrawn)
    assert (revised.revision, revised.url) == (2, old.message["url"])
    assert pq.read_metadata(tmp_path / f"day={TUESDAY}" / "part-0000.parquet").num_rows == 3


def test_a_joined_page_is_skipped(tasks: Tasks, tmp_path: Path) -> None:
    change_first_page(tasks, outcome=PageOutcome.JOINED)
    assert export(tmp_path).stderr.startswith("4 articles in 2 files")


def test_an_export_is_limited_to_days_and_a_site(tmp_path: Path) -> None:
    assert export(tmp_path / "1", since=TUESDAY).stderr.startswith("2 articles in 1 file")
    assert export(tmp_path / "2", "--until", f"{MONDAY}").stderr.startswith("3 articles in 1 file")
    late = export(tmp_path / "3", "--until", f"{MONDAY}T23:30:00-01:00")
    assert late.stderr.startswith("5 articles in 2 files")
    site = exported_articles(tmp_path / "1")[0].site
    export(tmp_path / "4", "--site", site)
    assert {each.site for each in exported_articles(tmp_path / "4")} == {site}


def test_the_database_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.store.articles.READ_AT_ONCE", 2)
    assert export(tmp_path).stderr.startswith("5 articles in 2 files")


def test_an_interrupted_export_leaves_no_unfinished_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = ArticleMessage.in_order
    exported: list[Any] = []

    def interrupted(values: Any) -> Any:
        exported.append(values)
        if len(exported) == 5:
            raise KeyboardInterrupt
        return original(values)

    monkeypatch.setattr(ArticleMessage, "in_order", interrupted)
    export(tmp_path, code=130)
    assert sorted(files_in(tmp_path)) == ["_export.json", f"day={MONDAY}/part-0000.parquet"]


def test_an_unknown_site_is_reported_before_anything_is_written(tmp_path: Path) -> None:
    result = export(tmp_path / "articles", "--site", "unknown.example", code=1)
    assert "site 'unknown.example' is unknown" in result.stderr
    assert not (tmp_path / "articles").exists()


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    assert export(tmp_path, code=1).stderr == (
        f"Error: {tmp_path} contains 'notes.txt', which is not part of an export:"
        " choose a new or empty folder\n"
    )
