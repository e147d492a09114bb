"""Decode a page's bytes.

The encoding is determined in the order of the HTML standard (section 13.2.3.2) from the byte order
mark, the HTTP header, the declaration in the page, and statistics. Unlike in browsers, a
declaration counts only if the bytes agree with it.
"""

import codecs
import re
from codecs import CodecInfo
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from detourage.html.content_type import charset_label
from detourage.html.page_errors import UndecodableError
from detourage.records import record
from detourage.text.lazy_patterns import lazy_pattern

# Number of leading bytes searched for a declared encoding; the standard's 1,024 are too few.
PRESCAN_BYTES = 65_536
MIN_SEQUENCES = 3
"""Minimum number of multi-byte UTF-8 sequences to outweigh a declared East Asian encoding.

A Chinese character in such an encoding is valid UTF-8 with a probability of 1/7. One sequence
outweighs any other declaration, unless the page has invalid bytes.
"""

MAX_UTF8_STRAYS = 0.1  # invalid bytes per valid UTF-8 sequence for UTF-8 to override a declaration
MAX_STRAY_SHARE = 0.01  # undecodable sequences among the non-ASCII characters of a good reading
MAX_UNREADABLE_SHARE = 0.05  # unreadable characters in a text; random bytes have about 10 %
# Number added to a page's length, so that a single NUL does not make a short page unreadable.
SPARE_CHARACTERS = 100
MAX_FOREIGN_SHARE = 0.02
"""Maximum share of non-ASCII bytes in a page's letters for windows-1252 to be assumed.

Such a page is in English or a similar language, and most of the bytes are quotation marks."""

BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16le"),
    (b"\xfe\xff", "utf-16be"),
)
# Python's codecs with these names implement only the national standards; the web also uses the
# extensions by Microsoft and the Hong Kong government.
_WEB_CODECS = {
    "gb18030": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
}
# Statistics confuse these encodings, so they are tried in turn: a text in one of them is unreadable
# in any other. GB18030 is tried last, because it defines the most byte sequences, so that decoding
# without errors is only weak evidence for it.
_EAST_ASIAN = ("euc-jp", "shift_jis", "euc-kr", "big5", "gb18030")
# Names of encodings used by cchardet, mapped to their supersets in the Encoding Standard.
_DETECTED = {"uhc": "euc-kr", "koi8-r": "koi8-u", "iso-8859-11": "windows-874"}
# Unambiguous labels that occur on pages but that no browser supports.
_MISNOMERS = {
    "latin-1": "latin1",
    "utf_8": "utf-8",
    "utf8mb4": "utf-8",
    "cp932": "shift_jis",
    "cp936": "gbk",
    "cp949": "euc-kr",
    "cp950": "big5",
}
_DEFAULT = "windows-1252"
_META_TAG = re.compile(  # A comment, or a tag whose attributes are the first group
    rb"<!--(?:.*?-->|.*)|<meta(?=[\s/])((?:[^>\"']|\"[^\"]*\"|'[^']*')*+)",
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(  # a name, and its value with double, single or no quotation marks
    rb"(?<=[\s\"'/])([^\s\"'>/=]++)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))"
)
_XML_ENCODING = lazy_pattern(rb"\s*<\?xml\s[^>]*?\bencoding\s*=\s*[\"']([^\"'>]+)[\"']")
# Every alternative ends at the next bracket or consumes the rest, so the search takes linear time.
_UNSEEN_MARKUP = lazy_pattern(  # a script or style sheet, or a single tag
    rb"<(script|style)\b(?:.*?</\1\b[^<>]*>|.*)|<[^<>]*>", re.DOTALL | re.IGNORECASE
)
_ASCII_LETTERS = bytes(range(0x41, 0x5B)) + bytes(range(0x61, 0x7B))
_NON_ASCII = bytes(range(0x80, 0x100))
# Control characters except whitespace, and except those that switch character sets in ISO-2022.
_CONTROLS = bytes({*range(0x20), 0x7F} - set(b"\t\n\v\f\r\x1b\x0e\x0f"))
# Characters unlikely in text decoded as UTF-16: control characters, and private-use characters,
# which make up a tenth of the characters decoded from random bytes.
_UNLIKELY = lazy_pattern("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f\ue000-\uf8ff]")
_MARKUP_BYTES = 1024  # leading bytes of a page, most of which are ASCII markup in any language
_INVALID_BYTES = lazy_pattern("[\udc80-\udcff]+")  # as decoded with "surrogateescape"


class DecodedPage(NamedTuple):
    """A page's text and encoding; `utf8` is the text in UTF-8 if the page is valid UTF-8."""

    text: str
    encoding: str
    utf8: bytes | None


def decode(content: bytes, content_type: str | None = None) -> DecodedPage:
    """Decode a page's bytes, using its Content-Type header, and drop the byte order mark.

    Invalid bytes become U+FFFD, except isolated ones in a UTF-8 page, which were pasted from a
    windows-1252 text and are decoded as such. GB2312 and GBK are reported as their superset,
    ``gb18030``. Raise UndecodableError if the bytes are not text in any known encoding.
    """
    best: _Reading | None = None
    for encoding, unmarked in _candidates(content, content_type):
        reading = _read(unmarked, encoding)
        if best is None or reading.stray_share < best.stray_share:
            best = reading
        if reading.stray_share <= MAX_STRAY_SHARE:
            break
    if best is None or best.is_noise:
        raise UndecodableError("the bytes are not text in any known encoding")
    is_foreign = best.encoding == _DEFAULT and _is_foreign(best.content)
    encoding = _detect(best.content) if is_foreign else best.encoding
    if encoding in _CYRILLIC or (is_foreign and encoding == _DEFAULT):
        encoding = _cyrillic_encoding(best)
    best = best if encoding == best.encoding else _read(best.content, encoding)
    return DecodedPage(best.text, best.encoding, best.content if best.is_valid_utf8 else None)


_CYRILLIC = ("windows-1251", "koi8-u", "koi8-r", "iso-8859-5")
_COMMON_CYRILLIC = "оаеинт"
# Minimum share of the six most common letters in a Cyrillic text; their usual share is a half.
MIN_COMMON_CYRILLIC = 0.35
MIN_FOREIGN_SHARE = 0.5  # share of other letters in a page wrongly declared as Western
MIN_CHECKED_BYTES = 100  # non-ASCII bytes in a text whose declared encoding is checked
MAX_CYRILLIC_BYTES = 20_000  # non-ASCII bytes examined to choose between Cyrillic encodings


@record
class _Reading:
    """Bytes decoded with one encoding; `strays` is the number of undecodable sequences."""

    content: bytes
    encoding: str
    text: str
    strays: int
    is_valid_utf8: bool = False

    @cached_property
    def stray_share(self) -> float:
        """Share of undecodable sequences among non-ASCII characters."""
        if not self.strays:
            return 0.0
        ascii_characters = len(self.text.encode("ascii", "ignore"))
        return self.strays / (len(self.text) - ascii_characters)

    @property
    def is_noise(self) -> bool:
        """Whether there are too many undecodable or control characters, not counting U+FFFD."""
        if self.encoding.startswith("utf-16"):
            controls = len(_UNLIKELY.findall(self.text))
        else:
            controls = len(self.content) - len(self.content.translate(None, _CONTROLS))
        most = MAX_UNREADABLE_SHARE * (len(self.text) + SPARE_CHARACTERS)
        return controls + self.strays > most


def _candidates(content: bytes, content_type: str | None) -> Iterator[tuple[str, bytes]]:
    """Yield candidate encodings with the bytes to decode, best first."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if content.startswith(mark):
            content = content[len(mark) :]
            yield encoding, content
            break
    declared = []
    for found in (_encoding(charset_label(content_type)), _declared_in_page(content)):
        if found and not found.startswith("utf-16"):
            declared.append(found)
        elif found and 4 * content.count(0, 0, _MARKUP_BYTES) > len(content[:_MARKUP_BYTES]):
            # Any bytes are valid UTF-16, so the zero bytes of markup must confirm it.
            yield found, content
    sequences, strays = _count_utf8(content)
    is_certain = not strays and not any(encoding in _EAST_ASIAN for encoding in declared)
    if strays <= MAX_UTF8_STRAYS * sequences and sequences >= (1 if is_certain else MIN_SEQUENCES):
        yield "utf-8", content
    for encoding in declared:
        yield encoding, content
    if strays < sequences:
        yield "utf-8", content
    detected = _detect(content)
    yield detected, content
    if detected in _EAST_ASIAN:
        for encoding in _EAST_ASIAN:
            yield encoding, content


def _cyrillic_encoding(reading: _Reading) -> str:
    """Return the Cyrillic encoding that yields far more common letters, else the declared one."""
    letters = reading.content.translate(None, bytes(range(0x80)))[:MAX_CYRILLIC_BYTES]
    if len(letters) < MIN_CHECKED_BYTES:
        return reading.encoding

    def common_share(encoding: str) -> float:
        text = codec_of(encoding).decode(letters, "replace")[0].lower()
        return sum(map(text.count, _COMMON_CYRILLIC)) / len(letters)

    best = max(_CYRILLIC, key=common_share)
    is_sure = common_share(best) > max(MIN_COMMON_CYRILLIC, 1.5 * common_share(reading.encoding))
    return best if is_sure else reading.encoding


def _read(content: bytes, encoding: str) -> _Reading:
    if encoding == "utf-8":
        return _read_utf8(content)
    text, _ = codec_of(encoding).decode(content, "replace")
    return _Reading(content, encoding, text, text.count("\ufffd"))


def codec_of(encoding: str) -> CodecInfo:
    """Return the codec of an encoding as used on the web."""
    if encoding in _WEB_CODECS:
        return codecs.lookup(_WEB_CODECS[encoding])
    import webencodings

    found: CodecInfo = webencodings.lookup(encoding).codec_info
    return found


def _read_utf8(content: bytes) -> _Reading:
    try:
        return _Reading(content, "utf-8", content.decode(), 0, is_valid_utf8=True)
    except UnicodeDecodeError:
        sequences, strays = _count_utf8(content)
    text = _INVALID_BYTES.sub(_decode_invalid, content.decode("utf-8", "surrogateescape"))
    # Invalid bytes that valid sequences outnumber are editing accidents in a UTF-8 page.
    return _Reading(content, "utf-8", text, 0 if strays < sequences else strays)


def _count_utf8(content: bytes) -> tuple[int, int]:
    """Count the multi-byte UTF-8 sequences, and the bytes that are not part of valid UTF-8."""
    if content.isascii():
        return 0, 0
    ascii_bytes = len(content.translate(None, _NON_ASCII))
    try:
        return len(content.decode()) - ascii_bytes, 0
    except UnicodeDecodeError:
        text = content.decode("utf-8", "surrogateescape")
    strays = len(content) - len(text.encode("utf-8", "ignore"))
    return len(text) - strays - ascii_bytes, strays


def _decode_invalid(invalid: re.Match[str]) -> str:
    """Decode a single invalid byte as windows-1252, and a longer run as U+FFFD."""
    run = invalid[0]
    if len(run) > 1:
        return "\ufffd"
    return run.encode("utf-8", "surrogateescape").decode("cp1252", "replace")


def _declared_in_page(content: bytes) -> str | None:
    """Return the encoding declared in a ``meta`` element or an XML declaration, or None."""
    head = content[:PRESCAN_BYTES]
    for tag in _META_TAG.finditer(head):
        encoding = _encoding(_meta_label(tag[1])) if tag[1] else None
        if encoding:
            break
    else:
        declaration = _XML_ENCODING.match(head)
        encoding = _encoding(declaration[1].decode("latin-1")) if declaration else None
    # A page whose declaration is readable as ASCII cannot be in UTF-16.
    return "utf-8" if encoding and encoding.startswith("utf-16") else encoding


def _meta_label(attributes: bytes) -> str | None:
    """Return the encoding label in the attributes of a ``meta`` tag, or None."""
    values: dict[str, str] = {}
    for name, *quoted in _ATTRIBUTE.findall(attributes):
        value = b"".join(quoted).decode("latin-1")
        values.setdefault(name.decode("latin-1").lower(), value)
    if "charset" in values:
        return values["charset"]
    if values.get("http-equiv", "").strip().lower() == "content-type":
        return charset_label(f";{values.get('content', '')}")
    return None


def _encoding(label: str | None) -> str | None:
    """Return the Encoding Standard's name for a label, or None if it is unknown."""
    if not label:
        return None
    label = label.strip().lower()
    if label == "utf-8":
        return label
    # Imported here, as in other functions, because most pages declare UTF-8.
    import webencodings

    found = webencodings.lookup(_MISNOMERS.get(label, label))
    if found is None:
        return None
    name: str = found.name
    if name == "replacement":
        return None
    return {"gbk": "gb18030", "x-user-defined": _DEFAULT}.get(name, name)


def _shown(content: bytes) -> bytes:
    """Return the text between the tags, with white space collapsed."""
    return b" ".join(_UNSEEN_MARKUP.sub(b" ", content).split())


def _foreign_share(text: bytes) -> float:
    """Return the share of non-ASCII bytes among the letters."""
    foreign = len(text) - len(text.translate(None, _NON_ASCII))
    ascii_letters = len(text) - len(text.translate(None, _ASCII_LETTERS))
    return foreign / max(1, foreign + ascii_letters)


def _is_foreign(content: bytes) -> bool:
    """Return whether a page declared as Western has mostly letters outside ASCII, such as Greek."""
    # Even in French, few bytes of a page are accented letters.
    foreign = len(content) - len(content.translate(None, _NON_ASCII))
    is_likely = foreign >= MIN_CHECKED_BYTES and 20 * foreign > len(content)
    return is_likely and _foreign_share(_shown(content)) > MIN_FOREIGN_SHARE


def _detect(content: bytes) -> str:
    """Guess the encoding of undeclared bytes from the text between the tags."""
    if content.isascii():
        return "utf-8"
    text = _shown(content)
    if _foreign_share(text) <= MAX_FOREIGN_SHARE:
        return _DEFAULT
    import cchardet

    name = cchardet.detect(text)["encoding"]
    encoding = _encoding(_DETECTED.get(name.lower(), name)) if name else None
    # An unknown encoding is a DOS or Mac code page, which no browser supports: the guess is wrong.
    if encoding is None or encoding.startswith("utf-"):
        return _DEFAULT
    # An encoding that decodes the text's bytes in the same way as the default is not reported.
    used = bytes({*text} & {*_NON_ASCII})
    if codec_of(encoding).decode(used, "replace") == codec_of(_DEFAULT).decode(used, "replace"):
        return _DEFAULT
    return encoding
