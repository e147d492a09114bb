import bz2
import gzip
import lzma
import zlib

import brotli
import pytest

from detourage.inputs.message_validation import UnusableMessageError
from detourage.limits import MAX_BODY_BYTES
from worker.messaging.compression import plain_body

BODY = b'{"version": 1, "url": "https://news.example/a", "html": "<p>Text</p>"}'
BOMB = bytes(MAX_BODY_BYTES + 1)
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


def refusal_reason(body: bytes, headers: dict[str, object], encoding: str | None = None) -> str:
    with pytest.raises(UnusableMessageError) as caught:
        plain_body(body, headers, encoding)
    return caught.value.reason


@pytest.mark.parametrize(("headers", "encoding", "body"), COMPRESSED)
def test_a_compressed_body_is_decompressed_if_it_is_complete(
    headers: dict[str, object], encoding: str | None, body: bytes
) -> None:
    assert plain_body(body, headers, encoding) == BODY
    assert refusal_reason(body[:-9], headers, encoding) == "undecodable-body"


@pytest.mark.parametrize("name", ["gzip", "no-such-thing", "application/zstd", 7, b"\xff", ["a"]])
def test_an_uncompressed_body_is_read_whatever_encoding_is_declared(name: object) -> None:
    assert plain_body(BODY, {"compression": name}, "utf-8") == BODY
    assert plain_body(b"\xef\xbb\xbf \n" + BODY, {"compression": name}, None).endswith(BODY)


@pytest.mark.parametrize("name", ["gzip", "bzip2", "lzma", "br", "no-such-thing"])
def test_a_body_with_a_wrong_encoding_is_unusable(name: str) -> None:
    assert refusal_reason(b"\x00\x01\x02 noise", {"compression": name}) == "undecodable-body"


@pytest.mark.parametrize(
    ("name", "bomb"),
    [
        ("gzip", zlib.compress(BOMB, level=1)),
        ("bzip2", bz2.compress(BOMB, compresslevel=1)),
        ("lzma", lzma.compress(BOMB, preset=0)),
        ("br", brotli.compress(BOMB, quality=1)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_decompression_bomb_is_refused_as_oversized(name: str, bomb: bytes) -> None:
    assert refusal_reason(bomb, {"compression": name}) == "oversized"
