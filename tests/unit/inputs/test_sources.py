"""Page messages are read from intact and damaged files of every type, in bounded memory."""

import base64
import gzip
import io
import json
import os
import random
import re
import shutil
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import brotli
import pytest
from click.testing import CliRunner

from detourage import load_pages
from detourage.cli import main
from detourage.inputs import Origin, SourceError, read_messages, streams
from detourage.limits import MAX_MESSAGE_BYTES
from detourage.messages import PageMessage
from tests.pages import article_html, message

HTML = "<html><body><p>Grüße</p></body></html>".encode()
LINES = (b'{"version": 1, "url": "http://a.example/"}', b"{broken", b"\xff\xfe")
LINES_JOINED = b"\n".join(LINES)
GZIPPED = gzip.compress(LINES_JOINED[:20]) + gzip.compress(LINES_JOINED[20:])
"""Two gzip members, as produced by `cat a.gz b.gz`."""
MIB = 2**20


def write_file(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def read_json(path: Path | str) -> list[dict[str, Any]]:
    return [json.loads(message) for message in read_messages(path)]


def read_pages(path: Path | str) -> list[PageMessage]:
    return [PageMessage.model_validate_json(message) for message in read_messages(path)]


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Assert that the block uses memory for only a few copies of the largest message."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 6 * MAX_MESSAGE_BYTES


@pytest.mark.parametrize(
    ("name", "content", "lines"),
    [
        ("pages.jsonl", b"\n%s\r\n  \n%s\n\n%s" % LINES, LINES),
        ("pages.jsonl", b"\xef\xbb\xbf{}\n{}\n", (b"{}", b"{}")),
        *((name, GZIPPED, LINES) for name in ("pages.jsonl.gz", "pages.jsonl", "PAGES.NDJSON.GZ")),
    ],
    ids=["blank lines", "byte order mark", "gzip", "gzip without its suffix", "capitals"],
)
def test_lines_are_read_unchanged_from_any_compression(
    tmp_path: Path, name: str, content: bytes, lines: tuple[bytes, ...]
) -> None:
    assert tuple(read_messages(write_file(tmp_path / name, content))) == lines


def test_stdin_and_a_pipe_are_read_as_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (b"{}\n[]\n", gzip.compress(b"{}\n[]\n")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
        assert list(read_messages("-")) == [b"{}", b"[]"]
    read_end, write_end = os.pipe()
    with os.fdopen(write_end, "wb") as pipe:
        pipe.write(b"{}\n[]\n")
    assert list(read_messages(f"/dev/fd/{read_end}")) == [b"{}", b"[]"]
    os.close(read_end)


def test_an_overlong_line_is_replaced_by_a_message_that_reports_it(tmp_path: Path) -> None:
    longest = b'"' + b"x" * (MAX_MESSAGE_BYTES - 3) + b'"'
    start = b'{"version": 1, "url": "http://a.example/huge", "html": "'
    content = longest + b"\n" + start + b"y" * 40_000_000 + b'"}\n{}\n'
    path = write_file(tmp_path / "pages.jsonl.gz", gzip.compress(content, compresslevel=1))
    first, second, third = read_messages(path)
    assert (first, third) == (longest, b"{}")
    message = json.loads(second)
    assert message["unusable"] == {
        "reason": "oversized",
        "detail": f"line 2 of pages.jsonl.gz has {len(start) + 40_000_000 + 3} bytes",
    }
    assert message["begins"].startswith(start.decode())
    assert len(second) < 1000


def test_a_truncated_gzip_gives_its_messages_and_then_an_error(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(30_000)
    compressed = gzip.compress(b"".join(b'"%s"\n' % base64.b64encode(noise) for _ in range(20)))
    messages = read_messages(write_file(tmp_path / "pages.jsonl.gz", compressed[:-100]))
    assert len(json.loads(next(messages))) == 40_000
    with pytest.raises(SourceError, match=r"pages\.jsonl\.gz: is truncated"):
        list(messages)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("pages.jsonl.gz", b"", "is not gzip, or is empty"),
        ("pages.jsonl.gz", b'{"version": 1}', "is not gzip, or is empty"),
        ("missing.jsonl", None, r"missing\.jsonl: no such file or folder"),
        ("archive.zip", b"text", "archive.zip: is neither HTML nor JSON lines"),
        *(
            ("crawl.warc", content, r"^[^\n]*crawl\.warc[^\n]*$")
            for content in (
                *(b"", b"<html></html>", b"WARC/1.0\r\n", bytes(99)),
                b"WARC/1.0\r\nWARC-Type: response\r\n\r\n",
            )
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, name: str, content: bytes | None, problem: str
) -> None:
    if content is not None:
        write_file(tmp_path / name, content)
    with pytest.raises(SourceError, match=problem):
        list(read_messages(tmp_path / name))


def test_an_unreadable_file_of_a_folder_does_not_hide_the_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name, target in {"0.html": "nowhere", "1.jsonl": "nowhere", "a.warc": "a.warc"}.items():
        (tmp_path / name).symlink_to(target)
    os.mkfifo(tmp_path / "p.html")
    with pytest.raises(SourceError, match=r"0\.html: cannot be read: No such file"):
        list(read_messages(tmp_path))
    for name in ("b.html", "c.html", "d/e.html", "x.html/y.html", "z/z.html"):
        write_file(tmp_path / name, article_html(1).encode())
    (tmp_path / "c.warc").write_bytes(b"damaged")
    result = CliRunner().invoke(main, ["extract", str(tmp_path), "--processes", "1"])
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert " ".join(f"{each['url'][-6:]} {each.get('reason', '')[:15]}" for each in found) == (
        "0.html cannot be read: .jsonl cannot be read: a.warc cannot be read: b.html  c.html "
        " c.warc is not WARC, or p.html is not a regula e.html  y.html  z.html "
    )
    assert (result.exit_code, "5 of 10 pages without" in result.stderr) == (1, True)
    pages = load_pages(tmp_path)
    first = next(pages)
    (tmp_path / "c.html").unlink()
    for name in ("d", "z"):
        shutil.rmtree(tmp_path / name)
    assert [page.url[-6:] for page in (first, *pages)] == ["b.html", "y.html"]
    skipped = re.findall(r"(\S+) \((?:cannot be read: |is not)", caplog.records[-1].getMessage())
    assert skipped == ["0.html", "1.jsonl", "a.warc", "c.html", "c.warc", "p.html", "d", "z"]


def test_files_of_a_mirror_get_the_urls_of_their_hosts(tmp_path: Path) -> None:
    urls = {
        "127.0.0.1/not-a-name.html": "https://old-crawl-127-0-0-1.invalid/127.0.0.1/not-a-name.html",
        "News.Example.org/index.htm": "https://news.example.org/index.htm",
        "News.Example.org/2024/b.html": "https://news.example.org/2024/b.html",
        "News.Example.org/2024/view.php?id=3": "https://news.example.org/2024/view.php?id=3",
        "localhost.localdomain:8080/a.xhtml": "https://localhost.localdomain:8080/a.xhtml",
    }
    for name in reversed(urls):
        write_file(tmp_path / "Old Crawl" / name, HTML)
    write_file(tmp_path / "Old Crawl" / "News.Example.org" / "style.css", b"p { color: red }")
    pages = read_pages(tmp_path / "Old Crawl")
    assert [(page.id, page.url) for page in pages] == [*urls.items()]
    assert {page.content for page in pages} == {HTML}


def test_a_folder_can_name_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "www.example.org"
    write_file(folder / "politics" / "a.html", HTML)
    monkeypatch.chdir(folder)
    for path in (folder, Path()):
        (page,) = read_pages(path)
        assert page.url == "https://www.example.org/politics/a.html"
        assert page.id == "politics/a.html"
    gzip_file = write_file(folder / "page.html.gz", gzip.compress(HTML))
    (page,) = read_pages(gzip_file)
    assert (page.url, page.content) == ("https://www.example.org/page.html.gz", HTML)


def test_a_page_without_a_given_url_gets_the_url_that_it_declares(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    heads = {
        "a.html": '<link rel="canonical" href="https://One.example/a">',
        "b.html": '<meta property="og:url" content="https://www.two.example/b">',
        "c.html": '<base href="https://three.example/"><link rel=canonical href="/c">',
        "copy.html": '<link rel="canonical" href="https://One.example/a">',
        "local.html": '<link rel="canonical" href="http://localhost/x">',
        "none.html": "",
        "relative.html": '<link rel="canonical" href="/relative">',
    }
    folder = tmp_path / "Saved Pages"
    for name, head in heads.items():
        write_file(folder / name, f"<html><head>{head}</head><body>".encode() + HTML)
    for name in ("notes.pdf", "picture.png"):
        write_file(folder / name, b"not a page")
    with caplog.at_level("INFO"):
        pages = read_pages(folder)
    assert {page.id: page.url for page in pages} == {
        "a.html": "https://One.example/a",
        "b.html": "https://www.two.example/b",
        "c.html": "https://three.example/c",
        "copy.html": "https://one.example/copy.html",
        **{
            f"{name}.html": f"https://saved-pages.invalid/{name}.html"
            for name in ("local", "none", "relative")
        },
    }
    assert [each.getMessage() for each in caplog.records] == [
        f"{folder}: URLs of HTML files: 3 declared by the pages (one.example 1, www.two.example 1,"
        " three.example 1), 0 by folder name, 4 invented (saved-pages.invalid 3, one.example 1):"
        " set URLs with --base-url, or name folders after hosts",
        f"{folder}: skipped 2 files (not HTML, JSON lines or WARC): notes.pdf, picture.png",
    ]


def test_the_pages_of_an_outermost_folder_have_one_host(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "folders"
    canonical = '<head><link rel="canonical" href="https://{}/{}"></head>'
    for name in ("a", "b/c", "d", "z"):
        head = canonical.format("one.example", name) if name != "a" else ""
        write_file(folder / "First" / f"{name}.html", head.encode() + HTML)
    for name in ("First Two", "Новости", "Спорт", "two.example"):
        write_file(folder / name / "a.html", HTML)
        write_file(folder / name / "2024" / "b.html", HTML)
    write_file(folder / "top.html", HTML)
    write_file(folder / "c.example:99999" / "a.html", HTML)
    Archive(folder, compressed=False).response(HTML, "http://b.example/")
    with caplog.at_level("INFO"):
        pages = [page for page in read_pages(folder) if page.url != "http://b.example/"]
    assert {str(page.id).split("/")[0]: urlsplit(page.url).hostname for page in pages} == {
        "First": "one.example",
        "First Two": "folders-first-two.invalid",
        "two.example": "two.example",
        "top.html": "folders.invalid",
        "c.example:99999": "folders-c-example-99999.invalid",
        "Новости": "folders-u043d-u043e-u0432-u043e-u0441-u0442-u0438.invalid",
        "Спорт": "folders-u0441-u043f-u043e-u0440-u0442.invalid",
    }
    assert len({urlsplit(page.url).hostname for page in pages}) == 7
    (message,) = [each.getMessage() for each in caplog.records]
    assert (
        "3 declared by the pages (one.example 3), 2 by folder name (two.example 2), 9 in" in message
    )
    assert "folders-first-two.invalid" in message


def test_two_files_never_share_a_url(tmp_path: Path) -> None:
    names = (b"a b", b"a%20b", b"a?b", b"a#b", b"\xe9", b"\xc3\xa9")
    for name in names:
        write_file(tmp_path / os.fsdecode(name + b".html"), HTML)
    pages = read_pages(tmp_path)
    assert len({page.url for page in pages}) == len({page.id for page in pages}) == len(names)


def test_an_oversized_file_is_replaced_by_a_message_that_reports_it(tmp_path: Path) -> None:
    write_file(tmp_path / "bomb.html.gz", gzip.compress(bytes(128 * MIB)))
    write_file(tmp_path / "huge.html", b"x" * MAX_MESSAGE_BYTES)
    write_file(tmp_path / "large.html", b"x" * (11 * MIB))
    with bounded_memory():
        *oversized, fitting_message = read_messages(tmp_path)
    for name, body in zip(("bomb.html.gz", "huge.html"), oversized, strict=True):
        message = json.loads(body)
        assert (message["id"], message["unusable"]["reason"]) == (name, "oversized")
        assert message["url"].endswith(f"/{name}")
        assert "html_base64" not in message
    # This file fits into a message, but exceeds the limit for pages, which the intake enforces.
    assert len(base64.b64decode(json.loads(fitting_message)["html_base64"])) == 11 * MIB
    assert len(fitting_message) <= MAX_MESSAGE_BYTES


def test_a_gzip_bomb_is_refused_but_a_repetitive_crawl_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = gzip.compress(bytes(128 * MIB))
    for name, problem in {"b.jsonl.gz": "200 times its size", "b.warc.gz": r"b\.warc\.gz"}.items():
        with bounded_memory(), pytest.raises(SourceError, match=problem):
            list(read_messages(write_file(tmp_path / name, bomb)))
    monkeypatch.setattr(streams, "FREE_BYTES", 0)
    line = message("https://news.example/", article_html(1, number=40)) + b"\n"
    path = write_file(tmp_path / "crawl.jsonl.gz", gzip.compress(line * 300))
    assert len(list(read_messages(path))) == 300


Headers = tuple[tuple[str, str], ...]


class Archive:
    def __init__(self, folder: Path, *, compressed: bool) -> None:
        self.path = folder / ("crawl.warc.gz" if compressed else "crawl.warc")
        self.path.touch()

    def add(self, kind: str, fields: dict[str, str], block: bytes) -> None:
        head = {"WARC-Type": kind, **fields, "Content-Length": str(len(block))}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        record = f"WARC/1.1\r\n{lines}\r\n".encode() + block + b"\r\n\r\n"
        with self.path.open("ab") as file:
            file.write(gzip.compress(record) if self.path.suffix == ".gz" else record)

    def response(
        self,
        body: bytes,
        url: str = "http://a.example/",
        *,
        headers: Headers = (("Content-Type", "text/html"),),
        status: str = "HTTP/1.1 200 OK",
        kind: str = "response",
    ) -> None:
        fields = {
            "WARC-Target-URI": url,
            "WARC-Date": "2024-05-06T07:08:09Z",
            "WARC-Record-ID": "<urn:uuid:57>",
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        self.add(kind, fields, f"{status}\r\n{lines}\r\n".encode() + body)


@pytest.fixture(params=[True, False], ids=["gzip", "plain"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Archive:
    return Archive(tmp_path, compressed=request.param)


def test_a_response_becomes_a_page(archive: Archive) -> None:
    archive.add("warcinfo", {"Content-Type": "application/warc-fields"}, b"software: test\r\n")
    archive.response(HTML, headers=(("content-type", "text/html; charset=utf-8"),))
    (page,) = read_pages(archive.path)
    assert (page.url, page.id) == ("http://a.example/", "urn:uuid:57")
    assert (page.content, page.content_type) == (HTML, "text/html; charset=utf-8")
    assert (page.status, page.headers) == (200, {"content-type": "text/html; charset=utf-8"})
    assert page.fetched_at is not None
    assert page.fetched_at.isoformat() == "2024-05-06T07:08:09+00:00"


def test_pages_and_errors_are_read_but_no_other_responses(archive: Archive) -> None:
    archive.response(b"GET", kind="request", status="GET /1 HTTP/1.1")
    archive.response(b"", kind="revisit")
    archive.response(HTML, status="HTTP/1.1 301 Moved Permanently")
    archive.response(HTML, status="HTTP/1.1 999 Denied")
    archive.response(HTML, "ftp://a.example/5")
    archive.response(HTML, "http://a.example/6")
    endless = (("X-Long", "a" + "\r\n b" * 250_000),)
    archive.response(b"<p>Text", "http://a.example/7", headers=endless)
    headers = (("Retry-After", "60"), ("X-Long", "x" * 70_000))
    archive.response(b"", status="HTTP/1.1 404 Not Found")
    archive.response(HTML, status="HTTP/1.1 503", headers=headers)
    *pages, gone_page, busy_page = read_pages(archive.path)
    assert [page.url for page in pages] == ["http://a.example/6", "http://a.example/7"]
    assert (gone_page.status, gone_page.content) == (404, b"")
    assert (busy_page.status, busy_page.headers) == (503, {"retry-after": "60"})


CODINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", lambda body: zlib.compress(body, wbits=-15)),
    ("br", lambda body: brotli.compress(body, quality=5)),
    ("gzip, br", lambda body: brotli.compress(gzip.compress(body))),
    ("gzip", bytes),
    ("br", bytes),
    ("identity", bytes),
]


@pytest.mark.parametrize(("coding", "encode"), CODINGS)
@pytest.mark.parametrize("chunked", [False, True], ids=["whole", "chunked"])
def test_http_encodings_are_decoded(
    archive: Archive, coding: str, encode: Callable[[bytes], bytes], *, chunked: bool
) -> None:
    content = HTML * 20_000
    body = encode(content)
    headers: Headers = (("Content-Encoding", coding),)
    if chunked:
        headers = (*headers, ("Transfer-Encoding", "chunked"))
        parts = [body[start : start + 5000] for start in range(0, len(body), 5000)]
        body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in [*parts, b""])
    archive.response(body, headers=headers)
    (page,) = read_pages(archive.path)
    assert page.content == content


def test_the_beginning_of_a_truncated_body_is_read(archive: Archive) -> None:
    noise = random.Random(2).randbytes(100_000)
    truncated = gzip.compress(noise)[:50_000]
    archive.response(truncated, headers=(("Content-Encoding", "gzip"),))
    (page,) = read_pages(archive.path)
    assert isinstance(page.content, bytes)
    assert noise.startswith(page.content)
    assert len(page.content) > 40_000


@pytest.mark.parametrize(
    ("coding", "encode"),
    [
        *(CODINGS[place] for place in (0, 2, 4, 8)),
        ("gzip, " * 20_000, lambda body: gzip.compress(gzip.compress(body))),
    ],
    ids=["gzip", "deflate", "br", "identity", "nested"],
)
def test_an_oversized_response_is_replaced_by_a_message_that_reports_it(
    tmp_path: Path, coding: str, encode: Callable[[bytes], bytes]
) -> None:
    archive = Archive(tmp_path, compressed=True)
    archive.response(encode(bytes(64 * MIB)), headers=(("Content-Encoding", coding),))
    archive.response(HTML, "http://a.example/small")
    with bounded_memory():
        huge, small = read_json(archive.path)
    assert huge["unusable"]["reason"] == "oversized"
    assert (huge["id"], huge["url"]) == ("urn:uuid:57", "http://a.example/")
    assert small["url"] == "http://a.example/small"


@pytest.mark.parametrize("cut", [5, 60, 250, 400], ids=lambda cut: f"{cut} bytes")
def test_a_truncated_file_gives_its_pages_and_then_an_error(archive: Archive, cut: int) -> None:
    archive.response(HTML)
    archive.response(random.Random(3).randbytes(300))
    archive.path.write_bytes(archive.path.read_bytes()[:-cut])
    messages = read_messages(archive.path)
    assert json.loads(next(messages))["url"] == "http://a.example/"
    with pytest.raises(SourceError, match=r"crawl\.warc"):
        list(messages)


def test_a_folder_may_contain_all_file_types(tmp_path: Path) -> None:
    Archive(tmp_path, compressed=True).response(HTML, "http://b.example/")
    write_file(tmp_path / "a.jsonl", b'{"url": "http://a.example/"}\n')
    write_file(tmp_path / "c.example" / "index.html", HTML)
    write_file(tmp_path / "notes.txt", b"left out")
    assert [message["url"] for message in read_json(tmp_path)] == [
        "http://a.example/",
        "http://b.example/",
        "https://c.example/index.html",
    ]
    excluded = [tmp_path / "c.example" / ".." / "a.jsonl"]
    assert len(list(read_messages(tmp_path, left_out=excluded))) == 2
    write_file(tmp_path / "c.example" / "2024" / "a b.html", b"<p>a")
    origin = Origin("https://news.example/archive/", "news")
    page = PageMessage.model_validate_json([*read_messages(tmp_path / "c.example", origin)][1])
    assert (page.url, page.site) == ("https://news.example/archive/2024/a%20b.html", "news")
