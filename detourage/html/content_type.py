"""Detection of content that is not HTML."""

import re

from detourage.html.page_errors import NotHtmlError
from detourage.text.lazy_patterns import lazy_pattern

# Signatures of non-HTML formats that crawlers find at page URLs.
_SIGNATURES: tuple[tuple[bytes | tuple[bytes, ...], str], ...] = (
    (b"%PDF-", "PDF"),
    (b"%!PS-Adobe", "PostScript"),
    (b"{\\rtf", "RTF"),
    (b"\x89PNG\r\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    ((b"GIF87a", b"GIF89a"), "GIF"),
    ((b"II*\x00", b"MM\x00*"), "TIFF"),
    (b"\x00\x00\x01\x00", "icon"),
    ((b"PK\x03\x04", b"PK\x05\x06"), "ZIP"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh91AY&SY", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Microsoft Office"),
    (b"\x7fELF", "ELF"),
    (b"MZ\x90\x00", "Windows executable"),
    (b"\x00asm", "WebAssembly"),
    (b"OggS\x00", "Ogg"),
    ((b"ID3\x03", b"ID3\x04"), "MP3"),
    (b"fLaC\x00", "FLAC"),
    (b"FLV\x01", "Flash video"),
    (b"\x1aE\xdf\xa3", "Matroska"),
    ((b"wOFF\x00", b"wOF2\x00"), "font"),
    (b"SQLite format 3\x00", "SQLite"),
)
# Bytes 0 to 3 and 8 to 11 of further formats.
_CONTAINERS = {(b"RIFF", b"WEBP"), (b"RIFF", b"WAVE"), (b"RIFF", b"AVI ")}
_MP4_START = re.compile(rb"\x00\x00..ftyp", re.DOTALL)
_HEAD_LENGTH = 1024  # leading bytes or characters searched for a signature
_MARKUP_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/xml", "application/xml"})
# Types that servers send if they do not know the actual type.
_UNDECIDED_TYPES = frozenset({"text/plain", "application/octet-stream", "application/x-unknown"})
_MEDIA_TYPE = lazy_pattern(r"\s*([\w!#$&^.+-]+/[\w!#$&^.+-]+)\s*(?:[;,]|$)")
_CHARSET = lazy_pattern(
    r";\s*charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;,\"']+))", re.IGNORECASE
)


def media_type(content_type: str | None) -> str | None:
    """Return the lower-case media type of a Content-Type header, or None."""
    match = _MEDIA_TYPE.match(content_type) if content_type else None
    return match[1].lower() if match else None


def charset_label(content_type: str | None) -> str | None:
    """Return the charset in a Content-Type header as written there, or None."""
    match = _CHARSET.search(content_type) if content_type else None
    return (match[1] or match[2] or match[3]) if match else None


def check_content_type(content_type: str | None) -> None:
    """Raise `NotHtmlError` if the header declares a known type other than HTML, XHTML or XML."""
    declared = media_type(content_type)
    if declared is None or declared in _MARKUP_TYPES | _UNDECIDED_TYPES:
        return
    if declared.endswith("+xml") and declared.startswith(("application/", "text/")):
        return
    raise NotHtmlError(f"the page is declared to be {declared}")


def check_signature(content: bytes | str) -> None:
    """Raise `NotHtmlError` if the content starts with the signature of another format."""
    head = content[:_HEAD_LENGTH]
    start = (head if isinstance(head, bytes) else head.encode("latin-1", "replace")).lstrip()
    for signatures, name in _SIGNATURES:
        if start.startswith(signatures):
            raise NotHtmlError(f"the page is a {name} file")
    if (start[:4], start[8:12]) in _CONTAINERS or _MP4_START.match(start):
        raise NotHtmlError("the page is an image, audio or video file")
