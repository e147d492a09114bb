"""Contract of the links message, which reports the links listed by a page to the crawler."""

from typing import Literal

from pydantic import ConfigDict, Field

from detourage.messages import MessagePart, SentMessage, Timestamp

ListKind = Literal["menu", "listing", "collection", "article"]
"""Kinds of pages that list other pages: ``menu`` is a page without an article, and ``article`` an
article followed by links to further articles; for the other kinds, see `detourage.kinds`.
"""

MissedKind = Literal["wall", "gone"]
"""Kinds of responses that lack the article: a wall hides it, and ``gone`` means that it was
removed; see `worker.outcomes`."""


class Link(MessagePart):
    """A link listed by the page."""

    url: str = Field(
        description="Absolute http or https URL of the target, on any site, without fragment."
    )
    headline: str = Field(description="Text of the link on the page, on one line.")


class LinksMessage(SentMessage):
    """The links listed by a page, published on the ``links`` exchange if that is enabled.

    If the links change, another message is sent; it replaces all earlier ones.
    """

    model_config = ConfigDict(title="Links message")

    version: Literal[1] = Field(default=1, description="Version of this contract.")
    id: str = Field(
        description="The consumer's idempotency key, determined by the page and its links. It"
        " recurs if the page shows earlier links again."
    )
    page_id: str | None = Field(description="The crawler's id of the page, or null.")
    url: str = Field(description="URL of the page, as given by the crawler.")
    site: str = Field(description="Site of the page: the crawler's name for it, or its domain.")
    fetched_at: Timestamp | None = Field(
        description="Time of the fetch, RFC 3339 in UTC; null if unknown."
    )
    kind: ListKind | MissedKind = Field(
        description="Kind of page. A menu has no article. A listing or a collection has other"
        " content too, and also an article message. For an article, the links are those to"
        " the further articles below it. A wall hides the article, and gone means that it"
        " was removed; both have no links, and again is true."
    )
    links: list[Link] = Field(description="The links in page order, each URL once; at most 1,000.")
    next: str | None = Field(description="URL of the page on which the list continues, or null.")
    again: bool = Field(
        default=False,
        description="Whether the page should be fetched again because the response was not the"
        " article; true for the kinds wall and gone. Added to version 1.",
    )
