"""A page as received and as parsed, before it is stored."""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Self

from detourage.addresses import (
    NOTHING_DECLARED,
    DeclaredUrls,
    Refusal,
    canonical_form,
    refusal_of,
)
from detourage.html import Answer, Tree, site_key
from detourage.messages import PageMessage
from detourage.outcomes import PageOutcome
from worker.tracing import Context


@dataclass(frozen=True)
class FetchedPage:
    """A page as the crawler sent it."""

    site: str
    url: str
    content: bytes | str
    crawler_id: str | None
    content_type: str | None
    fetched_at: datetime | None
    extra: str
    trace: Context = field(default_factory=dict)

    @classmethod
    def of(cls, message: PageMessage) -> Self:
        """Create the page from its message."""
        return cls(
            site=site_key(message.site, message.url),
            url=message.url,
            content=message.content,
            crawler_id=message.id,
            content_type=message.stated_type,
            fetched_at=message.fetched_at,
            extra=json.dumps(
                {**(message.model_extra or {}), **message.answer}, ensure_ascii=True, sort_keys=True
            ),
        )

    @cached_property
    def answer(self) -> Answer:
        """HTTP response that delivered the page."""
        return Answer.of(self.extra)

    @cached_property
    def refusal(self) -> Refusal | None:
        """The response that the site sent instead of the page, or None if it sent the page."""
        return refusal_of(self.url, self.answer)

    @cached_property
    def content_bytes(self) -> bytes:
        """The content as bytes, before compression."""
        if isinstance(self.content, str):
            return self.content.encode("utf-8", errors="surrogatepass")
        return self.content

    @cached_property
    def content_digest(self) -> str:
        """SHA-256 of the content, of its type (text or bytes), and of the refusal, if any."""
        kind = b"text:" if isinstance(self.content, str) else b"bytes:"
        if self.refusal is not None:
            kind = f"{self.refusal.detail}:".encode() + kind
        return hashlib.sha256(kind + self.content_bytes).hexdigest()

    @cached_property
    def url_digest(self) -> str:
        """SHA-256 of the URL."""
        return digest_of_url(self.url)


def digest_of_url(url: str) -> str:
    """Return the SHA-256 of a URL, which is the key of its page."""
    return hashlib.sha256(url.encode("utf-8", errors="surrogatepass")).hexdigest()


def digests_of_address(url: str) -> list[str]:
    """Return the keys under which an address may be stored: as written, then in canonical form."""
    return [digest_of_url(url), digest_of_url(canonical_form(url))]


@dataclass(frozen=True)
class ReadPage:
    """A parsed page; a rejected page has an outcome instead of a tree.

    For ``comment_pattern``, see `StoredPage.comment_pattern`; ``declared`` holds the addresses that
    the page declares.
    """

    tree: Tree | None = None
    encoding: str | None = None
    comment_pattern: str | None = None
    outcome: PageOutcome | None = None
    outcome_detail: str | None = None
    declared: DeclaredUrls = NOTHING_DECLARED
