"""Kinds of messages with hostile JSON or a hostile field of the page message."""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks.faults.hostile.sent import FORGED_LINE, Draw, Kind, Make, Sent
from detourage.limits import MAX_HTML_BYTES, MAX_URL_CHARACTERS

COPIES = 27  # number of messages of each kind, except kinds with large messages

TEMPLATES = 100  # number of pages of one site; no two of these pages share a template

FEW_COPIES = 2  # number of messages of each kind with bodies of about 10 MiB

FIELDS = ("version", "url", "html", "html_base64", "id", "site", "content_type", "fetched_at")

WRONG_TYPES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 1e308, 10**30, "", [], {}, ["a"], {"a": "b"}, [[]]),
    *("null", "\x00", "\ud800", "x" * 100_000),
)


def kinds() -> Iterator[Kind]:
    """Yield all kinds of this module."""
    for name, make in _JSON.items():
        yield Kind("JSON", name, make, COPIES)
    for name, make in _FIELDS.items():
        yield Kind("fields", name, make, COPIES)
    yield Kind("fields", "one site, each page of its own template", _own_template, TEMPLATES)
    for name, make in _LARGE.items():
        yield Kind("fields", name, make, FEW_COPIES)


def _one_of_bodies(bodies: Callable[[Draw], Sequence[bytes]]) -> Make:
    """Return a function that makes a message from one of the bodies that `bodies` returns."""
    return lambda draw: draw.send(draw.one_of(bodies(draw)))


def _with_extra(draw: Draw, extra: str, *, is_sound: bool = False) -> Sent:
    """Return a message with an unknown key, whose value is given as JSON."""
    body = draw.body()[:-1] + f', "extra": {extra}}}'.encode("utf-8", "surrogatepass")
    return draw.send(body, is_sound=is_sound)


def _extra_key(*values: str) -> Make:
    """Return a function that makes messages with one of the values, as JSON, in an unknown key."""
    return lambda draw: _with_extra(draw, draw.one_of(values))


def _field(field: str, *values: Any) -> Make:
    """Return a function that makes messages with one of the given values in the given field.

    In values, ``%`` is replaced with the message's number.
    """

    def make(draw: Draw) -> Sent:
        value = draw.one_of(values)
        if isinstance(value, str):
            value = value.replace("%", str(draw.number))
        return draw.send(draw.body(**{field: value}))

    return make


def _url(*values: str) -> Make:
    """Return a function that makes messages whose unique URLs end in one of the given values."""
    return lambda draw: draw.send(draw.body(url=draw.url + draw.one_of(values)))


def _host(*values: str) -> Make:
    """Return a function that makes messages whose URLs begin with one of the given values."""
    return lambda draw: draw.send(draw.body(url=f"{draw.one_of(values)}/{draw.message_id}"))


def _nested_json(draw: Draw) -> Sent:
    """Return a message with nested arrays or objects in an unknown key."""
    depth = draw.one_of((50, 150, 1_000, 100_000))
    opened, closed = draw.one_of((("[", "]"), ('{"a":', "}")))
    return _with_extra(draw, opened * depth + "1" + closed * depth)


def _duplicate_key(draw: Draw) -> Sent:
    field = draw.one_of(FIELDS)
    other = draw.one_of((b'"x"', b"null", b"{}", b"1"))
    return draw.send(b'{"%s": %s, ' % (field.encode(), other) + draw.body()[1:])


def _escaped_surrogates(draw: Draw) -> Sent:
    escaped = draw.one_of(("\\ud800", "\\udfff\\ud800", "\\u0000", "\\uffff"))
    field = draw.one_of(("extra", "id", "content_type", "html"))
    body = draw.body(**{field: "MARK"}).replace(b"MARK", f"<p>a{escaped}b</p>".encode())
    return draw.send(body)


def _hostile_keys(draw: Draw) -> Sent:
    odd = ("", "\x00", "\ud800", "k" * 100_000, "\n" + FORGED_LINE)
    names = (*odd, "__class__", "model_extra", "_content")
    return draw.send(draw.body(**{draw.one_of(names): draw.one_of(WRONG_TYPES)}))


def _forged_reason(draw: Draw) -> Sent:
    """Return a message that claims to come from the quarantine, with a forged reason."""
    forged_reasons = (
        {"reason": "oversized", "detail": "\n" + FORGED_LINE},
        {"reason": "oversized", "detail": "\x1b[2J" + "d" * 100_000},
        {"reason": "\n" + FORGED_LINE, "detail": 7},
        {"reason": ["oversized"], "detail": {}},
        {"reason": "oversized", "detail": "\ud800\x00"},
    )
    return draw.send(draw.body(version=draw.one_of((1, 2)), unusable=draw.one_of(forged_reasons)))


_SPACES = b" \t\r\n" * 100_000  # 400 kB

_JSON: dict[str, Make] = {
    "not JSON": _one_of_bodies(
        lambda draw: (
            *(b"", b"{", draw.body()[:-40], bytes(range(256)), b"\xff" * 1000, b"<html>", b"\x00"),
        )
    ),
    "JSON that is not an object": _one_of_bodies(
        lambda _: (b"[]", b'"a"', b"1", b"null", b"true", b"[{}]", b"{}")
    ),
    "JSON nested up to 100,000 deep": _nested_json,
    "duplicate keys": _duplicate_key,
    "numbers of 50,000 digits": _extra_key(
        *("1e400", "-1e400", "9" * 4_000, "9" * 50_000, "0." + "1" * 50_000, "1e-999999999"),
        "1E+99999999999999999999",
    ),
    "NaN and other invalid numbers": _extra_key(
        "NaN", "Infinity", "-Infinity", "01", "+1", "0x10", ".5"
    ),
    "escaped lone surrogates and NUL": _escaped_surrogates,
    "lone surrogates as bytes": _extra_key('"\ud800"'),
    "byte order marks": _one_of_bodies(
        lambda draw: [b"\xef\xbb\xbf" * times + draw.body() for times in (1, 2, 50)]
    ),
    "UTF-16, UTF-32, UTF-7, EBCDIC": _one_of_bodies(
        lambda draw: [
            draw.body().decode().encode(name)
            for name in ("utf-16", "utf-16-le", "utf-32", "utf-7", "cp037")
        ]
    ),
    "extra bytes after the JSON": _one_of_bodies(
        lambda draw: [
            draw.body() + more for more in (b"x", b"{}", b"\x00", draw.body(), b",", b"]")
        ]
    ),
    "800 kB of whitespace": lambda draw: draw.send(_SPACES + draw.body() + _SPACES, is_sound=True),
    "20,000 unknown keys": _extra_key(
        json.dumps({f"k{number}": number for number in range(20_000)})
    ),
    "a megabyte in an unknown key": lambda draw: _with_extra(
        draw, f'"{"x" * 1_000_000}"', is_sound=True
    ),
    "hostile key names": _hostile_keys,
    "a quarantine reason that only the service may give": _forged_reason,
}


def _encoded(draw: Draw) -> str:
    return base64.b64encode(draw.html.encode()).decode()


def _odd_base64(draw: Draw) -> Sent:
    """Return a message whose HTML is in invalid or unusual Base64."""
    encoded = _encoded(draw)
    odd = (
        *("%", "a", "====", encoded[:-1], encoded + "=", encoded + "\n", f" {encoded}", "\u00e9"),
        *(encoded.replace("A", "-"), encoded + "\x00", f"data:text/html;base64,{encoded}"),
    )
    return draw.send(draw.body(html=None, html_base64=draw.one_of(odd)))


def _without_page(draw: Draw) -> Sent:
    """Return a message whose HTML has no text."""
    empty = ("", " ", "\x00", "\ufeff", "&nbsp;" * 1000, "<!-- -->", "<html></html>", "<", "\u200b")
    html = draw.one_of(empty)
    return draw.send_page(html.encode() if draw.number % 2 else html)


def _own_template(draw: Draw) -> Sent:
    """Return a page of one site whose elements are drawn at random."""
    tags = ("div", "section", "article", "ul", "ol", "table", "span", "main", "aside", "dl")
    opened = [draw.random.choice(tags) for _ in range(200)]
    html = "".join(f"<{tag}>{'<br>' * draw.random.randrange(3)}" for tag in opened)
    page = draw.html.replace("<body>", f"<body>{html}")
    return draw.send(draw.body(url=f"https://own-templates.example/{draw.message_id}", html=page))


_FIELDS: dict[str, Make] = {
    "every field of a wrong JSON type": lambda draw: draw.send(
        draw.body(**{field: draw.random.choice(WRONG_TYPES) for field in FIELDS})
    ),
    **{f"{field} of a wrong JSON type": _field(field, *WRONG_TYPES) for field in FIELDS},
    "version unknown to the contract": _field("version", 0, 2, -1, 1.0, 1.5, "1", 10**400, 1e0),
    "id at its limits": _field("id", "", "%" * 255, "x" * 1024, "x" * 1025, "x" * 1_000_000),
    "id that forges log lines": _field(
        "id", "\n" + FORGED_LINE, "\x1b[2J%", "\u202e%", "\r%", "[/x]%", "'%--"
    ),
    "invalid site": _field(
        "site",
        *("[/x]", "<b>", "a b", "a\nb", "\x1b[31m", "../..", "\u202ea", "-", "a" * 254, ".", "@"),
    ),
    "site of an unusual form": _field(
        "site",
        *("a" * 253, "A", "a" + "." * 200, "a" + ":" * 100, "\u4e2d\u6587", "xn--a", "1", "a-"),
        "\u00df",
    ),
    "content_type of any kind": _field(
        "content_type",
        *("", ";", "text/html; charset=", "text/html; charset=no-such", "text/html; charset=utf-7"),
        *("text/html; charset=rot13", "text/html; charset=" + "x" * 10_000, "x" * 1_000_000),
        *("image/png", "application/pdf", "multipart/mixed; boundary=a", "\u202e"),
        "\n" + FORGED_LINE,
        *("text/html; charset=idna", "text/html; charset=undefined", 'a/b; c="' + '\\"' * 10_000),
    ),
    "fetched_at at either end of the range": _field(
        "fetched_at",
        *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0000-01-01T00:00:00Z"),
        *("1989-12-31T23:59:59Z", "1990-01-01T00:00:00+14:00", "1990-01-01T00:00:00Z"),
        *("2199-12-31T23:59:59Z", "10000-01-01T00:00:00Z", "-2024-01-01T00:00:00Z"),
    ),
    "fetched_at that is not a timestamp": _field(
        "fetched_at",
        *("", "now", "2024-01-01", "2024-01-01T00:00:00", "2024-02-30T00:00:00Z", "1700000000"),
        *("2024-01-01T24:00:00Z", "2024-01-01T23:59:60Z", "2024-01-01T00:00:00+99:99"),
        "9" * 100_000,
        "\n" + FORGED_LINE,
        *("2024-01-01T00:00:00Z\x00", "2024-01-01T00:00:00." + "9" * 10_000 + "Z"),
    ),
    "fetched_at as a number": _field(
        "fetched_at", 0, -1, 1.7e9, 1e308, 10**30, 253402300800, -1e20
    ),
    "url with an unsupported scheme": _host(
        *("ftp://a.example", "file://", "javascript:alert(1)//", "data:text/html,", "//a.example"),
        *("HTTP:/a.example", "http:a.example", "https:///", "blob:https://a.example"),
        "\nhttps://a",
    ),
    "url with an unusual host": _host(
        *("https://[::1", "https://[::1]", "https://[v1.x]", "https://1.2.3", "https://0x7f.1"),
        *("https://a..example", "https://.example", "https://example.", "https://-"),
        "https://\u202e.example",
        *("https://" + "a" * 300 + ".example", "https://xn--a", "https://\u2100.example"),
        "https://%00.example",
        *("https://a.example\\@b.example", "https://\u4e2d\u6587.example", "https://a b.example"),
        "https://?",
    ),
    "url with a port or a password": _host(
        *("https://a.example:0", "https://a.example:65536", "https://a.example:-1"),
        "https://a.example:x",
        *("https://a.example:", "https://u:s3cr3t@a.example", "https://u:p@q@a.example"),
        "https://@a.example",
        *("https://a.example:\u0661", "https://u:\n@a.example", "https://:@a.example:8080"),
    ),
    "url with control characters": _url(
        "\n" + FORGED_LINE, "\x00", "\x1b[2J", "\r", "\u2028", "\x7f", "\t"
    ),
    "url with unusual characters": _url(
        *("\u202e", "?q=<b>[/x]", "#\ufffe", "/%zz%", "/../../..", "?" * 1000, " "),
        *("\u00e9\u0301", "'"),
    ),
    "url at its limits": _url(
        "/" + "a" * (MAX_URL_CHARACTERS // 2),
        "?" + "&" * 8_000,
        "/" + "a" * MAX_URL_CHARACTERS,
        "\u4e2d" * 8_000,
    ),
    "both or neither of html and html_base64": _one_of_bodies(
        lambda draw: (
            draw.body(html_base64=_encoded(draw)),
            draw.body(html=None),
            draw.body(html="", html_base64=""),
            draw.body(html="", html_base64=_encoded(draw)),
        )
    ),
    "invalid html_base64": _odd_base64,
    "an empty page": _without_page,
    "one address for all pages": _field("url", "https://one-address.example/story"),
}


def _padded(size: int, *, is_text: bool, filler: bytes) -> Make:
    """Return a function that makes pages of exactly the given size."""

    def make(draw: Draw) -> Sent:
        start = draw.html.encode()
        page = start + filler * ((size - len(start)) // len(filler) + 1)
        page = page[:size]
        return draw.send_page(page.decode() if is_text else page)

    return make


_LARGE: dict[str, Make] = {
    "html of 10 MiB": _padded(MAX_HTML_BYTES, is_text=True, filler=b"<p>A line of text. "),
    "html above 10 MiB": _padded(MAX_HTML_BYTES + 1, is_text=True, filler=b"<p>A line of text. "),
    "html of 10 MiB, escaped": _padded(MAX_HTML_BYTES, is_text=True, filler=b"\x01"),
    "html_base64 of 10 MiB": _padded(MAX_HTML_BYTES, is_text=False, filler=b"word "),
    "html_base64 above 10 MiB": _padded(MAX_HTML_BYTES + 1, is_text=False, filler=b"word "),
    "a body above every limit": lambda draw: draw.send(bytes(65 << 20)),
}
