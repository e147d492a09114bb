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
"""Zstandard's magic number, with which neither JSON nor zlib's format begins."""


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
    """Decompress Zstandard or zlib up to a limit; raise `DamagedBytesError` if impossible."""
    try:
        unpacking = (
            zstd.ZstdDecompressor() if packed.startswith(ZSTANDARD) else zlib.decompressobj()
        )
        content: bytes = unpacking.decompress(packed, limit + 1)
    except (zstd.ZstdError, zlib.error) as error:
        raise DamagedBytesError(f"cannot be decompressed: {error}") from error
    if len(content) > limit:
        raise DamagedBytesError(f"more than {limit} bytes when decompressed")
    if not unpacking.eof:
        raise DamagedBytesError("truncated")
    if unpacking.unused_data:
        raise DamagedBytesError("unexpected bytes after the end")
    return content
