"""Compression of bytes for storage, and decompression up to a size limit."""

import sys
import zlib
from collections.abc import Mapping
from typing import Final

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZSTANDARD: Final = b"\x28\xb5\x2f\xfd"
"""Magic number at the start of Zstandard data, which neither JSON nor zlib data starts with."""


class DamagedBytesError(ValueError):
    """Stored bytes cannot be decompressed completely within the limit."""


def pack(content: bytes, level: int) -> bytes:
    """Compress bytes with Zstandard, and add a checksum to detect damage."""
    options: Mapping[int, int] = {
        zstd.CompressionParameter.compression_level: level,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    return zstd.compress(content, options=options)


def unpack(packed: bytes, limit: int) -> bytes:
    """Decompress Zstandard or zlib data; raise `DamagedBytesError` if it is damaged or too long."""
    is_zstandard = packed.startswith(ZSTANDARD)
    decompressor = zstd.ZstdDecompressor() if is_zstandard else zlib.decompressobj()
    try:
        content: bytes = decompressor.decompress(packed, limit + 1)
    except (zstd.ZstdError, zlib.error) as error:
        raise DamagedBytesError(f"cannot be decompressed: {error}") from error
    if len(content) > limit:
        raise DamagedBytesError(f"more than {limit} bytes when decompressed")
    if not decompressor.eof:
        raise DamagedBytesError("truncated")
    if decompressor.unused_data:
        raise DamagedBytesError("unexpected bytes after the end")
    return content
