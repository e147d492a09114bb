"""The links message: what a page lists, for the crawler."""

from typing import Literal

from pydantic import ConfigDict, Field

from models.messages import MessagePart, SentMessage, Timestamp

ListKind = Literal["menu", "listing", "collection", "article"]
"""Kinds of pages that list others: a menu has no article, an article has others below it; see
`models.kinds` for the rest.
"""

MissedKind = Literal["wall", "gone"]
"""Kinds of pages without an article, though there is or was one: see `worker.outcomes`."""


class Link(MessagePart):
    """A listed link."""

    url: str = Field(
        description="Its URL as given by the page: absolute, http or https, of any site, without"
        " fragment."
    )
    headline: str = Field(description="Its text in the page, on one line.")


class LinksMessage(SentMessage):
    """The links of a page, as published on the exchange ``links`` if enabled.

    A page whose links change is sent in another message; the latest one is valid.
    """

    model_config = ConfigDict(title="Links message")

    version: Literal[1] = Field(default=1, description="Version of this contract.")
    id: str = Field(
        description="Stable for page and links: the consumer's idempotency key. It recurs if a"
        " page shows earlier links again."
    )
    page_id: str | None = Field(description="The crawler's id of the page, or null.")
    url: str = Field(description="URL of the page, as given by the crawler.")
    site: str = Field(description="Site of the page: the crawler's name for it, or its domain.")
    fetched_at: Timestamp | None = Field(
        description="Time of the fetch, RFC 3339 in UTC; null if unknown."
    )
    kind: ListKind | MissedKind = Field(
        description="Kind of page: a menu has no article; a listing or a collection has more than"
        " links, and also an article message; of an article, the links below it are"
        " listed; a wall hides the article, and gone means that it was removed: for both,"
        " see again."
    )
    links: list[Link] = Field(description="The links in page order, each URL once; at most 1,000.")
    next: str | None = Field(description="URL of the page on which the list continues, or null.")
    again: bool = Field(
        default=False,
        description="Whether the page should be fetched again, as the response was not the"
        " article: for kinds wall and gone, which have no links. Added to version 1.",
    )
