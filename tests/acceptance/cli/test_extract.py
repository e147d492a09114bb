"""`detourage extract`, as a person uses it."""

import codecs
import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from models.messages import ArticleMessage
from tests.acceptance.command_line import BARE, DETOURAGE, SHELL, detourage, write_messages
from tests.pages import article_html, message, paragraphs, site_messages
from worker.cli import main

TITLE = "<title>A * story</title>"
PAGE = f"""<html lang="en"><head>{TITLE}</head><body><article><h1>A * story</h1>
<p>{paragraphs(3)[0]}</p><h2>What_is _known_</h2><p>{paragraphs(3)[1]}</p>
<ul><li>The first of the things that were said &amp; done by the council on that day.</li>
<li>The second of the things that were said and done by the council on that day.</li></ul>
<p>{paragraphs(3)[2]}</p></article></body></html>"""


def extract(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["extract", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    return path


def test_the_text_is_written_by_default(page: Path) -> None:
    done = extract(page)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("A * story\n\n")
    for paragraph in paragraphs(3)[:3]:
        assert f"\n\n{paragraph}\n" in done.stdout


def test_markdown_has_marks_for_blocks_and_none_from_the_text(page: Path) -> None:
    lines = extract(page, "--format", "markdown").stdout.splitlines()
    assert lines[0] == "# A \\* story"
    assert "## What\\_is \\_known\\_" in lines
    [first, second] = [line for line in lines if line.startswith("- ")]
    assert lines.index(second) == lines.index(first) + 1


def test_html_has_elements_for_blocks(page: Path) -> None:
    html = extract(page, "--format", "html", "--url", "https://a.example/?a&b").stdout
    assert '<html lang="en">' in html
    assert 'href="https://a.example/?a&amp;b"' in html
    assert "<h2>What_is _known_</h2>" in html
    assert "<ul><li>The first of the things that were said &amp; done" in html


def test_json_has_the_keys_of_the_article_message_in_their_order(page: Path) -> None:
    found = json.loads(extract(page, "--format", "json", "--url", "https://news.a.com/1").stdout)
    needs_deployment = {"id", "revision", "page_id", "fetched_at", "template", "extracted_at"}
    needs_deployment |= {"story", "canonical", "variants"}
    assert list(found) == [k for k in ArticleMessage.model_fields if k not in needs_deployment]
    assert found["url"] == "https://news.a.com/1"
    assert found["site"] == "a.com"
    assert all(found["text"][b["start"] : b["end"]] == b["text"] for b in found["blocks"])


@pytest.mark.parametrize("kind", ["html", "messages"])
def test_standard_input_holds_a_page_or_messages(tmp_path: Path, kind: str) -> None:
    bodies = site_messages("one.example", range(5))
    crawl = write_messages(tmp_path / "pages.jsonl", bodies)
    given = article_html(3) if kind == "html" else crawl.read_text()
    url = "https://one.example/a/3"
    done = detourage("extract", "-", "--url", url, "--site-pages", crawl, given=given)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("\n\n".join(paragraphs(3)) + "\n")


def test_a_byte_order_mark_before_a_message_is_ignored(tmp_path: Path) -> None:
    body = message("https://one.example/a/3", article_html(3))
    marked = codecs.BOM_UTF8 + body
    pages = write_messages(tmp_path / "pages.jsonl", [body, marked])
    pages.write_bytes(codecs.BOM_UTF8 + pages.read_bytes())
    whole = extract(pages, "--url", "https://one.example/a/3")
    assert whole.exit_code == 0, whole.stderr
    done = detourage("extract", "-", given=marked.decode())
    assert (done.returncode, done.stdout) == (0, whole.stdout)


@pytest.mark.parametrize(
    ("html", "outcome"),
    [(SHELL, "needs-rendering"), ("GIF89a and more", "not-html"), ("", "empty")],
)
def test_a_page_without_an_article_is_told_in_one_line(page: Path, html: str, outcome: str) -> None:
    page.write_text(html)
    done = extract(page)
    assert (done.exit_code, done.stdout) == (1, "")
    assert f": {outcome}: " in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_no_library_of_services_is_waited_for(page: Path) -> None:
    program = (
        "import sys; from worker.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [DETOURAGE[0], "-c", program, "extract", str(page)],
        env=BARE,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    slow = {"celery", "kombu", "psycopg2", "pydantic_settings", "requests", "rich", "scipy"}
    slow |= {"sklearn", "sqlalchemy", "worker.extraction.metadata.chinese"}
    assert slow.isdisjoint(done.stderr.split())
