import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from detourage.export.formats import FILE_FORMATS, FileFormat, format_of
from detourage.export.output_files import (
    GrowingFile,
    OutputError,
    open_replacement,
    write_articles,
    write_lines,
)
from tests.arrow_rows import example

NAMES = ("articles.jsonl", "articles.jsonl.gz")


def records(*numbers: int) -> list[dict[str, Any]]:
    return [{"n": number} for number in numbers]


def read_records(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [json.loads(line) for line in text.splitlines()]


def add_record(path: Path, number: int) -> None:
    with closing(GrowingFile(path)) as file:
        file.add(records(number))


@pytest.mark.parametrize("name", NAMES)
def test_added_lines_are_readable_immediately(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with closing(GrowingFile(path)) as file:
        file.add(records(1, 2))
        assert read_records(path) == records(1, 2)
        file.add(records(3))
        assert read_records(path) == records(1, 2, 3)


def test_a_previous_file_is_kept_until_there_is_new_content(tmp_path: Path) -> None:
    path = tmp_path / "articles.jsonl"
    path.write_text('{"n": 0}\n')
    with closing(GrowingFile(path)) as file:
        file.add([])
        assert read_records(path) == records(0)
        file.add(records(1))
        assert read_records(path) == records(1)


@pytest.mark.parametrize("name", NAMES)
def test_the_complete_file_replaces_the_growing_one(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    contents = []
    for _ in range(2):
        add_record(path, 2)
        with open_replacement(path) as stream:
            assert write_lines(stream, records(1, 2)) == 2
            assert read_records(path) == records(2)
        contents.append(path.read_bytes())
    assert read_records(path) == records(1, 2)
    assert contents[0] == contents[1]
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_written_to_the_target_of_a_symlink(tmp_path: Path) -> None:
    target = tmp_path / "disk" / "articles.jsonl"
    target.parent.mkdir()
    link = tmp_path / "link.jsonl"
    link.symlink_to(target)
    add_record(link, 1)
    assert read_records(target) == records(1)
    with open_replacement(link) as stream:
        write_lines(stream, records(2))
    assert (link.is_symlink(), read_records(target)) == (True, records(2))


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
