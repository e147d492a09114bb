"""HTTP transfer and content codings (RFC 9112, section 7; RFC 9110, section 8.4)."""

import zlib

import brotli

_BLOCK_BYTES = 64 * 1024


def dechunked(body: bytes) -> bytes:
    """Undo the chunked transfer coding, as far as possible.

    A body that is not chunked is returned unchanged, because crawlers may keep the header of a
    body that they have decoded.
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


def decoded(body: bytes, coding: str, *, limit: int) -> bytes:
    """Undo a content coding, as far as possible; return a body with another coding unchanged.

    Decoding stops at most one block after `limit` bytes.
    """
    if coding in {"gzip", "x-gzip"}:
        return _inflated(body, 16 + zlib.MAX_WBITS, limit) or body
    if coding == "deflate":
        # The standard requires a zlib wrapper, but some servers omit it.
        wrapped = _inflated(body, zlib.MAX_WBITS, limit)
        return wrapped or _inflated(body, -zlib.MAX_WBITS, limit) or body
    if coding == "br":
        return _unbrotlied(body, limit) or body
    return body


def _inflated(body: bytes, window_bits: int, limit: int) -> bytes:
    decompressor = zlib.decompressobj(window_bits)
    whole = bytearray()
    while len(whole) < limit:
        try:
            part = decompressor.decompress(body, _BLOCK_BYTES)
        except zlib.error:
            break
        whole += part
        body = decompressor.unconsumed_tail
        # After a full block, output may be pending although all input has been consumed.
        if not body and len(part) < _BLOCK_BYTES:
            break
    return bytes(whole)


def _unbrotlied(body: bytes, limit: int) -> bytes:
    decompressor = brotli.Decompressor()
    whole = bytearray()
    while len(whole) < limit:
        try:
            part = decompressor.process(body, output_buffer_limit=_BLOCK_BYTES)
        except brotli.error:
            break
        if not part:
            break
        whole += part
        body = b""
    return bytes(whole)
