"""Compression of stored bytes, and their decompression within a size limit."""

import sys
import zlib
from collections.abc import Mapping
from typing import Final

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZSTANDARD: Final = b"\x28\xb5\x2f\xfd"
"""Magic number of Zstandard data; neither JSON nor zlib data begin with it."""


class DamagedBytesError(ValueError):
    """Stored bytes are damaged."""


def pack(content: bytes, level: int) -> bytes:
    """Compress bytes with Zstandard, with a checksum that reveals any damage."""
    options: Mapping[int, int] = {
        zstd.CompressionParameter.compression_level: level,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    return zstd.compress(content, options=options)


def unpack(packed: bytes, limit: int) -> bytes:
    """Decompress Zstandard or zlib data; raise `DamagedBytesError` if damaged or over the limit."""
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
