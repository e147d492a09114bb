"""Conversion of article messages to items of JSON Feed 1.1 and objects of IPTC ninjs 3.0.

Both functions take the JSON values of an article message; keys that only a deployment can fill may
be absent.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from worker.article.documents import Body, to_html_fragment
from worker.article.result import (
    ArticleBlock,
    ArticleEmbed,
    ArticleEmphasis,
    ArticleImage,
    ArticleLink,
)

JSON_FEED_VERSION = "https://jsonfeed.org/version/1.1"
DEFAULT_FEED_TITLE = "Articles"
"""Title of a feed that is not for a single site."""

NINJS_STANDARD = {
    "name": "ninjs",
    "version": "3.0",
    "schema": "https://www.iptc.org/std/ninjs/ninjs-schema_3.0.json",
}

_URI_CHARACTERS = ":/?#[]@!$&'()*+,;=%~"
_MEDIA = frozenset({"audio", "video"})


def json_feed(items: Sequence[Mapping[str, Any]], title: str) -> dict[str, Any]:
    """Return a JSON Feed with the given items."""
    return {"version": JSON_FEED_VERSION, "title": title or DEFAULT_FEED_TITLE, "items": items}


def json_feed_frame(title: str = "") -> tuple[str, str]:
    """Return the text before and after a JSON Feed's items, which are separated by commas."""
    start, _, end = json.dumps(json_feed([], title), ensure_ascii=False).rpartition("]")
    return start, f"\n]{end}\n"


def json_feed_item(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item of a JSON Feed; its ID is the same for all revisions of an article."""
    metadata = message.get("metadata") or {}
    identity = _identity(message)
    item = {
        "id": identity,
        "url": message.get("canonical") or message["url"] or None,
        "title": message["title"],
        "content_html": _html(message),
        "content_text": message["text"],
        "summary": message["lead"],
        "image": next((each["url"] for each in message["images"]), None),
        "date_published": message["published_at"],
        "date_modified": _instant(metadata.get("modified")),
        "authors": [{"name": name} for name in message["authors"]],
        "tags": metadata.get("tags"),
        "language": message["language"],
    }
    extension = {
        **{name: message.get(name) for name in ("id", "revision", "site", "page_id", "withdrawn")},
        "confidence": message["confidence"],
    }
    return _filled(item) | {"_detourage": _filled(extension)}


def ninjs(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a ninjs object; its URI is the same for all revisions of an article."""
    metadata = message.get("metadata") or {}
    published = message["published_at"]
    modified = _instant(metadata.get("modified"))
    text = message["text"]
    subjects = [{"name": tag, "rel": "keyword"} for tag in metadata.get("tags") or ()]
    if metadata.get("section"):
        subjects.insert(0, {"name": metadata["section"], "rel": "section"})
    story = message.get("story") or {}
    sources = [message["site"], story.get("wire")]
    ids = {
        "article": message.get("id"),
        "page": message.get("page_id"),
        "story": story.get("id"),
    }
    revision = message.get("revision")
    found = {
        "uri": _uri(_identity(message)),
        "standard": NINJS_STANDARD,
        "type": "text",
        "representationType": "partial" if metadata.get("truncated") else "full",
        "version": str(revision) if revision is not None else None,
        "firstCreated": published,
        "versionCreated": message.get("extracted_at") or modified or published,
        "contentCreated": published,
        "pubStatus": "canceled" if message.get("withdrawn") else "usable",
        "language": message["language"],
        "headlines": [{"role": "main", "value": title} for title in _given(message["title"])],
        "descriptions": [{"role": "summary", "value": lead} for lead in _given(message["lead"])],
        "by": ", ".join(message["authors"]) or None,
        "people": [{"name": name, "rel": "author"} for name in message["authors"]],
        "infoSources": [{"name": name} for name in _given(*sources)],
        "subjects": subjects,
        "bodies": [
            {
                "role": "main",
                "contentType": "text/plain",
                "charCount": len(text),
                "wordCount": len(text.split()),
                "value": text,
            },
            {"role": "main", "contentType": "text/html", "value": _html(message)},
        ],
        "associations": [
            *(_picture(number, each) for number, each in enumerate(message["images"], 1)),
            *(_medium(number, each) for number, each in enumerate(message["embeds"], 1)),
        ],
        "altIds": [{"role": role, "value": value} for role, value in ids.items() if value],
    }
    return _filled(found)


def _picture(number: int, image: Mapping[str, Any]) -> dict[str, Any]:
    descriptions = {"caption": image["caption"], "alternative": image["alt"]}
    return _filled(
        {
            "name": f"image-{number}",
            "uri": _uri(image["url"]),
            "type": "picture",
            "descriptions": [{"role": k, "value": v} for k, v in descriptions.items() if v],
            "renditions": [{"name": "original", "href": _uri(image["url"])}],
        }
    )


def _medium(number: int, embed: Mapping[str, Any]) -> dict[str, Any]:
    kind = embed["type"] if embed["type"] in _MEDIA else "component"
    address = _uri(embed["url"])
    return {
        "name": f"embed-{number}",
        "uri": address,
        "type": kind,
        "renditions": [{"name": "original", "href": address}],
    }


def _identity(message: Mapping[str, Any]) -> str:
    """Return an identifier that all revisions of an article share."""
    address = message.get("canonical") or message["url"]
    if address:
        return str(address)
    # Only an article that was extracted from a page without a URL has neither.
    from uuid import NAMESPACE_URL, uuid5

    return uuid5(NAMESPACE_URL, f"{message['title']}\n{message['text']}").urn


def _uri(address: str) -> str:
    """Return an address with all characters escaped that a URI must not contain."""
    return quote(address, safe=_URI_CHARACTERS, errors="replace")


def _instant(written: str | None) -> str | None:
    """Return a date of the metadata in RFC 3339, or None if its time or zone is unknown."""
    try:
        moment = datetime.fromisoformat(written or "")
    except ValueError:
        return None
    return moment.isoformat() if moment.tzinfo is not None else None


def _html(message: Mapping[str, Any]) -> str:
    blocks = [
        ArticleBlock(
            type=each["type"],
            text=each["text"],
            start=each["start"],
            end=each["end"],
            level=each.get("level"),
            marker=each.get("marker"),
            links=tuple(ArticleLink(**link) for link in each.get("links", ())),
            emphasis=tuple(ArticleEmphasis(**range_) for range_ in each.get("emphasis", ())),
            language=each.get("language"),
        )
        for each in message["blocks"]
    ]
    images = [
        ArticleImage(each["url"], each["alt"], each["caption"], each.get("block"))
        for each in message["images"]
    ]
    embeds = [
        ArticleEmbed(each["url"], each["type"], each.get("block")) for each in message["embeds"]
    ]
    return to_html_fragment(Body(blocks, images, embeds))


def _given(*values: str | None) -> list[str]:
    return [each for each in values if each]


def _filled(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are neither null nor an empty list."""
    return {name: value for name, value in values.items() if value is not None and value != []}
