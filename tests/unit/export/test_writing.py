from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from detourage.export.files import OutputError, write_articles
from detourage.export.formats import FILE_FORMATS, FileFormat, format_of
from tests.arrow_rows import example


def articles(number: int) -> list[dict[str, Any]]:
    return [example() | {"canonical": f"https://news.example/{n}"} for n in range(number)]


def test_the_name_implies_the_format() -> None:
    names = ("a.parquet", "a.PARQUET", "a.jsonl", "a.jsonl.gz", "parquet", "a.json")
    assert [format_of(Path(name)) for name in names] == ["parquet"] * 2 + ["jsonl"] * 4


@pytest.mark.parametrize("form", FILE_FORMATS)
def test_an_interrupted_file_leaves_the_previous_one(tmp_path: Path, form: FileFormat) -> None:
    path = tmp_path / "articles"
    write_articles(path, form, articles(1))
    before = path.read_bytes()

    def interrupted() -> Iterator[dict[str, Any]]:
        yield from articles(500)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_articles(path, form, interrupted())
    assert [each.name for each in tmp_path.iterdir()] == ["articles"]
    assert path.read_bytes() == before


@pytest.mark.parametrize("form", FILE_FORMATS)
def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, form: FileFormat) -> None:
    with pytest.raises(OutputError, match="missing/articles cannot be written: "):
        write_articles(tmp_path / "missing" / "articles", form, articles(1))
