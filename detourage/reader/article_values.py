"""Conversion of an article to the values of the article message."""

from collections.abc import Iterable
from typing import Any, TypeVar

from detourage import messages
from detourage.article import Article, ArticleBlock, ArticleMetadata
from detourage.comments import Comment
from detourage.html import site_name
from detourage.html.locations import TextLocation
from detourage.pagination import Pagination
from detourage.text.dates import Moment

MAX_TEXTS = 8
CHARACTERS_PER_TEXT = 20
"""Each text node of a block has its own location if there are at most `MAX_TEXTS`, plus one for
every `CHARACTERS_PER_TEXT` characters of text. Otherwise, one location covers all of them."""

MAX_LISTED_PARTS = 200  # pages of a paginated article that a message lists

_Part = TypeVar("_Part", bound=messages.MessagePart)


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
        "images": _converted(messages.Image, article.images),
        "embeds": _converted(messages.Embed, article.embeds),
        "comments": [_comment(each) for each in article.comments],
        "method": article.method,
        "xpath": article.xpath,
        "confidence": article.confidence,
        "metadata": _metadata(metadata),
        "corrections": list(article.corrections),
        "locations": _optional(messages.Locations, article.locations),
        "parts": parts_of(article.pagination),
    }


def json_values(article: Article, url: str, site: str) -> dict[str, Any]:
    """Return the JSON values of the article message, except those known only to a deployment."""
    values = {"url": url, "site": site_name(site), **article_values(article)}
    message = messages.ArticleMessage.model_construct(**values)
    return message.model_dump(mode="json", include={"version", *values})


def parts_of(pagination: Pagination) -> messages.Parts | None:
    """Return the message's `parts`, or None if the article has only one page."""
    if not pagination:
        return None
    listed = sorted(pagination.pages.items())[:MAX_LISTED_PARTS]
    first = pagination.pages.get(1) or pagination.first
    return messages.Parts(
        number=pagination.number,
        pages=[messages.Part(number=number, url=url) for number, url in listed],
        next=pagination.next,
        previous=pagination.previous,
        first=first if pagination.number != 1 else None,
        whole=pagination.whole,
    )


def _part_of(part: type[_Part], value: object, **others: Any) -> _Part:
    """Convert an object to a message part: set `others`, and copy the remaining fields."""
    same = {name: getattr(value, name) for name in part.model_fields if name not in others}
    return part(**same, **others)


def _optional(part: type[_Part], value: object | None) -> _Part | None:
    """Convert an object to the message part with the same fields; None stays None."""
    return part.model_validate(value, from_attributes=True) if value is not None else None


def _converted(part: type[_Part], values: Iterable[object]) -> list[_Part]:
    """Convert objects to message parts that have the same fields."""
    return [part.model_validate(value, from_attributes=True) for value in values]


def _block(block: ArticleBlock) -> messages.Block:
    texts = block.texts
    if len(texts) > MAX_TEXTS + len(block.text) // CHARACTERS_PER_TEXT:
        # One location for all text nodes, without an XPath.
        end, byte_end = texts[-1].end, texts[-1].byte_end
        texts = (texts[0]._replace(end=end, byte_end=byte_end, xpath="", offset=0),)
    return _part_of(
        messages.Block,
        block,
        links=_converted(messages.Link, block.links),
        emphasis=_converted(messages.Emphasis, block.emphasis),
        texts=[_text_location(block, text) for text in texts],
    )


def _text_location(block: ArticleBlock, text: TextLocation) -> messages.TextLocation:
    """Return the message's array for a text node, with offsets into the block."""
    start, end = text.byte_start, text.byte_end
    length = end - start if start is not None and end is not None else None
    ranges = text.start - block.start, text.end - text.start, start, length
    return (*ranges, text.xpath, text.offset) if text.xpath or text.offset else ranges


def _comment(comment: Comment) -> messages.Comment:
    return _part_of(
        messages.Comment,
        comment,
        date=comment.written_date or _iso_or_none(comment.date),
        published=_iso_or_none(comment.date),
        location=_optional(messages.Location, comment.location),
    )


def _metadata(metadata: ArticleMetadata) -> messages.Metadata:
    return _part_of(
        messages.Metadata,
        metadata,
        published=_iso_or_none(metadata.published),
        modified=_iso_or_none(metadata.modified),
        tags=list(metadata.tags),
        paywall=metadata.is_paid,
    )


def _iso_or_none(moment: Moment | None) -> str | None:
    return str(moment) if moment is not None else None
