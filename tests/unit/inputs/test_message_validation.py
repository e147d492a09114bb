"""The contracts of page and article messages, and the messages that the intake refuses."""

import base64
import codecs
import gzip
import json
from collections.abc import Mapping

import pytest

from detourage.html import site_name
from detourage.inputs.message_validation import UnusableMessageError, read_message
from detourage.limits import MAX_BODY_BYTES, MAX_HTML_BYTES
from detourage.messages import ArticleMessage, PageMessage
from tests.pages import ARTICLE
from worker.messaging.compression import plain_body
from worker.store.pages import FetchedPage

PAGE = {"version": 1, "url": "https://www.example.org/a", "html": "<p>Text</p>"}


def body(**changes: object) -> bytes:
    values = {key: value for key, value in {**PAGE, **changes}.items() if value is not None}
    return json.dumps(values).encode()


def read_page(**changes: object) -> PageMessage:
    return read_message(body(**changes))


def in_base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


UNSUPPORTED_URLS = (
    *("ftp://news.example/a", "", "https:///a", "//news.example/a", "https://news.example/\x00"),
    *("https://news.example/\x1b[2J", r"https://news.example\@evil.example/", 7),
    "https://news.example/" + "a" * 9000,
)
INVALID_CHANGES: tuple[Mapping[str, object], ...] = (
    {"html": None, "html_base64": "!"},
    {"html": 7},
    {"id": 7},
    {"site": ""},
    *({"status": status} for status in (99, 600, "404", True)),
    {"final_url": "ftp://news.example/a"},
    {"final_url": "https://news.example\\@other.example/"},
    {"final_url": "https://news.example/" + "a" * 9000},
    {"headers": {"a": ["b"]}},
    {"headers": {"a": "\x00"}},
    {"headers": {str(n): "" for n in range(201)}},
    {"headers": {"a": "b" * 65_536}},
    {"fetched_at": "yesterday"},
    {"fetched_at": "2011-11-21T01:00:00"},
)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        *((raw, "not-json") for raw in (b"", b"{", b"\xff\xfe", b'"\xe9"', b"[" * 1_000_000)),
        # Only one byte order mark is allowed; after it, JSON must follow.
        (2 * codecs.BOM_UTF8 + body(), "not-json"),
        (b"[]", "invalid-message"),
        (b"null", "invalid-message"),
        *((body(**changes), "invalid-message") for changes in INVALID_CHANGES),
        (body(url=None), "no-url"),
        *((body(url=url), "unsupported-url") for url in UNSUPPORTED_URLS),
        (body(version=2), "unsupported-version"),
        (body(version=None), "unsupported-version"),
        (body(html=None), "no-html"),
        (body(html_base64="YQ=="), "no-html"),
        (body(fetched_at="9999-12-31T23:59:59-14:00"), "unlikely-time"),
        *(
            (body(site=site), "unsupported-site")
            for site in ("My Site", "other.org@example.org", "[/x]")
        ),
        (body(html="é" * (MAX_HTML_BYTES // 2) + "a"), "oversized"),
        (body(html=None, html_base64=in_base64(bytes(MAX_HTML_BYTES + 1))), "oversized"),
        (b" " * (MAX_BODY_BYTES + 1), "oversized"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_each_kind_of_unusable_message_has_its_reason(raw: bytes, reason: str) -> None:
    with pytest.raises(UnusableMessageError) as caught:
        read_message(raw)
    assert caught.value.reason == reason
    assert caught.value.detail


def test_the_size_limit_counts_bytes_of_html() -> None:
    assert read_page(html="é" * (MAX_HTML_BYTES // 2)).content


def test_a_byte_order_mark_is_not_part_of_the_message() -> None:
    marked = codecs.BOM_UTF8 + body()
    assert read_message(marked) == read_page()
    assert read_message(plain_body(gzip.compress(marked), {}, "gzip")) == read_page()


def test_the_reason_never_quotes_the_page() -> None:
    secret = "a" * 5000
    with pytest.raises(UnusableMessageError) as caught:
        read_page(html=secret, html_base64=secret)
    assert secret not in caught.value.detail
    assert len(caught.value.detail) <= 2000


def test_fetched_at_is_in_utc() -> None:
    message = read_page(fetched_at="2011-11-21T01:00:00+01:00")
    assert message.model_dump(mode="json")["fetched_at"] == "2011-11-21T00:00:00Z"


def test_the_http_response_is_read_from_a_message() -> None:
    message = read_page(status=403, final_url="https://me:key@news.example/b", headers={"Age": "7"})
    assert message.response == {
        "status": 403,
        "final_url": "https://news.example/b",
        "headers": {"Age": "7"},
    }
    assert read_page().response == {}


def test_the_content_type_is_that_of_the_message_or_of_its_headers() -> None:
    headers = {"CONTENT-Type": "text/html; charset=koi8-r"}
    assert read_page(headers=headers).stated_type == "text/html; charset=koi8-r"
    assert read_page(headers=headers, content_type="text/html").stated_type == "text/html"
    assert read_page(headers={"Age": "7"}).stated_type is None


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
def test_a_sender_chooses_the_site_name_but_not_the_domain(claim: str | None, site: str) -> None:
    key = FetchedPage.of(read_page(site=claim)).site
    assert key == site
    assert site_name(key) == (claim or "example.org")


def test_details_of_an_unusable_message_can_be_serialised() -> None:
    body = b'{"unusable": {"reason": "oversized", "detail": "a\\ud800b\\u0000c"}}'
    with pytest.raises(UnusableMessageError) as caught:
        read_message(body)
    assert (caught.value.reason, caught.value.detail) == ("oversized", "a?bc")


def test_the_same_characters_as_text_and_as_bytes_are_different_contents() -> None:
    text = FetchedPage.of(read_page(html="caf\u00e9"))
    fetched = FetchedPage.of(read_page(html=None, html_base64=in_base64("caf\u00e9".encode())))
    assert text.content_bytes == fetched.content_bytes
    assert text.content_digest != fetched.content_digest


def test_unknown_keys_survive_even_with_characters_that_postgresql_rejects() -> None:
    message = read_page(depth=3, note="a\x00b")
    assert message.model_extra == {"depth": 3, "note": "a\x00b"}
    extra = FetchedPage.of(message).extra
    assert "\x00" not in extra
    assert json.loads(extra) == {"depth": 3, "note": "a\x00b"}


@pytest.mark.parametrize("date", ["2024-05-31T00:30:00+02:00", "2024-05-31T00:30:00Z"])
def test_the_publication_date_keeps_the_time_zone_of_the_page(date: str) -> None:
    values = json.dumps({**ARTICLE, "published_at": date})
    assert ArticleMessage.model_validate_json(values).to_json()["published_at"] == date


def test_a_consumer_ignores_unknown_keys_of_an_article() -> None:
    future_values = {**ARTICLE, "mood": "calm", "metadata": {"kind": "live", "mood": "calm"}}
    message = ArticleMessage.model_validate_json(json.dumps(future_values))
    assert message.metadata is not None
    assert message.metadata.kind == "live"
    assert "mood" not in message.to_json()
    schema = ArticleMessage.model_json_schema(mode="serialization")
    assert schema.get("additionalProperties", True)
    assert "metadata" not in schema["required"]
