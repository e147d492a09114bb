"""Page messages from WARC archives (ISO 28500).

No library is used, because the available ones silently stop where a file is truncated, and
decompress responses without a limit.
"""

import io
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO, NamedTuple

from detourage.inputs.new_messages import oversized_message, page_message
from detourage.inputs.streams import SourceError, open_source
from detourage.limits import MAX_CONTENT_BYTES

_BLOCK_BYTES = 64 * 1024  # decompressed bytes produced per step
_PAGE_OR_ERROR = re.compile(rb"\s*\S+\s+([245][0-9]{2})(?:\s|\Z)")
"""Status line of a page or an HTTP error, such as ``HTTP/1.1 200 OK``; redirects do not match."""


def undo_chunking(body: bytes) -> bytes:
    """Return a body without chunked transfer coding, which the crawler may already have undone.

    Each chunk follows a line with its length in hexadecimal; the last chunk is empty.
    """
    chunks = []
    start = 0
    while (end := body.find(b"\n", start)) >= 0:
        try:
            length = int(body[start:end].split(b";")[0], 16)
        except ValueError:
            break
        chunks.append(body[end + 1 : end + 1 + max(length, 0)])
        start = end + 1 + length + len(b"\r\n")
        if length <= 0:
            break
    return b"".join(chunks) if chunks else body


def decompress(body: bytes, coding: str, *, limit: int) -> bytes:
    """Return as much of a body as can be decompressed, up to `limit` plus `_BLOCK_BYTES` bytes."""
    if coding in {"gzip", "x-gzip"}:
        return _inflate(body, 16 + zlib.MAX_WBITS, limit) or body
    if coding == "deflate":
        # The standard requires a zlib wrapper, but some servers omit it.
        with_wrapper = _inflate(body, zlib.MAX_WBITS, limit)
        return with_wrapper or _inflate(body, -zlib.MAX_WBITS, limit) or body
    if coding == "br":
        return _unpack_brotli(body, limit) or body
    return body


def _inflate(body: bytes, window_bits: int, limit: int) -> bytes:
    decompressor = zlib.decompressobj(window_bits)
    content = bytearray()
    while len(content) < limit:
        try:
            part = decompressor.decompress(body, _BLOCK_BYTES)
        except zlib.error:
            break
        content += part
        body = decompressor.unconsumed_tail
        # After a full block, output may be pending although all input has been consumed.
        if not body and len(part) < _BLOCK_BYTES:
            break
    return bytes(content)


def _unpack_brotli(body: bytes, limit: int) -> bytes:
    import brotli

    decompressor = brotli.Decompressor()
    content = bytearray()
    while len(content) < limit:
        try:
            part = decompressor.process(body, output_buffer_limit=_BLOCK_BYTES)
        except brotli.error:
            break
        if not part:
            break
        content += part
        body = b""
    return bytes(content)


_MAX_HEAD_BYTES = 1024 * 1024  # size of the header fields of a record or an HTTP response
_MAX_BLOCK_BYTES = MAX_CONTENT_BYTES + _MAX_HEAD_BYTES  # size of a response that is read


class _TruncatedError(Exception):
    pass


class _Record(NamedTuple):
    fields: dict[str, str]
    length: int  # length of the whole block; at most `_MAX_BLOCK_BYTES` of it are read
    block: bytes


def read_warc(path: Path) -> Iterator[bytes]:
    """Yield a message for each response of any media type that is a page or an HTTP error."""
    with open_source(path) as stream:
        for record in _records(stream, path):
            message = _message(record)
            if message is not None:
                yield message


def _records(stream: IO[bytes], path: Path) -> Iterator[_Record]:
    position = "the beginning"  # for error messages
    while version := _next_line(stream):
        if not version.startswith(b"WARC/"):
            raise SourceError(path, f"is not WARC, or damaged, after {position}")
        try:
            fields = _read_fields(stream)
            position = f"the record of {fields.get('warc-target-uri', 'no URL')}"
            length = int(fields["content-length"])
            block = _read_exactly(stream, min(length, _MAX_BLOCK_BYTES))
            unread = length - len(block)
            while unread:
                unread -= len(_read_exactly(stream, min(unread, 1024 * 1024)))
        except _TruncatedError:
            raise SourceError(path, f"is truncated after {position}") from None
        except (KeyError, ValueError):
            raise SourceError(path, f"has no valid length in {position}") from None
        yield _Record(fields, length, block)
    if position == "the beginning":
        raise SourceError(path, "contains no WARC records")


def _next_line(stream: IO[bytes]) -> bytes:
    """Return the next line that is not blank, or an empty line at the end."""
    while line := stream.readline(_MAX_HEAD_BYTES):
        if not line.isspace():
            return line
    return b""


def _read_fields(stream: IO[bytes]) -> dict[str, str]:
    """Return WARC or HTTP header fields by lower-case name; the first of repeated fields counts."""
    fields: dict[str, list[str]] = {}
    value_lines: list[str] = []
    remaining_bytes = _MAX_HEAD_BYTES
    while (line := stream.readline(remaining_bytes)).strip(b"\r\n"):
        remaining_bytes -= len(line)
        text = line.decode("utf-8", errors="replace").rstrip("\r\n")
        if text[0] in " \t" and fields:  # continues the value of the previous line
            value_lines.append(text.strip())
            continue
        name, _, beginning = text.partition(":")
        value_lines = [beginning.strip()]
        fields.setdefault(name.strip().lower(), value_lines)
    if not line:
        raise _TruncatedError
    return {name: " ".join(lines) for name, lines in fields.items()}


def _read_exactly(stream: IO[bytes], length: int) -> bytes:
    if length < 0:
        raise ValueError("negative length")
    block = stream.read(length)
    if len(block) < length:
        raise _TruncatedError
    return block


def _message(record: _Record) -> bytes | None:
    """Return the page message for a record of a page or an HTTP error; None for other records."""
    if record.fields.get("warc-type") != "response":
        return None
    # wget writes angle brackets around the URL, because of an error in the standard's grammar.
    url, identifier = (
        record.fields.get(name, "").strip("<>") for name in ("warc-target-uri", "warc-record-id")
    )
    if not url.lower().startswith(("http://", "https://")):
        return None
    stream = io.BytesIO(record.block)
    status = _PAGE_OR_ERROR.match(stream.readline())
    if status is None:
        return None
    try:
        headers = _read_fields(stream)
    except _TruncatedError:
        headers = {}
    if record.length > len(record.block):
        detail = f"a response of {record.length} bytes"
        return oversized_message(detail, url=url, identifier=identifier)
    return page_message(
        url=url,
        identifier=identifier,
        content=_content(stream.read(), headers),
        content_type=headers.get("content-type"),
        fetched_at=_complete_timestamp(record.fields.get("warc-date", "")),
        status=int(status[1]),
        headers=headers,
    )


def _content(body: bytes, headers: dict[str, str]) -> bytes:
    """Return an HTTP body without its transfer coding and its last three content codings."""
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = undo_chunking(body)
    # The number is limited because a hostile header may name thousands of codings.
    codings = headers.get("content-encoding", "").split(",")[-3:]
    for coding in reversed(codings):
        body = decompress(body, coding.strip().lower(), limit=MAX_CONTENT_BYTES + 1)
    return body


def _complete_timestamp(date: str) -> str | None:
    """Return a date if it has a time and a zone, otherwise None; WARC 1.1 allows less precision."""
    with suppress(ValueError):
        return date if datetime.fromisoformat(date).tzinfo else None
    return None
