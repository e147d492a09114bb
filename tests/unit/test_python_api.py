"""The public API of the package `detourage`."""

import json
import os
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import lxml.html
import pytest

import detourage
from examples.sample_crawl import generate
from tests.pages import article_html, message, paragraphs

SITE = "https://news.example"
HEAD = (
    '<meta property="article:published_time" content="2024-05-31T09:30:00+02:00">'
    '<meta name="author" content="Ann Doe">'
)


def url(number: int) -> str:
    return f"{SITE}/{number}"


def pages(count: int) -> list[detourage.Page]:
    return [detourage.Page(article_html(number), url(number)) for number in range(count)]


def test_one_call_gives_an_article_in_every_format() -> None:
    html = article_html(1).replace("<head>", f"<head>{HEAD}")
    article = detourage.extract(html, url(1))
    assert article is not None
    assert article.title == "Bridge story number 1"
    assert article.text.startswith("Nobody had expected so many people to come")
    assert article.authors == ("Ann Doe",)
    assert article.published_at is not None
    assert article.published_at.astimezone(UTC) == datetime(2024, 5, 31, 7, 30, tzinfo=UTC)
    assert (article.language, article.site, article.kind) == ("en", "news.example", "article")
    assert 0 < article.confidence <= 1
    assert [article.text[each.start : each.end] for each in article.blocks] == [
        each.text for each in article.blocks
    ]
    values = json.loads(article.to_json())
    assert values == article.to_dict()
    assert (values["url"], values["text"]) == (url(1), article.text)
    assert article.to_markdown().startswith("# Bridge story number 1\n\n")
    assert "<h1>Bridge story number 1</h1>" in article.to_html()


def test_bytes_text_trees_and_pages_give_the_same_article_whatever_their_url() -> None:
    html = article_html(1)
    tree = lxml.html.document_fromstring(html)
    inputs: list[Any] = [html, html.encode(), tree, tree.getroottree(), detourage.Page(html)]
    urls = (url(1), f"{SITE}/\ud800", "http://[::1", "no URL")
    articles = [detourage.extract(page, each) for page in inputs for each in urls]
    assert {each and each.text for each in articles} == {"\n\n".join(paragraphs(1))}


def test_comments_links_and_images_can_be_left_out() -> None:
    pages = generate(sites=["harbour-post.example"], pages_per_template=2)
    sample = [b64decode(page.message["html_base64"]).decode() for page in pages]
    html = next(each for each in sample if (found := detourage.extract(each)) and found.comments)
    html = html.replace("<p>", '<p><a href="/x">A link</a> ')
    complete = detourage.extract(html, url(1))
    assert complete is not None
    assert complete.comments
    assert complete.images
    assert {link.url for block in complete.blocks for link in block.links} >= {f"{SITE}/x"}
    reduced = detourage.extract(
        html, url(1), include_comments=False, include_images=False, include_links=False
    )
    assert reduced is not None
    assert (reduced.text, reduced.comments, reduced.images) == (complete.text, (), ())
    assert not [link for block in reduced.blocks for link in block.links]


def test_favoring_recall_extracts_at_least_as_much_as_favoring_precision() -> None:
    page = next(iter(generate(sites=["harbour-post.example"], pages_per_template=1)))
    html = b64decode(page.message["html_base64"])
    texts = [detourage.extract(html, favor=each) for each in ("precision", None, "recall")]
    lengths = [len(each.text) for each in texts if each is not None]
    assert lengths == sorted(lengths)


@pytest.mark.parametrize(
    ("html", "outcome"),
    [
        ("", "empty"),
        ("https://news.example/1", "empty"),
        (b"%PDF-1.7\n", "not-html"),
        ("<html><body></body></html>", "empty"),
        ("pages/a.html", "empty"),
        ("<html><body><p>\u2014</p></body></html>", "no-text"),
        ("<div>" * 600, "too-deep"),
        ("<html><frameset><frame src='a'></frameset></html>", "frameset"),
    ],
)
def test_a_page_without_an_article_gives_a_reason(html: bytes | str, outcome: str) -> None:
    assert detourage.extract(html, url(1)) is None
    result = detourage.read(html, url(1))
    assert (result.url, result.article, result.outcome) == (url(1), None, outcome)
    assert result.reason
    assert ("detourage.fetch" in result.reason) == str(html).startswith("https:")
    assert ("content of the file" in result.reason) == str(html).endswith(".html")


def test_invalid_arguments_are_rejected() -> None:
    html, url = article_html(1), b"/"
    for arguments, options, error, reason in (
        ((7,), {}, TypeError, "html must be bytes, str, an lxml tree or a Page, not int"),
        ((html, url), {}, TypeError, "url must be str, not bytes"),
        ((html,), {"favor": "speed"}, ValueError, "favor must be"),
        ((html,), {"favour": "recall"}, TypeError, "'favour'; the options are text_roles, favor"),
        ((html,), {"text_roles": "lead"}, ValueError, "text_roles must be a sequence of roles"),
        ((html,), {"text_roles": ["title"]}, ValueError, r"roles \(lead, paragraph"),
    ):
        with pytest.raises(error, match=reason):
            detourage.extract(*arguments, **options)
    for processes in (0, -1):
        with pytest.raises(ValueError, match="processes must be at least 1"):
            detourage.extract_many([], processes=processes)
    with pytest.raises(TypeError, match="each page must be a Page or a pair of HTML and URL"):
        list(detourage.extract_many([html]))  # type: ignore[list-item]


def test_results_keep_their_order_with_any_number_of_processes() -> None:
    inputs = [*pages(7), detourage.Page("", url(99)), *pages(2)]
    results = list(detourage.extract_many(inputs))
    assert [result.url for result in results] == [page.url for page in inputs]
    assert [result.outcome for result in results] == [*["article"] * 7, "empty", *["article"] * 2]
    assert list(detourage.extract_many(iter(inputs), processes=2)) == results


def test_pages_are_consumed_lazily() -> None:
    consumed: list[int] = []

    def endless() -> Iterator[tuple[str, str]]:
        while True:
            consumed.append(len(consumed))
            yield article_html(len(consumed)), url(len(consumed))

    assert next(iter(detourage.extract_many(endless()))).article is not None
    assert len(consumed) == 1


def test_pages_are_read_from_a_folder_and_a_file(tmp_path: Path) -> None:
    (tmp_path / "news.example").mkdir()
    (tmp_path / "news.example" / "a.html").write_text(article_html(1), encoding="utf-8")
    assert [each.outcome for each in detourage.extract_many(tmp_path)] == ["article"]
    file = tmp_path / "pages.jsonl"
    file.write_bytes(message(url(2), article_html(2)) + b"\nno json\n")
    assert [page.url for page in detourage.load_pages(file)] == [url(2)]
    file.write_bytes(b'{"url": "https://news.example/a"}\n')
    for path, problem in (
        (tmp_path / "none", "no such file"),
        (file, "no usable page message; the first: unsupported-version: version: Field required"),
        ("https://news.example/a", "a URL is not a file"),
    ):
        with pytest.raises(OSError, match=problem):
            list(detourage.extract_many(path))


def test_a_site_groups_its_pages_and_reads_them_together() -> None:
    pages = generate(sites=["harbour-post.example"], pages_per_template=4)
    crawl = [page.message for page in pages]
    site = detourage.Site([(b64decode(each["html_base64"]), each["url"]) for each in crawl])
    assert sum(len(group.urls) for group in site.groups) + len(site.outliers) == len(crawl)
    assert len(site.groups) > 1
    assert [group.number for group in site.groups] == [*range(1, len(site.groups) + 1)]
    assert all(group.representative in group.urls for group in site.groups)
    results = list(site.read())
    assert [result.url for result in results] == list(site.urls)
    first = next(result for result in results if result.article is not None)
    assert site.extract(first.url) == first.article
    with pytest.raises(KeyError):
        site.extract("https://elsewhere.example/")


def test_a_page_of_a_site_without_an_article_gives_a_reason() -> None:
    site = detourage.Site([*pages(4), ("", f"{SITE}/empty")])
    outcomes = {result.url: result.outcome for result in site.read()}
    assert outcomes == {**{url(n): "article" for n in range(4)}, f"{SITE}/empty": "empty"}
    assert site.extract(f"{SITE}/empty") is None


CRASHING_PROGRAM = """
import os, signal
import detourage
import detourage.page_extraction
from detourage.process_pool import in_processes

def read(page):
    if page.html == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    return detourage.page_extraction.read_page(page)

if __name__ == "__main__":
    pages = [detourage.Page("crash" if n == 3 else "", f"https://a.example/{n}") for n in range(9)]
    crashed, module = detourage.page_extraction._result_of_crash, "detourage.page_extraction"
    for result in in_processes(read, pages, 2, preload=module, crashed=crashed):
        print(result.url, result.outcome)
"""


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(program, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, script], capture_output=True, text=True, env=env)


def test_a_page_that_crashes_its_process_does_not_affect_others(tmp_path: Path) -> None:
    outcomes = ["failed" if number == 3 else "empty" for number in range(9)]
    assert run(CRASHING_PROGRAM, tmp_path).stdout.splitlines() == [
        f"https://a.example/{number} {outcome}" for number, outcome in enumerate(outcomes)
    ]


EXTRACT = """
import detourage
pages = [(f"<p>Page {n}.", f"https://a.example/{n}") for n in range(9)]
for result in detourage.extract_many(pages, processes=2):
    print(result.url, result.outcome)
"""
UNIMPORTABLE = """
if __name__ != "__main__":
    raise RuntimeError("this script cannot be imported")
"""


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (EXTRACT, "An attempt has been made to start a new process"),
        (UNIMPORTABLE + EXTRACT, "this script cannot be imported"),
    ],
)
def test_a_process_that_cannot_start_is_not_blamed_on_the_pages(
    program: str, reason: str, tmp_path: Path
) -> None:
    result = run(program, tmp_path)
    assert (result.returncode, result.stdout) == (1, "")
    assert reason in result.stderr
    *_, last_line = result.stderr.splitlines()
    assert "could not start" in last_line
    assert "if __name__ == '__main__':" in last_line
    assert result.stderr.count("could not start") == result.stderr.count("crashed") + 1 == 1


def test_public_names_and_the_version_exist() -> None:
    assert detourage.__version__ == version("detourage")
    assert all(getattr(detourage, name) is not None for name in detourage.__all__)
    assert set(detourage.__all__) <= set(dir(detourage))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        detourage.nothing  # noqa: B018
