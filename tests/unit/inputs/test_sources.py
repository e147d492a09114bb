"""Page messages are read from intact and damaged files of every type."""

import base64
import gzip
import io
import json
import os
import random
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import brotli
import pytest

from detourage.inputs import Origin, SourceError, read_messages
from detourage.limits import MAX_MESSAGE_BYTES
from detourage.messages import PageMessage

HTML = "<html><body><p>Grüße</p></body></html>".encode()


def read_json(path: Path | str) -> list[dict[str, Any]]:
    return [json.loads(message) for message in read_messages(path)]


def read_pages(path: Path | str) -> list[PageMessage]:
    return [PageMessage.model_validate_json(message) for message in read_messages(path)]


class TestJsonLines:
    LINES = (b'{"version": 1, "url": "http://a.example/"}', b"{broken", b"\xff\xfe")

    def test_lines_are_unchanged_and_blank_ones_are_skipped(self, tmp_path: Path) -> None:
        path = tmp_path / "pages.jsonl"
        path.write_bytes(b"\n%s\r\n  \n%s\n\n%s" % self.LINES)
        assert tuple(read_messages(path)) == self.LINES

    def test_compression_is_recognised_by_the_content(self, tmp_path: Path) -> None:
        plain = b"\n".join(self.LINES)
        # Two gzip members, as produced by `cat a.gz b.gz`.
        packed = gzip.compress(plain[:20]) + gzip.compress(plain[20:])
        for name in ("pages.jsonl.gz", "pages.jsonl", "PAGES.NDJSON.GZ"):
            (tmp_path / name).write_bytes(packed)
            assert tuple(read_messages(tmp_path / name)) == self.LINES

    def test_a_byte_order_mark_is_not_part_of_the_first_message(self, tmp_path: Path) -> None:
        path = tmp_path / "pages.jsonl"
        path.write_bytes(b"\xef\xbb\xbf{}\n{}\n")
        assert list(read_messages(path)) == [b"{}", b"{}"]

    @pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
    def test_a_dash_is_standard_input(
        self, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(pack(b"{}\n[]\n"))))
        monkeypatch.setattr(sys, "stdin", stream)
        assert list(read_messages("-")) == [b"{}", b"[]"]

    def test_a_pipe_is_read_as_lines(self) -> None:
        read_end, write_end = os.pipe()
        with os.fdopen(write_end, "wb") as stream:
            stream.write(b"{}\n[]\n")
        assert list(read_messages(f"/dev/fd/{read_end}")) == [b"{}", b"[]"]
        os.close(read_end)

    def test_an_overlong_line_is_replaced_by_a_message_that_reports_it(
        self, tmp_path: Path
    ) -> None:
        longest = b'"' + b"x" * (MAX_MESSAGE_BYTES - 3) + b'"'
        start = b'{"version": 1, "url": "http://a.example/huge", "html": "'
        path = tmp_path / "pages.jsonl.gz"
        with gzip.open(path, "wb", compresslevel=1) as stream:
            stream.write(longest + b"\n" + start)
            for _ in range(40):
                stream.write(b"y" * 1_000_000)
            stream.write(b'"}\n{}\n')
        first, second, third = read_messages(path)
        assert (first, third) == (longest, b"{}")
        message = json.loads(second)
        assert message["unusable"] == {
            "reason": "oversized",
            "detail": f"line 2 of pages.jsonl.gz has {len(start) + 40_000_000 + 3} bytes",
        }
        assert message["begins"].startswith(start.decode())
        assert len(second) < 1000


class TestDamagedFiles:
    def test_a_truncated_gzip_gives_its_messages_and_then_an_error(self, tmp_path: Path) -> None:
        noise = random.Random(1).randbytes(30_000)
        packed = gzip.compress(b"".join(b'"%s"\n' % base64.b64encode(noise) for _ in range(20)))
        path = tmp_path / "pages.jsonl.gz"
        path.write_bytes(packed[:-100])
        messages = read_messages(path)
        assert len(json.loads(next(messages))) == 40_000
        with pytest.raises(SourceError, match=r"pages\.jsonl\.gz: is truncated"):
            list(messages)

    @pytest.mark.parametrize(
        ("name", "content", "told"),
        [
            ("pages.jsonl.gz", b"", "is not gzip, or is empty"),
            ("pages.jsonl.gz", b'{"version": 1}', "is not gzip, or is empty"),
            ("missing.jsonl", None, r"missing\.jsonl: no such file or folder"),
            ("archive.zip", b"text", "archive.zip: is neither JSON lines"),
            ("pages.gz", b"text", "pages.gz: is neither JSON lines"),
        ],
    )
    def test_a_file_that_cannot_be_read_is_named(
        self, tmp_path: Path, name: str, content: bytes | None, told: str
    ) -> None:
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(SourceError, match=told):
            list(read_messages(tmp_path / name))

    def test_a_broken_symlink_in_a_folder_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "a.html").symlink_to("nowhere")
        with pytest.raises(SourceError, match=r"a\.html: cannot be read: No such file"):
            list(read_messages(tmp_path))


class TestHtmlFiles:
    def test_a_mirror_of_several_hosts(self, tmp_path: Path) -> None:
        for name in (
            "News.Example.org/2024/b.html",
            "News.Example.org/index.htm",
            "localhost.localdomain:8080/a.xhtml",
            "127.0.0.1/not-a-name.html",
            "News.Example.org/style.css",
        ):
            path = tmp_path / "Old Crawl" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(HTML)
        pages = read_pages(tmp_path / "Old Crawl")
        assert [(page.id, page.url) for page in pages] == [
            ("127.0.0.1/not-a-name.html", "https://old-crawl.invalid/127.0.0.1/not-a-name.html"),
            ("News.Example.org/index.htm", "https://news.example.org/index.htm"),
            ("News.Example.org/2024/b.html", "https://news.example.org/2024/b.html"),
            ("localhost.localdomain:8080/a.xhtml", "https://localhost.localdomain:8080/a.xhtml"),
        ]
        assert {page.content for page in pages} == {HTML}

    def test_a_folder_named_like_a_host_is_that_host(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = tmp_path / "www.example.org"
        (folder / "politics").mkdir(parents=True)
        (folder / "politics" / "a.html").write_bytes(HTML)
        monkeypatch.chdir(folder)
        for path in (folder, Path()):
            (page,) = read_pages(path)
            assert page.url == "https://www.example.org/politics/a.html"
            assert page.id == "politics/a.html"

    def test_a_page_without_a_given_url_has_the_one_that_it_declares(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
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
        folder.mkdir()
        for name, head in heads.items():
            (folder / name).write_text(f"<html><head>{head}</head><body>{HTML.decode()}")
        for name in ("notes.pdf", "picture.png"):
            (folder / name).write_bytes(b"not a page")
        with caplog.at_level("INFO"):
            pages = read_pages(folder)
        assert {page.id: page.url for page in pages} == {
            "a.html": "https://One.example/a",
            "b.html": "https://www.two.example/b",
            "c.html": "https://three.example/c",
            "copy.html": "https://one.example/copy.html",
            "local.html": "https://saved-pages.invalid/local.html",
            "none.html": "https://saved-pages.invalid/none.html",
            "relative.html": "https://saved-pages.invalid/relative.html",
        }
        assert [each.getMessage() for each in caplog.records] == [
            f"{folder}: 3 URLs of HTML files declared by the pages, 4 invented"
            " (set them with --base-url, or name the folders after hosts)",
            f"{folder}: 2 files skipped, not HTML, JSON lines or WARC: notes.pdf, picture.png",
        ]

    def test_two_files_never_share_a_url(self, tmp_path: Path) -> None:
        names = [
            b"a b.html",
            b"a%20b.html",
            b"a?b.html",
            b"a#b.html",
            b"\xe9.html",
            b"\xc3\xa9.html",
        ]
        for name in names:
            (tmp_path / os.fsdecode(name)).write_bytes(HTML)
        pages = read_pages(tmp_path)
        assert len({page.url for page in pages}) == len({page.id for page in pages}) == len(names)

    def test_a_single_file(self, tmp_path: Path) -> None:
        folder = tmp_path / "site.example.net"
        folder.mkdir()
        (folder / "page.html.gz").write_bytes(gzip.compress(HTML))
        (page,) = read_pages(folder / "page.html.gz")
        assert page.url == "https://site.example.net/page.html.gz"
        assert page.content == HTML

    def test_an_oversized_file_is_replaced_by_a_message_that_reports_it(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "huge.html").write_bytes(b"x" * MAX_MESSAGE_BYTES)
        (tmp_path / "large.html").write_bytes(b"x" * (11 * 1024 * 1024))
        huge, large = read_messages(tmp_path)
        message = json.loads(huge)
        assert message["id"] == "huge.html"
        assert message["url"].endswith("/huge.html")
        assert message["unusable"]["reason"] == "oversized"
        assert "html_base64" not in message
        # This file fits into a message but exceeds the size limit for pages, which only the intake
        # enforces.
        assert len(base64.b64decode(json.loads(large)["html_base64"])) == 11 * 1024 * 1024
        assert len(large) <= MAX_MESSAGE_BYTES


class Archive:
    """A WARC file under construction."""

    def __init__(self, *, compressed: bool) -> None:
        self.compressed = compressed
        self.content = b""

    def add(self, kind: str, fields: dict[str, str], block: bytes) -> None:
        head = {"WARC-Type": kind, **fields, "Content-Length": str(len(block))}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        record = f"WARC/1.1\r\n{lines}\r\n".encode() + block + b"\r\n\r\n"
        self.content += gzip.compress(record) if self.compressed else record

    def response(
        self,
        url: str,
        body: bytes,
        *,
        headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html"),),
        status: str = "HTTP/1.1 200 OK",
        date: str = "2024-05-06T07:08:09Z",
        record_id: str = "<urn:uuid:1>",
        kind: str = "response",
    ) -> None:
        fields = {"WARC-Target-URI": url, "WARC-Date": date, "WARC-Record-ID": record_id}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        self.add(kind, fields, f"{status}\r\n{lines}\r\n".encode() + body)


@pytest.fixture(params=[True, False], ids=["gzip", "plain"])
def archive(request: pytest.FixtureRequest) -> Archive:
    return Archive(compressed=request.param)


def saved(archive: Archive, folder: Path) -> Path:
    path = folder / ("crawl.warc.gz" if archive.compressed else "crawl.warc")
    path.write_bytes(archive.content)
    return path


class TestWarc:
    def test_a_response_becomes_a_page(self, archive: Archive, tmp_path: Path) -> None:
        archive.add("warcinfo", {"Content-Type": "application/warc-fields"}, b"software: test\r\n")
        archive.response(
            "https://a.example/1",
            HTML,
            headers=(("content-type", "text/html; charset=utf-8"),),
            record_id="<urn:uuid:57>",
        )
        (page,) = read_pages(saved(archive, tmp_path))
        assert page.url == "https://a.example/1"
        assert page.id == "urn:uuid:57"
        assert page.content == HTML
        assert page.content_type == "text/html; charset=utf-8"
        assert page.status == 200
        assert page.headers == {"content-type": "text/html; charset=utf-8"}
        assert page.fetched_at is not None
        assert page.fetched_at.isoformat() == "2024-05-06T07:08:09+00:00"

    def test_responses_that_are_not_pages_are_skipped(
        self, archive: Archive, tmp_path: Path
    ) -> None:
        archive.response("http://a.example/1", b"GET", kind="request", status="GET /1 HTTP/1.1")
        archive.response("http://a.example/2", b"", kind="revisit")
        archive.response("http://a.example/3", HTML, status="HTTP/1.1 301 Moved Permanently")
        archive.response("http://a.example/4", HTML, status="HTTP/1.1 999 Denied")
        archive.response("ftp://a.example/5", HTML)
        archive.response("http://a.example/6", HTML)
        assert [page.url for page in read_pages(saved(archive, tmp_path))] == ["http://a.example/6"]

    def test_error_responses_report_what_happened_to_a_page(
        self, archive: Archive, tmp_path: Path
    ) -> None:
        headers = (("Retry-After", "60"), ("X-Long", "x" * 70_000))
        archive.response("http://a.example/1", b"", status="HTTP/1.1 404 Not Found")
        archive.response("http://a.example/2", HTML, status="HTTP/1.1 503", headers=headers)
        gone, busy = read_pages(saved(archive, tmp_path))
        assert (gone.status, gone.content) == (404, b"")
        assert (busy.status, busy.headers) == (503, {"retry-after": "60"})

    @pytest.mark.parametrize(
        ("coding", "encode"),
        [
            ("gzip", gzip.compress),
            ("x-gzip", gzip.compress),
            ("deflate", zlib.compress),
            ("deflate", lambda body: zlib.compress(body, wbits=-15)),
            ("br", brotli.compress),
            ("gzip, br", lambda body: brotli.compress(gzip.compress(body))),
            ("gzip", bytes),
            ("br", bytes),
            ("identity", bytes),
        ],
    )
    @pytest.mark.parametrize("chunked", [False, True], ids=["whole", "chunked"])
    def test_http_encodings_are_decoded(
        self,
        archive: Archive,
        tmp_path: Path,
        coding: str,
        encode: Callable[[bytes], bytes],
        *,
        chunked: bool,
    ) -> None:
        content = HTML * 20_000
        body = encode(content)
        headers = [("Content-Encoding", coding)]
        if chunked:
            headers.append(("Transfer-Encoding", "chunked"))
            parts = [body[start : start + 5000] for start in range(0, len(body), 5000)]
            body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in [*parts, b""])
        archive.response("http://a.example/", body, headers=tuple(headers))
        (page,) = read_pages(saved(archive, tmp_path))
        assert page.content == content

    def test_a_truncated_body_gives_its_beginning(self, archive: Archive, tmp_path: Path) -> None:
        noise = random.Random(2).randbytes(100_000)
        archive.response(
            "http://a.example/",
            gzip.compress(noise)[:50_000],
            headers=(("Content-Encoding", "gzip"),),
        )
        (page,) = read_pages(saved(archive, tmp_path))
        assert isinstance(page.content, bytes)
        assert noise.startswith(page.content)
        assert len(page.content) > 40_000

    @pytest.mark.parametrize("coding", ["gzip", "br", "identity"])
    def test_an_oversized_response_is_replaced_by_a_message_that_reports_it(
        self, tmp_path: Path, coding: str
    ) -> None:
        archive = Archive(compressed=True)
        content = bytes(40_000_000)
        encode = {"gzip": gzip.compress, "br": brotli.compress, "identity": bytes}[coding]
        archive.response(
            "http://a.example/huge",
            encode(content),
            headers=(("Content-Encoding", coding),),
            record_id="<urn:uuid:9>",
        )
        archive.response("http://a.example/small", HTML)
        huge, small = read_json(saved(archive, tmp_path))
        assert huge["unusable"]["reason"] == "oversized"
        assert (huge["id"], huge["url"]) == ("urn:uuid:9", "http://a.example/huge")
        assert small["url"] == "http://a.example/small"

    @pytest.mark.parametrize("cut", [5, 60, 250, 400], ids=lambda cut: f"{cut} bytes")
    def test_a_truncated_file_gives_its_pages_and_then_an_error(
        self, archive: Archive, tmp_path: Path, cut: int
    ) -> None:
        archive.response("http://a.example/1", HTML)
        archive.response("http://a.example/2", random.Random(3).randbytes(300))
        path = saved(archive, tmp_path)
        path.write_bytes(path.read_bytes()[:-cut])
        messages = read_messages(path)
        assert json.loads(next(messages))["url"] == "http://a.example/1"
        with pytest.raises(SourceError, match=r"crawl\.warc"):
            list(messages)

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"<html></html>",
            b"WARC/1.0\r\n",
            b"WARC/1.0\r\nWARC-Type: response\r\n\r\n",
            bytes(99),
        ],
        ids=["empty", "html", "a version alone", "no length", "zeros"],
    )
    def test_a_file_that_is_not_an_archive(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "crawl.warc"
        path.write_bytes(content)
        with pytest.raises(SourceError, match=r"crawl\.warc") as caught:
            list(read_messages(path))
        assert "\n" not in str(caught.value)


def test_a_folder_may_contain_all_file_types(tmp_path: Path) -> None:
    archive = Archive(compressed=True)
    archive.response("http://b.example/", HTML)
    (tmp_path / "a.jsonl").write_text('{"url": "http://a.example/"}\n')
    (tmp_path / "b.warc.gz").write_bytes(archive.content)
    (tmp_path / "c.example").mkdir()
    (tmp_path / "c.example" / "index.html").write_bytes(HTML)
    (tmp_path / "notes.txt").write_text("left out")
    assert [message["url"] for message in read_json(tmp_path)] == [
        "http://a.example/",
        "http://b.example/",
        "https://c.example/index.html",
    ]
    written = tmp_path / "c.example" / ".." / "a.jsonl"
    assert len(list(read_messages(tmp_path, left_out=[written]))) == 2


def test_a_folder_may_be_given_a_url_and_a_site(tmp_path: Path) -> None:
    (tmp_path / "2024").mkdir()
    (tmp_path / "2024" / "a b.html").write_text("<p>a")
    origin = Origin("https://news.example/archive/", "news")
    (body,) = read_messages(tmp_path, origin)
    message = PageMessage.model_validate_json(body)
    assert message.url == "https://news.example/archive/2024/a%20b.html"
    assert message.site == "news"
