import bz2
import gzip
import lzma
import zlib

import brotli
import pytest

from detourage.inputs.received import UnusableMessageError
from detourage.limits import MAX_BODY_BYTES
from worker.messaging.compression import plain_body

BODY = b'{"version": 1, "url": "https://news.example/a", "html": "<p>Text</p>"}'

COMPRESSED = [
    ({"compression": "application/x-gzip"}, None, zlib.compress(BODY)),
    ({"compression": "gzip"}, "utf-8", gzip.compress(BODY)),
    ({"compression": "application/x-bz2"}, "binary", bz2.compress(BODY)),
    ({"compression": "application/x-lzma"}, None, lzma.compress(BODY)),
    ({"compression": "application/x-lzma"}, None, lzma.compress(BODY, preset=9)),
    ({"compression": "application/x-brotli"}, None, brotli.compress(BODY)),
    ({}, "gzip", gzip.compress(BODY)),
    ({}, "br", brotli.compress(BODY)),
]


@pytest.mark.parametrize(("headers", "encoding", "body"), COMPRESSED)
def test_a_compressed_body_is_decompressed(
    headers: dict[str, object], encoding: str | None, body: bytes
) -> None:
    assert plain_body(body, headers, encoding) == BODY


@pytest.mark.parametrize(("headers", "encoding", "body"), COMPRESSED)
def test_a_truncated_compressed_body_is_unusable(
    headers: dict[str, object], encoding: str | None, body: bytes
) -> None:
    with pytest.raises(UnusableMessageError) as caught:
        plain_body(body[:-9], headers, encoding)
    assert caught.value.reason == "undecodable-body"


@pytest.mark.parametrize("name", ["gzip", "no-such-thing", "application/zstd", 7, b"\xff", ["a"]])
def test_an_uncompressed_body_is_read_whatever_encoding_is_declared(name: object) -> None:
    assert plain_body(BODY, {"compression": name}, "utf-8") == BODY
    assert plain_body(b"\xef\xbb\xbf \n" + BODY, {"compression": name}, None).endswith(BODY)


@pytest.mark.parametrize("name", ["gzip", "bzip2", "lzma", "br", "no-such-thing"])
def test_a_body_with_a_wrong_encoding_is_unusable(name: str) -> None:
    with pytest.raises(UnusableMessageError) as caught:
        plain_body(b"\x00\x01\x02 noise", {"compression": name}, None)
    assert caught.value.reason == "undecodable-body"


@pytest.mark.parametrize(
    ("name", "bomb"),
    [
        ("gzip", zlib.compress(bytes(MAX_BODY_BYTES + 1))),
        ("bzip2", bz2.compress(bytes(MAX_BODY_BYTES + 1))),
        ("lzma", lzma.compress(bytes(MAX_BODY_BYTES + 1), preset=0)),
        ("br", brotli.compress(bytes(MAX_BODY_BYTES + 1), quality=1)),
    ],
)
def test_a_bomb_is_oversized(name: str, bomb: bytes) -> None:
    with pytest.raises(UnusableMessageError) as caught:
        plain_body(bomb, {"compression": name}, None)
    assert caught.value.reason == "oversized"
