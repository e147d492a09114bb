"""Conversion of serialised HTML to XML in plain Python: the reference for the native code."""

import re
from collections.abc import Callable
from typing import Final

Noscript = Callable[[bytes], bytes]

_VOID: Final = frozenset(
    b"area base basefont bgsound br col embed frame hr img input keygen link meta param source "
    b"track wbr".split()
)
_RAW: Final = frozenset(b"script style xmp iframe noembed noframes noscript".split())
_FOREIGN: Final = frozenset((b"svg", b"math"))
_INTEGRATION: Final = frozenset(
    b"foreignobject desc title mi mo mn ms mtext annotation-xml".split()
)
"""Elements of SVG and MathML that contain HTML (section 13.2.6, both kinds of integration points).
"""

_PIECE = re.compile(
    rb"(?P<text>[^<]++)|(?P<comment><!--.*?(?:-->|\Z))|(?P<other><[!?][^>]*+(?:>|\Z))"
    rb"|</(?P<end>[^>]*+)(?:>|\Z)|<(?P<start>[a-zA-Z][^ >]*+)"
    rb"(?P<attributes>(?: .(?:(?!=\").)*+=\"[^\"]*+\")*+)(?P<rest>>|.*\Z)|(?P<stray><)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(rb" (.(?:(?!=\").)*+)=\"([^\"]*+)\"", re.DOTALL)
_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_.-]*+(?::[A-Za-z_][A-Za-z0-9_.-]*+)?")
_COLON = re.compile(rb"[^:]++:(?=[A-Za-z_])[^:]++")
_NAME_START = re.compile(rb"[A-Za-z_]")
_NO_NAME_CHARACTER = re.compile(rb"[^A-Za-z0-9_.-]")
_SCRIPT_STATE = re.compile(rb"<!(?=--)|</script(?=[ \t\n\f/>])|<script(?=[ \t\n\f/>])|-->", re.I)

_CHARACTERS: Final = rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]"
_IN_ESCAPED = re.compile(rb"&nbsp;|&(?!amp;|lt;|gt;|quot;)|[<>\r\n\t]|" + _CHARACTERS, re.DOTALL)
_IN_RAW = re.compile(rb"[&<>\r]|" + _CHARACTERS)
_INSTEAD: Final = {
    b"&nbsp;": b"\xc2\xa0",
    b"&": b"&amp;",
    b"<": b"&lt;",
    b">": b"&gt;",
    b"\r": b"&#13;",
}
_INSTEAD_IN_TEXT: Final = {**_INSTEAD, b"\n": b"\n", b"\t": b"\t"}
_INSTEAD_IN_ATTRIBUTE: Final = {**_INSTEAD, b"\n": b"&#10;", b"\t": b"&#9;"}


_FORMATTING = re.compile(
    rb"<((?:b|big|code|em|font|i|s|small|strike|strong|tt|u)(?=[ \t\n\f\r/>])[^>]*+)", re.I
)
_ROOTS = re.compile(rb"<(?:html|body)(?=[ \t\n\f\r/>])", re.I)
_TAG = re.compile(rb"<[a-zA-Z][^ \t\n\f\r/>]*+")
_BETWEEN = re.compile(rb"[ \t\n\f\r/]*+")
_RAW_ATTRIBUTE = re.compile(
    rb"[^>][^ \t\n\f\r/>=]*+"
    rb"(?:[ \t\n\f\r]*+=[ \t\n\f\r]*+(?:\"[^\"]*+\"|'[^']*+'|[^ \t\n\f\r>\"'][^ \t\n\f\r>]*+)?+)?+"
)


def survey(html: bytes) -> tuple[int, int, int, list[bytes]]:
    """Count the parts of a page that are limited in number (see `detourage.html.dom.Survey`)."""
    most = position = 0
    while tag := _TAG.search(html, position):
        position, number = tag.end(), -1
        found: re.Match[bytes] | None = tag
        while found:
            number += 1
            position = _BETWEEN.match(html, found.end()).end()  # type: ignore[union-attr]
            found = _RAW_ATTRIBUTE.match(html, position)
        most = max(most, number)
    return html.count(b"<"), len(_ROOTS.findall(html)), most, _FORMATTING.findall(html)


def to_xml(html: bytes, noscript: Noscript | None) -> bytes:
    """Convert serialised HTML to XML (see `detourage.html._markup.to_xml`)."""
    return _Writer(html, noscript).write()


class _Writer:
    def __init__(self, html: bytes, noscript: Noscript | None) -> None:
        self._html = html
        self._noscript = noscript
        self._out: list[bytes] = []
        self._open: list[tuple[bytes, bool]] = []

    def write(self) -> bytes:
        position = 0
        while piece := _PIECE.match(self._html, position):
            position = piece.end()
            if piece["text"] is not None:
                self._out.append(_text(piece["text"]))
            elif piece["start"] is not None:
                position = self._write_start_tag(piece)
            elif piece["end"] is not None:
                # An end tag that the end of the input cuts off closes nothing.
                if piece[0].endswith(b">") and self._open and self._open[-1][0] == piece["end"]:
                    self._close_last()
            elif piece["stray"] is not None:
                self._out.append(b"&lt;")
        while self._open:
            self._close_last()
        return b"".join(self._out)

    def _close_last(self) -> None:
        self._out.append(b"</" + _name(self._open.pop()[0]) + b">")

    def _write_start_tag(self, tag: re.Match[bytes]) -> int:
        self._out.append(b"<" + _name(tag["start"]))
        for name, value in _ATTRIBUTE.findall(tag["attributes"]):
            if _NAME.fullmatch(name) and not name.startswith(b"xmlns"):
                escaped = _IN_ESCAPED.sub(_instead_in_attribute, value)
                self._out.append(b" " + name.lower() + b'="' + escaped + b'"')
        name = tag["start"].lower()
        parent, is_in_foreign = self._open[-1] if self._open else (b"", False)
        is_html = not is_in_foreign or parent.lower() in _INTEGRATION
        if is_html and name in _VOID:
            self._out.append(b"/>")
            return tag.end()
        self._out.append(b">")
        self._open.append((tag["start"], name in _FOREIGN or not is_html))
        return self._write_raw(tag["start"], tag.end()) if name in _RAW else tag.end()

    def _write_raw(self, name: bytes, start: int) -> int:
        if name.lower() == b"script":
            end = _end_of_script(self._html, start)
        else:
            found = self._html.find(b"</" + name + b">", start)
            end = found if found >= 0 else len(self._html)
        content = self._html[start:end]
        if name.lower() == b"noscript" and self._noscript is not None:
            self._out.append(to_xml(self._noscript(content), None))
        else:
            self._out.append(_IN_RAW.sub(_instead_in_text, content))
        return end


def _text(text: bytes) -> bytes:
    return _IN_ESCAPED.sub(_instead_in_text, text)


def _instead_in_text(found: re.Match[bytes]) -> bytes:
    return _INSTEAD_IN_TEXT.get(found[0], b"")


def _instead_in_attribute(found: re.Match[bytes]) -> bytes:
    return _INSTEAD_IN_ATTRIBUTE.get(found[0], b"")


def _name(name: bytes) -> bytes:
    if not _COLON.fullmatch(name):
        return _without_others(name)
    prefix, _, local = name.partition(b":")
    return _without_others(prefix) + b":" + _without_others(local)


def _without_others(name: bytes) -> bytes:
    start = name[:1] if _NAME_START.match(name) else b"_"
    return (start + _NO_NAME_CHARACTER.sub(b"_", name[1:])).lower()


def _end_of_script(html: bytes, start: int) -> int:
    """Find the end of a script, which may contain whole scripts within what looks like a comment.

    See section 13.2.5.15 of the standard, and the tokenizer states that follow it.
    """
    is_escaped = is_doubly = False
    position = start
    while found := _SCRIPT_STATE.search(html, position):
        position = found.end()
        tag = found[0].lower()
        if tag == b"<!":
            is_escaped = True
        elif tag == b"-->":
            is_escaped = is_doubly = False
        elif tag == b"<script":
            is_doubly = is_escaped
        elif not is_doubly:
            return found.start()
        else:
            is_doubly = False
    return len(html)
