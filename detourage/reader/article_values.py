"""Conversion of a page's content to the keys of the article message."""

from collections.abc import Iterable
from typing import Any, TypeVar

from detourage import comments
from detourage.article import Article, ArticleBlock
from detourage.html import locations, site_name
from detourage.messages import (
    ArticleMessage,
    Block,
    Comment,
    Embed,
    Emphasis,
    Image,
    Link,
    Location,
    Locations,
    MessagePart,
    Metadata,
    Part,
    Parts,
    TextLocation,
)
from detourage.pagination import Pagination
from detourage.text.dates import Moment

MAX_TEXTS = 8
CHARACTERS_PER_TEXT = 20
"""Maximum number of text nodes in a block with a location for each: `MAX_TEXTS` plus one for every
`CHARACTERS_PER_TEXT` characters. Any other block has a single location for all its text nodes."""

MAX_LISTED = 200  # pages of an article in parts that a message lists

_Part = TypeVar("_Part", bound=MessagePart)


def article_values(article: Article) -> dict[str, Any]:
    """Return the fields of `detourage.messages.ArticleMessage` that depend only on the page."""
    metadata = article.metadata
    return {
        "language": article.language,
        "title": article.title,
        "lead": metadata.lead,
        "authors": list(metadata.authors),
        "published_at": article.published_at,
        "text": article.text,
        "blocks": [_block(each) for each in article.blocks],
        "images": _alike(Image, article.images),
        "embeds": _alike(Embed, article.embeds),
        "comments": [_comment(each) for each in article.comments],
        "method": article.method,
        "xpath": article.xpath,
        "confidence": article.confidence,
        "metadata": _metadata(article),
        "corrections": list(article.corrections),
        "locations": _one(Locations, article.locations),
        "parts": parts_of(article.pagination),
    }


def json_values(article: Article, url: str, site: str) -> dict[str, Any]:
    """Return the JSON values of the article message, except those known only to a deployment."""
    values = {"url": url, "site": site_name(site), **article_values(article)}
    message = ArticleMessage.model_construct(**values)
    return message.model_dump(mode="json", include={"version", *values})


def parts_of(found: Pagination) -> Parts | None:
    """Return the message's `parts`, or None if the article has only one page."""
    if not found:
        return None
    listed = sorted(found.pages.items())
    first = found.pages.get(1) or found.first
    return Parts(
        number=found.number,
        pages=[Part(number=number, url=url) for number, url in listed[:MAX_LISTED]],
        next=found.next,
        previous=found.previous,
        first=first if found.number != 1 else None,
        whole=found.whole,
    )


def _one(part: type[_Part], found: object | None) -> _Part | None:
    """Convert an object to the message part that has the same fields."""
    return part.model_validate(found, from_attributes=True) if found is not None else None


def _alike(part: type[_Part], found: Iterable[object]) -> list[_Part]:
    """Convert objects to message parts that have the same fields."""
    return [part.model_validate(each, from_attributes=True) for each in found]


def _block(found: ArticleBlock) -> Block:
    texts = found.texts
    if len(texts) > MAX_TEXTS + len(found.text) // CHARACTERS_PER_TEXT:
        first, last = texts[0], texts[-1]
        texts = (first._replace(end=last.end, byte_end=last.byte_end, xpath="", offset=0),)
    return Block(
        type=found.type,
        text=found.text,
        start=found.start,
        end=found.end,
        role=found.role,
        role_probability=found.role_probability,
        level=found.level,
        marker=found.marker,
        links=_alike(Link, found.links),
        emphasis=_alike(Emphasis, found.emphasis),
        language=found.language,
        xpath=found.xpath,
        texts=[_text(found, each) for each in texts],
    )


def _text(block: ArticleBlock, text: locations.TextLocation) -> TextLocation:
    start, end = text.byte_start, text.byte_end
    length = end - start if start is not None and end is not None else None
    range_ = text.start - block.start, text.end - text.start, start, length
    return (*range_, text.xpath, text.offset) if text.xpath or text.offset else range_


def _comment(found: comments.Comment) -> Comment:
    return Comment(
        author=found.author,
        date=found.written_date or _written(found.date),
        text=found.text,
        parent=found.parent,
        published=_written(found.date),
        permalink=found.permalink,
        votes=found.votes,
        location=_one(Location, found.location),
    )


def _metadata(article: Article) -> Metadata:
    found = article.metadata
    return Metadata(
        published=_written(found.published),
        modified=_written(found.modified),
        canonical_url=found.address,
        section=found.section,
        tags=list(found.tags),
        paywall=found.is_paid,
        truncated=found.truncated,
        kind=found.kind,
        wire=found.wire,
        site_name=found.site_name,
        description=found.description,
        image=found.image,
        favicon=found.favicon,
        text_direction=found.text_direction,
    )


def _written(moment: Moment | None) -> str | None:
    return str(moment) if moment is not None else None
