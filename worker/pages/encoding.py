"""From the bytes of a page to its text."""

import re
from dataclasses import dataclass

import charset_normalizer
import webencodings

from worker.pages.errors import UndecodableError
from worker.pages.media import charset_label

_PRESCAN_BYTES = 16384
_META = re.compile(rb"""<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([^\s"'/>;]+)""", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_XML = re.compile(rb"""\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([^"']+)["']""")
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32le"),
    (b"\x00\x00\xfe\xff", "utf-32be"),
    (b"\xff\xfe", "utf-16le"),
    (b"\xfe\xff", "utf-16be"),
)


@dataclass(frozen=True)
class DecodedPage:
    """Text of a page and the canonical name of the encoding it was in."""

    text: str
    encoding: str


def decode(content: bytes, content_type: str | None = None) -> DecodedPage:
    for bom, name in _BOMS:
        if content.startswith(bom):
            return DecodedPage(content[len(bom) :].decode(name, "replace"), name)
    try:
        return DecodedPage(content.decode(), "utf-8")
    except UnicodeDecodeError:
        pass
    head = _COMMENT.sub(b"", content[:_PRESCAN_BYTES])
    labels = [charset_label(content_type)]
    for pattern in (_META, _XML):
        match = pattern.search(head)
        labels.append(match[1].decode("latin-1") if match else None)
    for label in labels:
        found = webencodings.lookup(label) if label else None
        if found is None:
            continue
        text = content.decode(found.codec_info.name, "replace")
        if text.count("\ufffd") <= len(text) / 1000:
            return DecodedPage(text, found.name)
    best = charset_normalizer.from_bytes(content).best()
    if best is None:
        raise UndecodableError("the bytes are no text in any encoding")
    return DecodedPage(str(best), best.encoding)
