"""The message of links: what a page that leads to others lists, for the crawler."""

from typing import Literal

from pydantic import ConfigDict, Field

from models.messages import MessagePart, SentMessage, Timestamp

ListKind = Literal["menu", "listing", "collection", "article"]
"""Kinds of page that lead to others: a menu has no article, an article has others below it; see
`models.kinds` for the others."""

MissedKind = Literal["wall", "gone"]
"""Kinds of page that show no article, though there is or was one: see `worker.outcomes`."""


class Link(MessagePart):
    """What a page lists."""

    url: str = Field(
        description="Its address, as the page gives it: absolute, http or https, of any site,"
        " without fragment."
    )
    headline: str = Field(description="What the page calls it, on one line.")


class LinksMessage(SentMessage):
    """What a page lists, as published on the exchange ``links``, where that is asked for.

    A page whose links change gives another message; the latest is the one that holds.
    """

    model_config = ConfigDict(title="Links message")

    version: Literal[1] = Field(default=1, description="Version of this contract.")
    id: str = Field(
        description="Stable for page and links: the consumer's idempotency key. The same where a"
        " page shows again what it showed before."
    )
    page_id: str | None = Field(description="The crawler's id of the page, null for none.")
    url: str = Field(description="Address of the page, as the crawler gave it.")
    site: str = Field(description="Site of the page: the crawler's name for it, or its domain.")
    fetched_at: Timestamp | None = Field(
        description="When the page was fetched, RFC 3339 in UTC; null where it is not known."
    )
    kind: ListKind | MissedKind = Field(
        description="What the page is: a menu has no article; a listing or a collection has more"
        " than links, and an article message too; of an article, those that the page shows below it"
        " are listed, so that readers scroll on; a wall stands before the article, or it is gone,"
        " and again says so."
    )
    links: list[Link] = Field(
        description="What it lists, in the order of the page, each address once; at most 1,000."
    )
    next: str | None = Field(
        description="Address of the page that the list goes on; null for none."
    )
    again: bool = Field(
        default=False,
        description="Whether the page is to be fetched again, as what came is no article: of kinds"
        " wall and gone, which list nothing. Added to version 1.",
    )
