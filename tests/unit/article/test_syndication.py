"""Every article satisfies the published rules of JSON Feed 1.1 and of ninjs 3.0."""

import json
import re
from datetime import datetime
from typing import Any

import pytest

from tests.arrow_rows import example
from tests.pages import article_html
from worker.article.article_values import json_values
from worker.article.reader import read_content
from worker.article.syndication import json_feed, json_feed_frame, json_feed_item, ninjs
from worker.html import parse_page

URL = "https://news.example/brücke?a=1 2"

NINJS_KEYS = {
    *("uri", "type", "representationType", "version", "firstCreated", "versionCreated"),
    *("contentCreated", "pubStatus", "language", "descriptions", "bodies", "headlines", "people"),
    *("subjects", "infoSources", "by", "associations", "altIds", "standard", "renditions"),
}
"""Properties of ninjs 3.0 that are used here; ninjs allows no properties other than its own."""


def extracted() -> dict[str, Any]:
    """Return an article that has no keys of a deployment and as few other keys as possible."""
    return json_values(read_content(parse_page(article_html(1), URL)), URL, "news.example")


def changed(**values: Any) -> dict[str, Any]:
    return {**example(), "url": URL, "canonical": None, **values}


MESSAGES = {
    "every key": example(),
    "extracted": extracted(),
    "nothing": changed(
        **dict.fromkeys(("title", "lead", "language", "published_at", "metadata", "story")),
        **{key: [] for key in ("authors", "blocks", "images", "embeds")},
        text="",
    ),
    "no URL": extracted() | {"url": ""},
    "hostile": changed(
        title="<script>\x00",
        lead="\ud800",
        text="</article>\u2028",
        authors=["<b>"],
        url="x:\ud800",
    ),
}

messages = pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)


def is_rfc3339(text: str) -> bool:
    is_well_formed = re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", text)
    return is_well_formed is not None and datetime.fromisoformat(text).tzinfo is not None


@messages
def test_a_json_feed_has_the_required_members(message: dict[str, Any]) -> None:
    item = json_feed_item(message)
    feed = json.loads(json.dumps(json_feed([item], "")))
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert isinstance(feed["title"], str)
    assert feed["title"]
    assert isinstance(item["id"], str)
    assert item["id"]
    assert isinstance(item["content_html"], str)
    assert isinstance(item["content_text"], str)
    assert all(is_rfc3339(item[key]) for key in item if key.startswith("date_"))
    assert all(isinstance(each["name"], str) for each in item.get("authors", []))
    assert all(isinstance(each, str) for each in item.get("tags", []))
    extensions = {key for key in item if key.startswith("_")}
    assert set(item) - extensions <= {
        *("id", "url", "title", "content_html", "content_text", "summary", "image"),
        *("date_published", "date_modified", "authors", "tags", "language"),
    }
    assert None not in item.values()


@messages
def test_a_ninjs_object_has_the_required_members(message: dict[str, Any]) -> None:
    found = ninjs(message)
    assert set(found) <= NINJS_KEYS
    assert None not in found.values()
    assert (found["standard"]["name"], found["standard"]["version"]) == ("ninjs", "3.0")
    assert found["type"] == "text"
    assert found["representationType"] in {"full", "partial"}
    assert found["pubStatus"] in {"usable", "withheld", "canceled"}
    assert isinstance(found.get("version", ""), str)
    assert all(is_rfc3339(found[key]) for key in found if key.endswith("Created"))
    for name in ("headlines", "descriptions", "bodies"):
        assert all(isinstance(each["value"], str) for each in found.get(name, []))
    assert found["bodies"][0]["charCount"] == len(message["text"])
    associations = found.get("associations", [])
    assert all(set(each) <= NINJS_KEYS | {"name"} for each in associations)
    assert all(each["type"] in {"picture", "video", "audio", "component"} for each in associations)
    for each in (found, *associations):
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+", each["uri"]) or (
            message["url"] == each["uri"] == "" or "canonical" in message
        )
        assert all(each["name"] for each in each.get("renditions", []))
    assert all(each["name"] for each in associations)


def test_identities_are_the_same_for_all_revisions() -> None:
    one, two = changed(id="a", revision=1), changed(id="b", revision=2, text="Corrected.")
    assert json_feed_item(one)["id"] == json_feed_item(two)["id"] == URL
    assert ninjs(one)["uri"] == ninjs(two)["uri"] == "https://news.example/br%C3%BCcke?a=1%202"
    assert [ninjs(each)["version"] for each in (one, two)] == ["1", "2"]
    assert ninjs(changed(canonical="https://news.example/b"))["uri"] == "https://news.example/b"


def test_a_withdrawn_article_is_canceled() -> None:
    at = "2026-11-27T00:00:00Z"
    assert ninjs(changed(withdrawn=at))["pubStatus"] == "canceled"
    assert ninjs(changed(withdrawn=None))["pubStatus"] == "usable"
    assert json_feed_item(changed(withdrawn=at))["_detourage"]["withdrawn"] == at


@pytest.mark.parametrize(
    ("written", "instant"),
    [
        ("2024-05-31T09:30+02:00", "2024-05-31T09:30:00+02:00"),
        ("2024-05-31T09:30:00", None),
        ("2024-05-31", None),
        ("2024-05", None),
        (None, None),
    ],
)
def test_only_instants_are_modification_dates(written: str | None, instant: str | None) -> None:
    item = json_feed_item(changed(metadata={"modified": written}))
    assert item.get("date_modified") == instant


def test_the_html_of_an_article_has_its_structure() -> None:
    text = "The old bridge closes."
    message = changed(
        text=text,
        blocks=[
            {
                "type": "paragraph",
                "text": text,
                "start": 0,
                "end": len(text),
                "links": [{"start": 4, "end": 14, "url": "https://news.example/b"}],
                "emphasis": [{"start": 4, "end": 7, "kind": "bold"}],
            }
        ],
        images=[{"url": "https://news.example/i.jpg", "alt": "<b>", "caption": None, "block": 1}],
        embeds=[],
    )
    assert json_feed_item(message)["content_html"].split("\n") == [
        '<p>The <a href="https://news.example/b"><strong>old</strong> bridge</a> closes.</p>',
        '<figure><img src="https://news.example/i.jpg" alt="&lt;b&gt;"></figure>',
    ]


def test_the_frame_of_a_feed_and_its_items_are_a_feed() -> None:
    start, end = json_feed_frame("[]")
    assert json.loads(start + "{}, {}" + end)["items"] == [{}, {}]
