import pytest

from detourage.text.terminal import json_line, printable
from worker.service.quarantine import QuarantinedMessage


@pytest.mark.parametrize(
    ("body", "url"),
    [
        (b'{"version": 1, "url": "https://a.example/\\u00e9"}', "https://a.example/é"),
        (b'{"html": "<a \\"url\\": \\"b\\">", "url": "https://a.example/"}', "https://a.example/"),
        (b'{"html": "' + b"x" * 10**6 + b'", "url": "https://a.example/"', "https://a.example/"),
        (b'{"url": "\\x"}', None),
        (b'{"url": 7}', None),
        (b'{"url": "unfinished', None),
        (b"\xff\xfe", None),
        (b"", None),
        # Quadratic work on bodies of this size would take longer than a test may.
        (b'"url": "' * 100_000, None),
        (b'"url":' + b" " * 10**6, None),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_the_url_is_read_from_any_body_that_has_one(body: bytes, url: str | None) -> None:
    assert QuarantinedMessage("intake", "not-json", "", None, body, None).url == url


@pytest.mark.parametrize("hostile", ["\x1b[31m", "a\nb", "\u202egpj", "\ud800", "\x9b2J"])
def test_no_terminal_control_characters_are_written(hostile: str) -> None:
    for output in (printable(hostile), json_line({"body": hostile})):
        assert hostile not in output
        assert "\n" not in output
        output.encode("utf-8")
