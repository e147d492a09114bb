"""Reading a decompression bomb takes bounded memory and raises a clear error."""

import gzip
import io
import json
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import brotli
import pytest

from detourage.inputs import SourceError, read_messages, streams
from detourage.limits import MAX_MESSAGE_BYTES
from tests.pages import article_html, message

MIB = 2**20
ENOUGH_BYTES = 6 * MAX_MESSAGE_BYTES
"""Memory for a message, its base64 form, its decoded content and the read-ahead buffer."""


@contextmanager
def bounded_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < ENOUGH_BYTES


def gzip_of_zeros(size: int) -> bytes:
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as stream:
        for _ in range(size // MIB):
            stream.write(bytes(MIB))
    return packed.getvalue()


def record(body: bytes, *headers: str) -> bytes:
    response = "\r\n".join(("HTTP/1.1 200 OK", *headers)).encode() + b"\r\n\r\n" + body
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/\r\n"
        f"WARC-Record-ID: <urn:a>\r\nContent-Length: {len(response)}\r\n\r\n"
    )
    return head.encode() + response + b"\r\n\r\n"


@pytest.mark.parametrize("name", ["bomb.jsonl.gz", "bomb.warc.gz", "bomb.html.gz"])
def test_a_decompression_bomb_is_rejected(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip_of_zeros(128 * MIB))
    with bounded_memory():
        if name.startswith("bomb.html"):
            (found,) = read_messages(path)
            assert json.loads(found)["unusable"]["reason"] == "oversized"
        elif name.startswith("bomb.warc"):
            with pytest.raises(SourceError):
                list(read_messages(path))
        else:
            with pytest.raises(SourceError, match="200 times its size"):
                list(read_messages(path))


def test_a_repetitive_crawl_is_not_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "FREE_BYTES", 0)
    line = message("https://news.example/", article_html(1, number=40)) + b"\n"
    path = tmp_path / "crawl.jsonl.gz"
    path.write_bytes(gzip.compress(line * 300))
    assert len(list(read_messages(path))) == 300


@pytest.mark.parametrize(
    ("coding", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("br", brotli.compress)],
)
def test_a_response_that_is_a_decompression_bomb_is_oversized(
    tmp_path: Path, coding: str, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "bomb.warc"
    path.write_bytes(record(pack(bytes(64 * MIB)), f"Content-Encoding: {coding}"))
    with bounded_memory():
        (found,) = read_messages(path)
    assert json.loads(found)["unusable"]["reason"] == "oversized"


def test_deeply_nested_codings_are_decoded_within_limits(tmp_path: Path) -> None:
    path = tmp_path / "nested.warc"
    body = gzip.compress(gzip_of_zeros(64 * MIB))
    path.write_bytes(record(body, "Content-Encoding: " + "gzip, " * 20_000))
    with bounded_memory():
        (found,) = read_messages(path)
    assert json.loads(found)["unusable"]["reason"] == "oversized"


def test_an_endlessly_continued_header_is_parsed_fast(tmp_path: Path) -> None:
    path = tmp_path / "head.warc"
    path.write_bytes(record(b"<p>Text", "X-Long: a" + "\r\n b" * 250_000))
    (found,) = read_messages(path)
    assert json.loads(found)["url"] == "https://a.example/"
