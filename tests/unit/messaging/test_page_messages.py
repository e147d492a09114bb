"""Parsing message bodies in the intake, before anything is stored."""

import base64
import codecs
import gzip
import json

import pytest

from detourage.html import site_name
from detourage.inputs.received import UnusableMessageError, read_message
from detourage.limits import MAX_BODY_BYTES, MAX_HTML_BYTES
from worker.messaging.compression import plain_body
from worker.store.pages import FetchedPage

PAGE = {"version": 1, "url": "https://www.example.org/a", "html": "<p>Text</p>"}


def body(**changes: object) -> bytes:
    values = {key: value for key, value in {**PAGE, **changes}.items() if value is not None}
    return json.dumps(values).encode()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "not-json"),
        (b"{", "not-json"),
        (b"\xff\xfe", "not-json"),
        (b'"\xe9"', "not-json"),
        (b"[]", "invalid-message"),
        (b"null", "invalid-message"),
        (body(url=None), "no-url"),
        (body(url="ftp://news.example/a"), "unsupported-url"),
        (body(url=""), "unsupported-url"),
        (body(version=2), "unsupported-version"),
        (body(version=None), "unsupported-version"),
        (body(html=None), "no-html"),
        (body(html_base64="YQ=="), "no-html"),
        (body(html=None, html_base64="!"), "invalid-message"),
        (body(fetched_at="yesterday"), "invalid-message"),
        (body(fetched_at="9999-12-31T23:59:59-14:00"), "unlikely-time"),
        (body(site="My Site"), "unsupported-site"),
        (body(site="other.org@example.org"), "unsupported-site"),
        (body(site="[/x]"), "unsupported-site"),
        (body(url="https://news.example/\x1b[2J"), "unsupported-url"),
        (body(url=r"https://news.example\@evil.example/"), "unsupported-url"),
        (body(html="a" * (MAX_HTML_BYTES + 1)), "oversized"),
        (
            body(html=None, html_base64=base64.b64encode(bytes(MAX_HTML_BYTES + 1)).decode()),
            "oversized",
        ),
        (b" " * (MAX_BODY_BYTES + 1), "oversized"),
    ],
)
def test_each_kind_of_unusable_message_has_its_reason(raw: bytes, reason: str) -> None:
    with pytest.raises(UnusableMessageError) as caught:
        read_message(raw)
    assert caught.value.reason == reason
    assert caught.value.detail


def test_a_byte_order_mark_is_not_part_of_the_message() -> None:
    assert read_message(codecs.BOM_UTF8 + body()) == read_message(body())
    packed = gzip.compress(codecs.BOM_UTF8 + body())
    assert read_message(plain_body(packed, {}, "gzip")) == read_message(body())
    # Only one byte order mark is allowed; after it, JSON must follow.
    with pytest.raises(UnusableMessageError, match="not-json"):
        read_message(2 * codecs.BOM_UTF8 + body())


def test_the_reason_never_quotes_the_page() -> None:
    secret = "a" * 5000
    with pytest.raises(UnusableMessageError) as caught:
        read_message(body(html=secret, html_base64=secret))
    assert secret not in caught.value.detail
    assert len(caught.value.detail) <= 2000


@pytest.mark.parametrize(
    ("claim", "site"),
    [
        (None, "example.org"),
        ("example.org", "example.org"),
        ("sport.example.org", "sport.example.org"),
        ("My-Site_2", "My-Site_2@example.org"),
        ("\u65b0\u95fb", "\u65b0\u95fb@example.org"),
        ("other.org", "other.org@example.org"),
    ],
)
def test_site_names_are_free_but_separated_by_registrable_domain(
    claim: str | None, site: str
) -> None:
    key = FetchedPage.of(read_message(body(site=claim))).site
    assert key == site
    assert site_name(key) == (claim or "example.org")


def test_a_deeply_nested_message_is_unusable() -> None:
    with pytest.raises(UnusableMessageError, match="not-json"):
        read_message(b"[" * 1_000_000)


def test_details_of_an_unusable_message_can_be_serialised() -> None:
    told = b'{"unusable": {"reason": "oversized", "detail": "a\\ud800b\\u0000c"}}'
    with pytest.raises(UnusableMessageError) as caught:
        read_message(told)
    assert (caught.value.reason, caught.value.detail) == ("oversized", "a?bc")


def test_the_same_characters_as_text_and_as_bytes_are_different_contents() -> None:
    text = FetchedPage.of(read_message(body(html="caf\u00e9")))
    encoded = base64.b64encode("caf\u00e9".encode()).decode()
    fetched = FetchedPage.of(read_message(body(html=None, html_base64=encoded)))
    assert text.content_bytes == fetched.content_bytes
    assert text.content_digest != fetched.content_digest


def test_unknown_keys_survive_even_with_characters_that_postgresql_lacks() -> None:
    extra = FetchedPage.of(read_message(body(note="a\x00b"))).extra
    assert "\x00" not in extra
    assert json.loads(extra) == {"note": "a\x00b"}
