"""Compressed bytes as stored, which are unpacked one by one and within a limit."""

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
    """Stored bytes are not what was stored."""


def pack(content: bytes, level: int) -> bytes:
    """Compress bytes with Zstandard, with a checksum that reveals any damage."""
    options: Mapping[int, int] = {
        zstd.CompressionParameter.compression_level: level,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    return zstd.compress(content, options=options)


def unpack(packed: bytes, limit: int) -> bytes:
    """Decompress bytes packed with Zstandard or zlib.

    Raises `DamagedBytesError` unless they are whole and have at most ``limit`` bytes. Unpacking
    stops at the limit.
    """
    try:
        unpacking = (
            zstd.ZstdDecompressor() if packed.startswith(ZSTANDARD) else zlib.decompressobj()
        )
        content: bytes = unpacking.decompress(packed, limit + 1)
    except (zstd.ZstdError, zlib.error) as error:
        raise DamagedBytesError(f"they cannot be unpacked: {error}") from error
    if len(content) > limit:
        raise DamagedBytesError(f"they have more than {limit} bytes when unpacked")
    if not unpacking.eof:
        raise DamagedBytesError("they are cut off")
    if unpacking.unused_data:
        raise DamagedBytesError("they are followed by others")
    return content
