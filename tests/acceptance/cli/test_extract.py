"""The command `detourage extract`."""

import gzip
import json
import os
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from detourage.messages import ArticleMessage
from tests.acceptance.command_line import (
    APP_SHELL,
    BARE_ENVIRONMENT,
    DETOURAGE,
    SCRIPT,
    SCRIPT_ENVIRONMENT,
    detourage,
    write_messages,
    write_project,
)
from tests.commands import invoke
from tests.pages import article_html, message, paragraphs, site_messages

TITLE = "<title>A * story</title>"
PAGE = f"""<html lang="en"><head>{TITLE}</head><body><article><h1>A * story</h1>
<p>{paragraphs(3)[0]}</p><h2>What_is _known_</h2><p>{paragraphs(3)[1]}</p>
<ul><li>The first of the things that were said &amp; done by the council on that day.</li>
<li>The second of the things that were said and done by the council on that day.</li></ul>
<p>{paragraphs(3)[2]}</p></article></body></html>"""

extract = partial(invoke, "extract")


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    return path


def test_the_text_is_written_by_default(page: Path) -> None:
    result = extract(page)
    assert result.stdout.startswith("A * story\n\n")
    for paragraph in paragraphs(3)[:3]:
        assert f"\n\n{paragraph}\n" in result.stdout


def test_markdown_marks_up_blocks_and_escapes_their_text(page: Path) -> None:
    lines = extract(page, "--format", "markdown").stdout.splitlines()
    assert lines[0] == "# A \\* story"
    assert "## What\\_is \\_known\\_" in lines
    [first, second] = [line for line in lines if line.startswith("- ")]
    assert lines.index(second) == lines.index(first) + 1


def test_html_has_an_element_for_each_block(page: Path) -> None:
    html = extract(page, "--format", "html", "--url", "https://a.example/?a&b").stdout
    assert '<html lang="en">' in html
    assert 'href="https://a.example/?a&amp;b"' in html
    assert "<h2>What_is _known_</h2>" in html
    assert "<ul><li>The first of the things that were said &amp; done" in html


def test_json_has_the_keys_of_the_article_message_in_order(page: Path) -> None:
    found = json.loads(extract(page, "--format", "json", "--url", "https://news.a.com/1").stdout)
    needs_deployment = {"id", "revision", "page_id", "fetched_at", "template", "extracted_at"}
    needs_deployment |= {"received_at", "canonical", "variants", "withdrawn"}
    assert list(found) == [k for k in ArticleMessage.model_fields if k not in needs_deployment]
    assert found["url"] == "https://news.a.com/1"
    assert found["site"] == "a.com"
    assert all(found["text"][b["start"] : b["end"]] == b["text"] for b in found["blocks"])


@pytest.mark.parametrize("kind", ["html", "messages"])
def test_standard_input_may_be_a_page_or_messages(tmp_path: Path, kind: str) -> None:
    bodies = site_messages("one.example", range(5))
    crawl = write_messages(tmp_path / "pages.jsonl", bodies)
    content = article_html(3) if kind == "html" else crawl.read_text()
    url = "https://one.example/a/3"
    result = detourage("extract", "-", "--url", url, "--site-pages", crawl, stdin=content)
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("\n\n".join(paragraphs(3)) + "\n")


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        (APP_SHELL, "needs-rendering: "),
        ("GIF89a and more", "not-html: "),
        ("<p></p>", "empty: it has no visible content"),
    ],
)
def test_pages_without_articles_are_reported_in_one_line(
    page: Path, html: str, reason: str
) -> None:
    page.write_text(html)
    result = extract(page, code=1)
    assert result.stdout == ""
    assert result.stderr.startswith(f"Error: {page}: {reason}")
    assert len(result.stderr.splitlines()) == 1


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """File of pages with articles, and of one page without an article and one malformed line."""
    bodies = site_messages("one.example", range(6))
    bodies[2:2] = [message("https://one.example/app", APP_SHELL), b"{broken"]
    return write_messages(tmp_path / "pages.jsonl", bodies)


def test_several_pages_are_written_as_json_lines_in_input_order(page: Path, crawl: Path) -> None:
    result = extract(page, "missing.html", crawl, "ftp://a.example/", "--processes", "1", code=1)
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each.get("outcome") for each in found[:5]] == [*[None] * 4, "needs-rendering"]
    assert found[0]["title"] == "A * story"
    assert [each["url"] for each in found[1:6]] == [
        "missing.html",
        "https://one.example/a/0",
        "https://one.example/a/1",
        "https://one.example/app",
        f"{crawl}, message 4",
    ]
    assert set(found[1]) == set(found[4]) == {"url", "outcome", "reason"}
    assert found[5]["reason"].startswith("not-json: ")
    assert found[-1]["reason"] == "only http and https URLs are supported"
    *named, last = result.stderr.splitlines()
    names = ("missing.html: ", "https://one.example/app: ", f"{crawl}, message 4: ", "ftp:")
    assert [a.startswith(b) for a, b in zip(named, names, strict=True)] == [True] * 4
    assert last == "Error: 4 of 11 pages without an article"


def test_documents_are_separated_by_lines_with_their_urls(crawl: Path) -> None:
    result = extract(crawl, "--format", "markdown", "--processes", "1", code=1)
    separators = [line for line in result.stdout.splitlines() if line.startswith("==>")]
    assert separators == [f"==> https://one.example/a/{n} <==" for n in range(6)]


@pytest.mark.parametrize(("form", "suffix"), [("json", "json"), ("text", "txt"), ("html", "html")])
def test_each_document_has_its_file(crawl: Path, tmp_path: Path, form: str, suffix: str) -> None:
    folder = tmp_path / "made" / "articles"
    result = extract(crawl, "--format", form, "--output-dir", folder, "--processes", "1", code=1)
    assert result.stdout == ""
    names = sorted(each.name for each in folder.iterdir())
    positions = (1, 2, 5, 6, 7, 8)
    assert names == [
        f"{position:06}-one.example-a-{n}.{suffix}" for n, position in enumerate(positions)
    ]
    single = extract(crawl, "--url", "https://one.example/a/0", "--format", form)
    assert (folder / names[0]).read_text() == single.stdout


def test_the_output_is_written_to_a_file(page: Path, crawl: Path, tmp_path: Path) -> None:
    for arguments, code in ([page], 0), ([page, crawl, "--processes", "1"], 1):
        to_stdout = extract(*arguments, code=code)
        to_file = extract(*arguments, "-o", tmp_path / "made" / "articles", code=code)
        assert (tmp_path / "made" / "articles").read_text() == to_stdout.stdout
        assert to_file.stdout == ""


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.txt", "text"), ("a.md", "markdown"), ("a.HTML", "html"), ("a.htm", "html"), ("a", "text")],
)
def test_the_suffix_of_the_output_sets_its_format(page: Path, form: str, name: str) -> None:
    output = page.with_name(f"out-{name}")
    extract(page, "-o", output)
    assert output.read_text() == extract(page, "--format", form).stdout
    extract(page, "-o", output, "--format", "json")
    assert json.loads(output.read_text())["title"] == "A * story"


def test_json_lines_have_one_line_per_page_and_may_be_compressed(page: Path) -> None:
    document = extract(page, "--format", "json").stdout
    for name in ("out.json", "out.jsonl", "out.jsonl.gz"):
        output = page.with_name(name)
        extract(page, "-o", output)
        content = output.read_bytes()
        text = (gzip.decompress(content) if name.endswith(".gz") else content).decode()
        assert text == document or ".jsonl" in name
        assert json.loads(text) == json.loads(document)
        assert text.count("\n") == 1 or name == "out.json"


def test_parquet_is_refused_with_advice(page: Path) -> None:
    result = extract(page, "-o", page.with_name("a.parquet"), code=2)
    assert "`detourage run` writes Parquet" in result.stderr
    assert not page.with_name("a.parquet").exists()


def test_the_files_and_subfolders_of_a_folder_are_kept(tmp_path: Path) -> None:
    names = ("a.html", "2024/a.html", "2024/a.htm", "2024/b.html.gz")
    for name in names:
        (tmp_path / "pages" / name).parent.mkdir(parents=True, exist_ok=True)
        content = gzip.compress(PAGE.encode()) if name.endswith(".gz") else PAGE.encode()
        (tmp_path / "pages" / name).write_bytes(content)
    (tmp_path / "pages" / "\x1b[2J.bin").write_text("no page")
    out = tmp_path / "articles"
    options = ("--output-dir", out, "--keep-dirs", "--format", "markdown", "--processes", "1")
    assert r"\x1b[2J.bin" in extract(tmp_path / "pages", *options).stderr
    found = sorted(str(each.relative_to(out)) for each in out.rglob("*.md"))
    assert found == ["2024/a.html.md", "2024/a.md", "2024/b.md", "a.md"]


def test_a_text_file_is_a_list_of_urls(tmp_path: Path) -> None:
    urls = tmp_path / "urls.txt"
    urls.write_text("# a comment\n\nhttp://127.0.0.1:9/a\nno URL\n")
    result = extract(urls, "--processes", "1", code=1)
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each["url"] for each in found] == ["http://127.0.0.1:9/a", "no URL"]
    assert [each["reason"].partition(":")[0] for each in found] == [
        "127.0.0.1",
        "only http and https URLs are supported",
    ]
    listed = urls.read_text().partition("\n\n")[2]
    assert detourage("extract", "-o", "-", stdin=listed).returncode == 1


def test_parts_of_the_article_can_be_left_out(page: Path) -> None:
    page.write_text(PAGE.replace("<p>", '<p><a href="https://a.example/">A link</a> ', 1))
    with_links = extract(page, "--format", "markdown").stdout
    assert "[A link](https://a.example/)" in with_links
    without_links = extract(page, "--format", "markdown", "--no-links", "--favor", "recall").stdout
    assert without_links == with_links.replace("[A link](https://a.example/)", "A link")


def test_several_processes_write_the_same_output_as_one(page: Path, crawl: Path) -> None:
    one_process = extract(page, crawl, "--processes", "1", code=1)
    result = detourage("extract", page, crawl, "--processes", "2")
    assert (result.returncode, result.stdout) == (1, one_process.stdout)


def test_modules_of_the_current_folder_are_not_imported(page: Path, tmp_path: Path) -> None:
    slow = tmp_path / "slow.html"
    slow.write_text(
        PAGE.replace("<article>", "<body>" * 60 + "<article>")
    )  # is read in a child process
    expected = extract(slow, page, "--processes", "1").stdout
    write_project(tmp_path)
    for processes in ("1", "2"):
        command = [*SCRIPT, "extract", "slow.html", "page.html", "--processes", processes]
        output = subprocess.check_output(command, cwd=tmp_path, env=SCRIPT_ENVIRONMENT, text=True)
        assert output == expected


def test_an_interrupted_command_leaves_no_output_that_looks_complete(tmp_path: Path) -> None:
    command = [*DETOURAGE, "extract", "-", "-o", str(tmp_path / "a.jsonl"), "--processes", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"\n".join([*site_messages("one.example", range(3)), b""]))
        process.stdin.flush()
        while process.poll() is None and not list(tmp_path.iterdir()):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode in (130, -signal.SIGINT)  # a shell reports 130 for both
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda each: each.name)
def test_an_interruption_ends_all_processes(number: signal.Signals) -> None:
    lines = b"".join(body + b"\n" for body in site_messages("one.example", range(20)))
    with subprocess.Popen(
        [*DETOURAGE, "extract", "-", "--processes", "2"],
        env=BARE_ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        # Standard input stays open, so the command waits for more messages.
        process.stdin.write(lines)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["title"] == "Bridge story number 0"
        processes = psutil.Process(process.pid).children(recursive=True)
        if number == signal.SIGINT:
            # On Ctrl-C, a terminal sends the signal to the whole process group.
            os.killpg(process.pid, number)
        else:
            process.kill()
        _, error_output = process.communicate()
    _, alive = psutil.wait_procs(processes)
    assert processes
    assert not alive
    if number == signal.SIGINT:
        assert (process.returncode, error_output) == (130, b"Interrupted\n")
