"""The two message schemas, which other services rely on."""

import base64
import json

import pytest
from pydantic import ValidationError

from detourage.limits import MAX_HTML_BYTES
from detourage.messages import ArticleMessage, PageMessage
from tests.pages import ARTICLE

PAGE = {"version": 1, "url": "https://news.example/a", "html": "<p>Text</p>"}


def read(**changes: object) -> PageMessage:
    values = {key: value for key, value in {**PAGE, **changes}.items() if value is not None}
    return PageMessage.model_validate_json(json.dumps(values))


def test_unknown_keys_are_kept_and_ignored() -> None:
    message = read(depth=3, referrer={"url": "https://news.example/"})
    assert message.model_extra == {"depth": 3, "referrer": {"url": "https://news.example/"}}


def test_fetched_at_has_a_utc_offset() -> None:
    message = read(fetched_at="2011-11-21T01:00:00+01:00")
    assert message.model_dump(mode="json")["fetched_at"] == "2011-11-21T00:00:00Z"
    with pytest.raises(ValidationError, match="timezone"):
        read(fetched_at="2011-11-21T01:00:00")


@pytest.mark.parametrize(
    "changes",
    [
        {"url": "https:///a"},
        {"url": "//news.example/a"},
        {"url": "https://news.example/\x00"},
        {"url": "https://news.example/" + "a" * 9000},
        {"url": 7},
        {"html": 7},
        {"id": 7},
        {"site": ""},
        {"status": 99},
        {"status": 600},
        {"status": "404"},
        {"status": True},
        {"final_url": "ftp://news.example/a"},
        {"final_url": "https://news.example\\@other.example/"},
        {"final_url": "https://news.example/" + "a" * 9000},
        {"headers": {"a": ["b"]}},
        {"headers": {"a": "\x00"}},
        {"headers": {str(n): "" for n in range(201)}},
        {"headers": {"a": "b" * 65_536}},
    ],
)
def test_messages_that_violate_the_schema_are_rejected(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        read(**changes)


def test_the_http_response_described_by_a_message() -> None:
    message = read(status=403, final_url="https://me:key@news.example/b", headers={"Age": "7"})
    assert message.answer == {
        "status": 403,
        "final_url": "https://news.example/b",
        "headers": {"Age": "7"},
    }
    assert read().answer == {}


def test_the_content_type_is_given_or_taken_from_the_headers() -> None:
    headers = {"CONTENT-Type": "text/html; charset=koi8-r"}
    assert read(headers=headers).stated_type == "text/html; charset=koi8-r"
    assert read(headers=headers, content_type="text/html").stated_type == "text/html"
    assert read(headers={"Age": "7"}).stated_type is None


def test_the_size_limit_counts_bytes_of_html() -> None:
    assert read(html="é" * (MAX_HTML_BYTES // 2)).content
    with pytest.raises(ValidationError, match="more than the"):
        read(html="é" * (MAX_HTML_BYTES // 2) + "a")
    with pytest.raises(ValidationError, match="more than the"):
        read(html=None, html_base64=base64.b64encode(b"a" * (MAX_HTML_BYTES + 1)).decode())


def test_the_publication_date_keeps_the_time_zone_of_the_page() -> None:
    values = {**ARTICLE, "published_at": "2024-05-31T00:30:00+02:00"}
    message = ArticleMessage.model_validate_json(json.dumps(values)).to_json()
    assert message["published_at"] == "2024-05-31T00:30:00+02:00"
    values["published_at"] = "2024-05-31T00:30:00Z"
    message = ArticleMessage.model_validate_json(json.dumps(values)).to_json()
    assert message["published_at"] == "2024-05-31T00:30:00Z"


def test_a_consumer_ignores_unknown_keys_of_an_article() -> None:
    later = {**ARTICLE, "mood": "calm", "metadata": {"kind": "live", "mood": "calm"}}
    message = ArticleMessage.model_validate_json(json.dumps(later))
    assert message.metadata is not None
    assert message.metadata.kind == "live"
    assert "mood" not in message.to_json()
    schema = ArticleMessage.model_json_schema(mode="serialization")
    assert schema.get("additionalProperties", True)
    assert "metadata" not in schema["required"]
