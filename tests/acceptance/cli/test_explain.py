"""The command `detourage explain`."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.acceptance.command_line import detourage, write_messages
from tests.commands import invoke
from tests.pages import article_html, message, paragraphs, site_messages
from tests.web import serving

URL = "https://one.example/a/3"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """File with pages of two sites and one line that is not a message."""
    bodies = [*site_messages("one.example", range(6)), *site_messages("two.example", range(4))]
    return write_messages(tmp_path / "crawl.jsonl", [*bodies, b"no message"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = tmp_path / "pages"
    pages.mkdir()
    for seed in range(5):
        (pages / f"{seed}.html").write_text(article_html(seed))
    return pages


@pytest.fixture
def server_url(folder: Path) -> Iterator[str]:
    """URL of a web server that serves the files in the folder."""

    def answer(path: str) -> tuple[str, bytes] | None:
        file = folder / path.removeprefix("/")
        return ("text/html", file.read_bytes()) if file.is_file() else None

    with serving(answer) as address:
        yield address


explain = partial(invoke, "explain")


def test_a_page_of_a_crawl_is_explained_as_text_html_and_json(crawl: Path, tmp_path: Path) -> None:
    html_file, values_file = tmp_path / "new/page.html", tmp_path / "page.json"
    result = detourage(
        *("explain", crawl, "--url", URL, "--site-pages", crawl),
        *("--html", html_file, "--json", values_file),
    )
    assert result.returncode == 0, result.stderr
    assert "in a group of 6 pages" in result.stdout
    values = json.loads(values_file.read_text())
    assert values["url"] == URL
    assert values["template"]["size"] == 6
    assert values["template"]["compared_with"].startswith("https://one.example/a/")
    assert values["article"]["text"] == "\n\n".join(paragraphs(3))
    kept_lines = [line["text"] for line in values["lines"] if line["verdict"] == "kept"]
    assert kept_lines == paragraphs(3)
    assert {line["role"] for line in values["lines"] if line["verdict"] == "kept"} == {"paragraph"}
    assert " paragraph " in result.stdout
    assert paragraphs(3)[0] in html_file.read_text()


def test_a_file_is_compared_with_a_folder_of_pages_of_its_site(folder: Path) -> None:
    result = explain(folder / "2.html", "--site-pages", folder)
    assert "in a group of 5 pages" in result.stdout


def test_a_file_is_compared_with_subfolders_of_pages_saved_by_hand(folder: Path) -> None:
    for number in range(5):
        subfolder = folder / str(number % 2)
        subfolder.mkdir(exist_ok=True)
        (folder / f"{number}.html").rename(subfolder / f"{number}.html")
    result = explain(folder / "0" / "2.html", "--site-pages", folder)
    assert "in a group of 5 pages" in result.stdout


def test_a_url_is_compared_with_pages_saved_by_hand(folder: Path, server_url: str) -> None:
    result = explain(f"{server_url}/4.html", "--site-pages", folder)
    assert f"{server_url}/4.html" in result.stdout
    assert "in a group of" in result.stdout


def test_a_single_page_is_explained_without_other_pages(folder: Path) -> None:
    result = explain(folder / "1.html", "--url", "https://named.example/1")
    assert "no other page" in result.stdout
    assert "https://named.example/1" in result.stdout


def test_unusable_inputs_are_reported_in_one_line(
    crawl: Path, server_url: str, tmp_path: Path
) -> None:
    image = write_messages(
        tmp_path / "image.jsonl", [message("https://a.example/", "GIF89a and more")]
    )
    for arguments, words in (
        ([crawl], "contains 10 pages: select one with --url"),
        ([f"{server_url}/missing.html"], "the server responded with status 404"),
        ([image], "not-html"),
    ):
        result = explain(*arguments, code=1)
        assert words in result.stderr
        assert len(result.stderr.splitlines()) == 1
