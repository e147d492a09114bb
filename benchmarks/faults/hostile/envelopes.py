"""Kinds of messages with hostile properties, headers or compression."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from functools import cache
from struct import pack

import brotli

from benchmarks.faults.hostile.sent import (
    HOSTILE_TEXTS,
    Draw,
    Kind,
    Make,
    Sent,
    entry,
    table_entry,
    text_entry,
)

COPIES = 27  # number of messages of each kind, unless stated otherwise: three for each hostile text

FEW_COPIES = 3  # number of messages of each slow or memory-intensive kind

BOMB_BYTES = 1 << 30
MODEST_BOMB_BYTES = 96 << 20
"""Uncompressed sizes of compression bombs, in bytes. Both exceed the maximum size of a body; the
smaller bomb is quick to create."""

TEXT_PROPERTIES = (
    *("message_id", "content_type", "content_encoding", "correlation_id", "reply_to"),
    *("type", "app_id", "cluster_id"),
)


def kinds() -> Iterator[Kind]:
    """Yield every kind of message that this module defines."""
    for name in TEXT_PROPERTIES:
        yield Kind("properties", f"{name} with hostile bytes", _text_property(name), COPIES)
    for name, (make, copies) in _PROPERTIES.items():
        yield Kind("properties", name, make, copies)
    for name, make in _HEADERS.items():
        yield Kind("headers", name, make, COPIES)
    for name, (make, copies) in _COMPRESSIONS.items():
        yield Kind("compression", name, make, copies)


def _text_property(name: str) -> Make:
    def make(draw: Draw) -> Sent:
        value = draw.one_of(HOSTILE_TEXTS)
        return draw.send(draw.body(), is_sound=True, **{name: value})

    return make


def _with_properties(**properties: object) -> Make:
    return lambda draw: draw.send(draw.body(), is_sound=True, **properties)


def _without_properties(draw: Draw) -> Sent:
    return Sent(draw.body(), b"\x00\x00", is_sound=True)


def _extreme_numbers(draw: Draw) -> Sent:
    timestamp = draw.one_of((0, 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1))
    priority = draw.one_of((0, 9, 255))
    return draw.send(draw.body(), is_sound=True, timestamp=timestamp, priority=priority)


def _all_properties_hostile(draw: Draw) -> Sent:
    hostile = draw.one_of(HOSTILE_TEXTS)
    texts = dict.fromkeys(TEXT_PROPERTIES, hostile)
    return draw.send(
        draw.body(), is_sound=True, application_headers=text_entry(b"a", hostile), **texts
    )


def _unusable_with_hostile_id(draw: Draw) -> Sent:
    body = b"\xfe not a message " + draw.message_id.encode()
    return draw.send(body, message_id=draw.one_of(HOSTILE_TEXTS))


_PROPERTIES = {
    "no properties": (_without_properties, COPIES),
    "every property with hostile bytes": (_all_properties_hostile, COPIES),
    "message_id repeated": (_with_properties(message_id=b"the same"), COPIES),
    "message_id with hostile bytes, unusable body": (_unusable_with_hostile_id, COPIES),
    "extreme timestamp and priority": (_extreme_numbers, COPIES),
    "unknown delivery_mode": (_with_properties(delivery_mode=200), COPIES),
    "non-persistent delivery_mode": (_with_properties(delivery_mode=1), COPIES),
    "immediate expiration": (_with_properties(expiration=b"0"), COPIES),
    "non-numeric expiration": (_with_properties(expiration=b"soon\xff"), FEW_COPIES),
    "user_id of another user": (_with_properties(user_id=b"root\xff"), FEW_COPIES),
}


def _with_headers(content: bytes) -> Make:
    return _with_properties(application_headers=content)


def _hostile_header(draw: Draw) -> Sent:
    """Return a message whose headers have hostile names and values."""
    hostile = draw.one_of(HOSTILE_TEXTS)
    content = text_entry(hostile[:255], hostile) + text_entry(b"x-reason", hostile)
    return draw.send(draw.body(), is_sound=True, application_headers=content)


def _nested_header(depth: int, tag: bytes) -> bytes:
    """Return a header table in which tables or arrays are nested."""
    content = b""
    for _ in range(depth):
        inner = pack(">I", len(content)) + content
        content = entry(b"a", b"F", inner) if tag == b"F" else b"A" + inner
    return content if tag == b"F" else entry(b"a", b"A", pack(">I", len(content)) + content)


def _unknown_type(draw: Draw) -> Sent:
    content = entry(b"a", draw.one_of((b"?", b"\x00", b"\xff", b"Z")), b"\x00" * 8)
    return draw.send(draw.body(), is_sound=True, application_headers=content)


def _every_type(draw: Draw) -> Sent:
    """Return a message with a header of one of the AMQP types, with an extreme value."""
    tagged_values = (
        *((b"t", b"\x02"), (b"b", b"\x80"), (b"s", b"\x80\x00"), (b"I", b"\x80\x00\x00\x00")),
        *((b"l", b"\x80" + b"\x00" * 7), (b"f", b"\x7f\xc0\x00\x00")),
        (b"d", b"\x7f\xf0" + bytes(6)),
        *((b"D", b"\xff\x7f\xff\xff\xff"), (b"T", b"\xff" * 8), (b"V", b"")),
        *((b"x", b"\x00\x00\x00\x02\xff\x00"), (b"F", bytes(4)), (b"A", bytes(4))),
    )
    name, value = draw.one_of(tagged_values)
    return draw.send(draw.body(), is_sound=True, application_headers=entry(b"a", name, value))


def _forged_death(draw: Draw) -> Sent:
    """Return a message with headers that only the broker or the service should write."""
    forged = (
        text_entry(b"x-death", b"\xff"),
        table_entry(b"x-death", b"S" + pack(">I", 1) + b"a", tag=b"A"),
        table_entry(b"x-death", text_entry(b"reason", b"\n\x1b[31mexpired")),
        text_entry(b"x-delivery-count", b"many"),
        entry(b"x-delivery-count", b"l", b"\x7f" + b"\xff" * 7),
        text_entry(b"x-detail", b"d" * 60_000) + text_entry(b"x-failed-at", b"never\x00"),
    )
    return draw.send(draw.body(), is_sound=True, application_headers=draw.one_of(forged))


def _celery_headers(draw: Draw) -> Sent:
    """Return a message that looks like a Celery task with a pickled body."""
    content = text_entry(b"task", b"detourage.reprocess") + text_entry(b"id", b"\xff")
    content += text_entry(b"lang", b"py") + text_entry(b"argsrepr", b"()")
    return draw.send(
        draw.body(),
        is_sound=True,
        application_headers=content,
        content_type=b"application/x-python-serialize",
        content_encoding=b"binary",
    )


def _compression_of_type(draw: Draw) -> Sent:
    """Return a message whose header "compression" is not the expected text."""
    entries = (
        entry(b"compression", b"t", b"\x01"),
        entry(b"compression", b"I", b"\x00\x00\x00\x01"),
        entry(b"compression", b"V", b""),
        entry(b"compression", b"x", pack(">I", 2) + b"\xff\xfe"),
        table_entry(b"compression", text_entry(b"gzip", b"gzip")),
        table_entry(b"compression", b"", tag=b"A"),
        text_entry(b"compression", b"z" * 10_000),
        text_entry(b"compression", b"\x1b[31m\n"),
    )
    return draw.send(draw.body(), is_sound=True, application_headers=draw.one_of(entries))


_HEADERS = {
    "header with hostile bytes": _hostile_header,
    "header of every type, with an extreme value": _every_type,
    "header of an unknown type": _unknown_type,
    "header longer than the message": _with_headers(b"\x01aS\x7f\xff\xff\xff"),
    "tables nested 100 deep": _with_headers(_nested_header(100, b"F")),
    "tables nested 5,000 deep": _with_headers(_nested_header(5_000, b"F")),
    "arrays nested 5,000 deep": _with_headers(_nested_header(5_000, b"A")),
    "header of 60 kB": _with_headers(text_entry(b"a", b"\xff" * 60_000)),
    "3,000 headers": _with_headers(
        b"".join(text_entry(b"h%d" % number, b"v") for number in range(3_000))
    ),
    "the same header 3,000 times": _with_headers(text_entry(b"x-reason", b"v") * 3_000),
    "headers that only the broker should write": _forged_death,
    "headers of a Celery task": _celery_headers,
    "compression of every type": _compression_of_type,
}


def _send_compressed(draw: Draw, body: bytes, name: bytes, *, is_sound: bool = False) -> Sent:
    """Return a message whose compression is declared by a property or by a header."""
    if draw.number % 2:
        return draw.send(body, is_sound=is_sound, content_encoding=name)
    headers = text_entry(b"compression", name)
    return draw.send(body, is_sound=is_sound, application_headers=headers)


_COMPRESSORS = (
    (b"gzip", gzip.compress),
    (b"application/x-gzip", gzip.compress),
    (b"deflate", zlib.compress),
    (b"bzip2", bz2.compress),
    (b"application/x-bz2", bz2.compress),
    (b"xz", lzma.compress),
    (b"application/x-lzma", lzma.compress),
    (b"br", brotli.compress),
)


def _compressed(draw: Draw) -> Sent:
    name, compress = draw.one_of(_COMPRESSORS)
    return _send_compressed(draw, compress(draw.body()), name, is_sound=True)


def _compressed_twice(draw: Draw) -> Sent:
    name, compress = draw.one_of(_COMPRESSORS)
    return _send_compressed(draw, compress(compress(draw.body())), name)


def _truncated(draw: Draw) -> Sent:
    name, compress = draw.one_of(_COMPRESSORS)
    return _send_compressed(draw, compress(draw.body())[:-20], name)


def _damaged(draw: Draw) -> Sent:
    """Return a compressed body with five changed bytes."""
    name, compress = draw.one_of(_COMPRESSORS)
    body = bytearray(compress(draw.body()))
    for _ in range(5):
        body[draw.random.randrange(10, len(body))] ^= 0xFF
    return _send_compressed(draw, bytes(body), name)


def _compressed_otherwise(draw: Draw) -> Sent:
    """Return a body that starts with a NUL byte and is compressed by an undeclared method."""
    name, _ = draw.one_of(_COMPRESSORS)
    _, compress = _COMPRESSORS[(draw.number + 3) % len(_COMPRESSORS)]
    return _send_compressed(draw, b"\x00" + compress(draw.body()), name)


def _unknown_compression(draw: Draw) -> Sent:
    names = (b"zstd", b"compress", b"lz4", b"\xff", b"../../etc/passwd", b"gzip, br", b"GZIP\x00")
    return _send_compressed(draw, b"\x00\x01" + draw.body(), draw.one_of(names))


def _plain_declared_compressed(draw: Draw) -> Sent:
    names = (b"gzip", b"zstd", b"br", b"no-such-thing", b"utf-16", b"rot13", b"hex_codec", b"zip")
    return _send_compressed(draw, draw.body(), draw.one_of(names), is_sound=True)


@cache
def _gzip_bomb() -> bytes:
    """Return a small body that decompresses to a gibibyte."""
    # A flushed block ends on a byte boundary and can therefore be repeated.
    deflate = zlib.compressobj(9, zlib.DEFLATED, 31)
    start = deflate.compress(b"{") + deflate.flush(zlib.Z_FULL_FLUSH)
    block = deflate.compress(bytes(1 << 20)) + deflate.flush(zlib.Z_FULL_FLUSH)
    return start + block * (BOMB_BYTES >> 20)


@cache
def _bzip2_bomb() -> bytes:
    return bz2.compress(bytes(MODEST_BOMB_BYTES), 9)


@cache
def _lzma_bomb() -> bytes:
    return lzma.compress(bytes(MODEST_BOMB_BYTES), preset=0)


@cache
def _lzma_with_huge_dictionary() -> bytes:
    # The header requests a dictionary of 4 GiB, although the file has only one byte.
    return b"\x5d\xff\xff\xff\xff" + b"\xff" * 8 + lzma.compress(b"{", lzma.FORMAT_ALONE)[13:]


@cache
def _brotli_bomb() -> bytes:
    return bytes(brotli.compress(bytes(MODEST_BOMB_BYTES), quality=3))


_COMPRESSIONS = {
    "compressed as declared in the header": (_compressed, COPIES),
    "compressed twice": (_compressed_twice, COPIES),
    "compressed and truncated": (_truncated, COPIES),
    "compressed and damaged": (_damaged, COPIES),
    "compressed differently than declared": (_compressed_otherwise, COPIES),
    "unknown compression": (_unknown_compression, COPIES),
    "compression declared for a plain body": (_plain_declared_compressed, COPIES),
    "gzip bomb of 1 GiB": (lambda draw: _send_compressed(draw, _gzip_bomb(), b"gzip"), FEW_COPIES),
    "bzip2 bomb": (lambda draw: _send_compressed(draw, _bzip2_bomb(), b"bzip2"), FEW_COPIES),
    "lzma bomb": (lambda draw: _send_compressed(draw, _lzma_bomb(), b"xz"), FEW_COPIES),
    "lzma that requires 4 GiB": (
        lambda draw: _send_compressed(draw, _lzma_with_huge_dictionary(), b"lzma"),
        FEW_COPIES,
    ),
    "brotli bomb": (lambda draw: _send_compressed(draw, _brotli_bomb(), b"br"), FEW_COPIES),
}
