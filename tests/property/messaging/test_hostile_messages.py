"""Any message is stored as a page with an outcome, or quarantined for a known reason."""

import base64
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from detourage.inputs.message_validation import UnusableMessageError, read_message
from detourage.outcomes import UnusableReason
from worker.store.pages import FetchedPage
from worker.workflow.parsing import parse_or_reject

URLS = st.sampled_from(
    [
        *("https://news.example/a", "HTTP://user:word@news.example:80/?q#f", "http://[::1]/"),
        *("http://[::1", "http://news.example:x/", "http://\u0130stanbul.example/"),
        *("http://xn--a/", "ftp://news.example/", "http://", ""),
    ]
)
HTML = st.text(max_size=60) | st.sampled_from(
    [
        "<p>Text",
        "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
        *("<meta charset=utf-7><p>+ADw-script+AD4-", "<html><frameset>", "%PDF-1.7"),
    ]
)
VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.lists(st.integers(), max_size=2)
    | st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "version": st.just(1) | VALUES,
        "url": URLS | VALUES,
        "html": HTML | VALUES,
        "html_base64": HTML.map(lambda text: base64.b64encode(text.encode()).decode()) | VALUES,
        "id": VALUES,
        "site": VALUES,
        "content_type": st.sampled_from(["text/html", "text/html; charset=x", ";"]) | VALUES,
        "fetched_at": st.sampled_from(["2024-05-01T00:00:00Z", "2024-05-01"]) | VALUES,
        "unusable": st.dictionaries(st.sampled_from(["reason", "detail"]), VALUES),
        "other": VALUES,
    },
)


def assert_stored_or_refused(body: bytes) -> None:
    try:
        message = read_message(body)
    except UnusableMessageError as error:
        UnusableReason(error.reason)
        # Both values must be valid in UTF-8, as they are stored in headers and in the database.
        f"{error.reason}{error.detail}".encode()
        return
    fetched = FetchedPage.of(message)
    assert fetched.site
    json.loads(fetched.extra)
    parsed = parse_or_reject(fetched.content, fetched.url, fetched.content_type)
    assert parsed.outcome != "failed", parsed
    assert parsed.outcome is not None or parsed.tree


@given(MESSAGES)
def test_any_object_is_stored_or_quarantined(values: dict[str, Any]) -> None:
    assert_stored_or_refused(json.dumps(values).encode())


@given(MESSAGES, st.integers(0, 300), st.binary(max_size=4))
def test_any_damaged_object_is_stored_or_quarantined(
    values: dict[str, Any], position: int, noise: bytes
) -> None:
    body = json.dumps(values).encode()
    assert_stored_or_refused(body[:position] + noise + body[position + 1 :])


@given(st.binary(max_size=100))
def test_any_bytes_are_stored_or_quarantined(body: bytes) -> None:
    assert_stored_or_refused(body)
