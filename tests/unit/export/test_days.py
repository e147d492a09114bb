from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from detourage.export.days import DESCRIPTION, DayFolder, ExportFolderError
from detourage.export.formats import FILE_FORMATS, FileFormat
from tests.arrow_rows import example

MONDAY, TUESDAY, WEDNESDAY = date(2026, 11, 23), date(2026, 11, 24), date(2026, 11, 25)

Article = tuple[datetime, dict[str, Any]]


def article(day: date, hour: int = 12) -> Article:
    return datetime(day.year, day.month, day.day, hour, tzinfo=UTC), example()


def export(
    path: Path,
    *articles: Article,
    form: FileFormat = "parquet",
    site: str | None = None,
    days: tuple[date, date] = (MONDAY, WEDNESDAY),
) -> dict[date, int]:
    folder = DayFolder(path, form, site)
    with folder.lock():
        return folder.replace(*days, articles)


def files_in(path: Path) -> dict[str, bytes]:
    files = (each for each in path.rglob("*") if each.is_file())
    return {str(each.relative_to(path)): each.read_bytes() for each in files}


@pytest.mark.parametrize("form", FILE_FORMATS)
def test_a_repeated_export_gives_the_same_files(tmp_path: Path, form: FileFormat) -> None:
    path = tmp_path / "made" / "articles"
    articles = [article(MONDAY), article(MONDAY, 13), article(WEDNESDAY)]
    assert export(path, *articles, form=form) == {MONDAY: 2, WEDNESDAY: 1}
    before = files_in(path)
    assert len(before) == 3
    export(path, *articles, form=form)
    assert files_in(path) == before


def test_days_are_columns_of_a_partitioned_table(tmp_path: Path) -> None:
    export(tmp_path, article(MONDAY), article(MONDAY, 13), article(WEDNESDAY))
    query = f"SELECT day, count(*) FROM '{tmp_path}/*/*.parquet' GROUP BY day ORDER BY day"
    assert duckdb.sql(query).fetchall() == [(MONDAY, 2), (WEDNESDAY, 1)]
    assert pd.read_parquet(tmp_path)["day"].to_list() == [str(MONDAY)] * 2 + [str(WEDNESDAY)]


def test_days_are_in_utc(tmp_path: Path) -> None:
    late = datetime(2026, 11, 23, 23, 30, tzinfo=timezone(-timedelta(hours=5)))
    assert export(tmp_path, (late, example())) == {TUESDAY: 1}


def test_only_the_given_days_are_replaced(tmp_path: Path) -> None:
    export(tmp_path, article(MONDAY), article(TUESDAY), article(WEDNESDAY))
    before = files_in(tmp_path)
    assert export(tmp_path, days=(TUESDAY, TUESDAY)) == {}
    removed = {name for name in before if str(TUESDAY) in name}
    assert files_in(tmp_path) == {k: v for k, v in before.items() if k not in removed}
    names = sorted(each.name for each in tmp_path.iterdir())
    assert names == [DESCRIPTION, f"day={MONDAY}", f"day={WEDNESDAY}"]


def test_an_interrupted_export_leaves_whole_days(tmp_path: Path) -> None:
    export(tmp_path, article(MONDAY), article(TUESDAY))
    before = files_in(tmp_path)

    def interrupted() -> Iterator[Article]:
        yield article(MONDAY)
        yield article(MONDAY, 13)
        for _ in range(500):
            yield article(TUESDAY)
        raise KeyboardInterrupt

    folder = DayFolder(tmp_path, "parquet", None)
    with folder.lock(), pytest.raises(KeyboardInterrupt):
        folder.replace(MONDAY, TUESDAY, interrupted())
    after = files_in(tmp_path)
    assert after.keys() == before.keys()
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {f"day={MONDAY}/part-0000.parquet"}


def test_unfinished_files_of_a_killed_export_are_replaced(tmp_path: Path) -> None:
    export(tmp_path, article(MONDAY), article(TUESDAY))
    for day in (MONDAY, TUESDAY):
        (tmp_path / f"day={day}" / ".part-0000.parquet.partial").write_bytes(b"PAR1")
    export(tmp_path, article(MONDAY))
    assert sorted(files_in(tmp_path)) == [DESCRIPTION, f"day={MONDAY}/part-0000.parquet"]


@pytest.mark.parametrize("options", [{"form": "jsonl"}, {"site": "news.example"}])
def test_an_export_with_another_format_or_site_is_refused(tmp_path: Path, options: Any) -> None:
    export(tmp_path, article(MONDAY))
    before = files_in(tmp_path)
    with pytest.raises(ExportFolderError, match=r"use the same --format and --site"):
        export(tmp_path, article(MONDAY), **options)
    assert files_in(tmp_path) == before


def test_two_exports_do_not_write_to_one_folder(tmp_path: Path) -> None:
    with (
        DayFolder(tmp_path, "jsonl", None).lock(),
        pytest.raises(ExportFolderError, match="in use by another export"),
    ):
        export(tmp_path, article(MONDAY), form="jsonl")
    export(tmp_path, article(MONDAY), form="jsonl")
