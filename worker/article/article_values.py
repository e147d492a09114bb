"""Conversion of a page's content to the keys of the article message."""

from typing import Any

from models.messages import (
    ArticleMessage,
    Block,
    Comment,
    CommentsElsewhere,
    Embed,
    Emphasis,
    Entry,
    Image,
    Link,
    Metadata,
    Part,
    Parts,
)
from worker import comments
from worker.article import Extraction, Moment
from worker.article.reader import Content
from worker.html import site_name
from worker.pagination import Pagination

MAX_LISTED = 200
"""Maximum number of parts in a message. No page of the corpora has more than 13 parts."""


def article_values(content: Content) -> dict[str, Any]:
    """Return the values of `models.messages.ArticleMessage` that depend only on the page."""
    article = content.article
    metadata = article.metadata
    return {
        "language": article.language,
        "title": article.title,
        "lead": metadata.lead,
        "authors": list(metadata.authors),
        "published_at": metadata.published.instant if metadata.published else None,
        "text": article.text,
        "blocks": [
            Block(
                type=block.type,
                text=block.text,
                start=block.start,
                end=block.end,
                role=block.role,
                role_probability=block.role_probability,
                level=block.level,
                marker=block.marker,
                links=[Link(start=each.start, end=each.end, url=each.url) for each in block.links],
                emphasis=[
                    Emphasis(start=each.start, end=each.end, kind=each.kind)
                    for each in block.emphasis
                ],
                language=block.language,
            )
            for block in article.blocks
        ],
        "images": [
            Image(url=each.url, alt=each.alt, caption=each.caption, block=each.block)
            for each in article.images
        ],
        "embeds": [
            Embed(url=each.url, type=each.type, block=each.block) for each in article.embeds
        ],
        "comments": [_comment(each) for each in content.comments],
        "comments_elsewhere": [
            CommentsElsewhere(
                vendor=each.vendor, account=each.account, thread=each.thread, address=each.address
            )
            for each in content.comments_elsewhere
        ]
        or None,
        "entries": [
            Entry(
                id=each.id,
                time=_written(each.time),
                written_time=each.written_time,
                title=each.title,
                text=each.text,
                author=each.author,
                is_new=each.is_new,
                is_changed=each.is_changed,
            )
            for each in content.entries
        ]
        or None,
        "method": article.method,
        "xpath": article.xpath,
        "confidence": article.confidence,
        "metadata": _metadata(article),
        "parts": parts_of(content.pagination),
    }


def json_values(content: Content, url: str, site: str) -> dict[str, Any]:
    """Return the JSON values of the article message, except those that only a deployment knows.

    `site` is the site key of the page.
    """
    values = {"url": url, "site": site_name(site), **article_values(content)}
    message = ArticleMessage.model_construct(**values)
    return message.model_dump(mode="json", include={"version", *values})


def parts_of(found: Pagination) -> Parts | None:
    """Return the other parts of a page's article for the message, or None if there are none."""
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


def _comment(found: comments.Comment) -> Comment:
    return Comment(
        author=found.author,
        date=found.written_date or _written(found.date),
        text=found.text,
        parent=found.parent,
        published=_written(found.date),
        permalink=found.permalink,
        votes=found.votes,
    )


def _metadata(article: Extraction) -> Metadata:
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
    )


def _written(moment: Moment | None) -> str | None:
    return str(moment) if moment is not None else None
