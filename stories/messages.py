"""The contract of story messages, and the keys of article messages on which stories depend."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from typing import Annotated, Literal
from uuid import NAMESPACE_URL, UUID, uuid5

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from detourage.messages import MessagePart, SentMessage, Timestamp

_STORIES_NAMESPACE = uuid5(NAMESPACE_URL, "detourage:stories")

MAX_ROUTING_KEY_BYTES = 255
"""Maximum length of a routing key in AMQP 0-9-1."""


class _Metadata(BaseModel):
    wire: str | None = None


class _Parts(BaseModel):
    joined: list[str] = []


class _Template(BaseModel):
    generation: int | None = None


class Article(BaseModel):
    """The keys of an article message on which stories depend."""

    model_config = ConfigDict(frozen=True)

    version: Literal[1]
    id: UUID
    revision: Annotated[int, Field(ge=1, lt=2**31)]
    url: Annotated[str, StringConstraints(min_length=1)]
    site: Annotated[str, StringConstraints(min_length=1)]
    language: str | None = None
    fetched_at: AwareDatetime | None = None
    received_at: AwareDatetime | None = None
    extracted_at: AwareDatetime
    text: str
    withdrawn: AwareDatetime | None = None
    metadata: _Metadata | None = None
    parts: _Parts | None = None
    template: _Template = _Template()

    @property
    def wire(self) -> str | None:
        """The news agency that the article names."""
        return self.metadata.wire if self.metadata is not None else None

    @property
    def is_joined(self) -> bool:
        """Whether the article contains the text of several pages."""
        return self.parts is not None and bool(self.parts.joined)


StoryRelation = Literal["same", "update", "excerpt", "contains"]
ChangeKind = Literal["typo", "update", "correction", "rewritten", "live"]
ChangeAction = Literal["added", "removed", "edited", "moved"]


class TextChange(MessagePart):
    """Two versions of a headline or a lead."""

    before: str = Field(description="Text of the previous revision.")
    after: str = Field(description="Text of this revision.")


class SentenceChange(MessagePart):
    """A sentence of the text that was added, removed, edited or moved."""

    action: ChangeAction = Field(
        description="added, removed, edited, or moved; a sentence that was moved and edited is"
        " edited."
    )
    before: str | None = Field(
        description="The sentence in the previous revision; null if it was added."
    )
    before_start: int | None = Field(
        description="Character offset of its start in the previous text, or null."
    )
    before_end: int | None = Field(
        description="Character offset of its end in the previous text, or null."
    )
    after: str | None = Field(description="The sentence in this revision; null if it was removed.")
    start: int | None = Field(description="Character offset of its start in the new text, or null.")
    end: int | None = Field(description="Character offset of its end in the new text, or null.")


class Changes(MessagePart):
    """Differences from an earlier revision that a reader would notice.

    Typography, white space, and text that other articles of the template group contain are
    ignored. An empty list of sentences without title and lead means that something else changed,
    such as images or comments.
    """

    since: int = Field(description="Number of the earlier revision.")
    kind: ChangeKind | None = Field(
        description="correction if the site added a note of correction; live for a live report;"
        " rewritten if less than half of the text remains; typo if only the spelling of words and"
        " the punctuation changed; update for everything else. Null if neither the headline, the"
        " lead nor the text changed."
    )
    title: TextChange | None = Field(description="The headlines, or null if unchanged.")
    lead: TextChange | None = Field(description="The leads, or null if unchanged.")
    correction: str | None = Field(
        description="The first note of correction that the earlier revision does not have, or null."
    )
    sentences: list[SentenceChange] = Field(
        description="Changes of the text, in its order. Sentences of the lead are left out."
    )
    is_complete: bool = Field(
        description="False if the texts are too long to be compared, or too different to be"
        " described: sentences is then empty."
    )


class FirstArticle(MessagePart):
    """The first article of a story, in the order of receipt."""

    url: str = Field(description="URL of the article's page.")
    site: str = Field(description="Site of the article's page.")
    fetched_at: Timestamp | None = Field(description="Time of the fetch, RFC 3339 in UTC, or null.")


class Story(MessagePart):
    """The story of an article."""

    story: str = Field(
        description="ID of the story, the same for all its articles; derived from the first one's"
        " text."
    )
    relation: StoryRelation | None = Field(
        description="Relation of this article's text to the text of the story's first article: the"
        " same except for a few words, an excerpt of it, a text that contains it, or an update that"
        " shares parts with it. Null for the first article itself."
    )
    similarity: float | None = Field(
        ge=0,
        le=1,
        description="Resemblance to the text of the first article: the share of shingles that both"
        " texts have in common. Null for the first article itself.",
    )
    first: FirstArticle | None = Field(
        description="The story's first article; null if no article with its text is left."
    )
    wire: str | None = Field(
        description="News agency named in the byline, dateline or sign-off, or null."
    )


class StoryMessage(Story, SentMessage):
    """The story of an article, as published on the exchange ``stories``.

    The first message about a revision has the number 1. If an article that was received earlier
    turns out to belong to the story, or if the story's first article leaves it, a further message
    about the same revision, with a higher number, replaces the earlier ones.
    """

    model_config = ConfigDict(title="Story message")

    version: Literal[1] = Field(default=1, description="Version of this contract.")
    id: str = Field(
        description="The consumer's idempotency key, determined by the article and the number."
    )
    article: str = Field(description="ID of the article message.")
    revision: int = Field(ge=1, description="Revision of the article message.")
    number: int = Field(
        ge=1, description="Number of this message about the revision; the highest replaces others."
    )
    url: str = Field(description="URL of the page, as in the article message.")
    site: str = Field(description="Site of the page, as in the article message.")
    language: str | None = Field(description="BCP 47 language tag, or null if unknown.")
    changes: Changes | None = Field(
        description="Changes since the previous revision; null for the first revision, for messages"
        " with a number above 1, and for revisions that are caused by other pages or withdraw the"
        " article."
    )


def routing_key(*parts: str) -> str:
    """Return a routing key, truncated to the length that AMQP allows."""
    return ".".join(parts).encode()[:MAX_ROUTING_KEY_BYTES].decode(errors="ignore")


def message_id(article: UUID | str, number: int) -> str:
    """Return the ID of a message about an article, the same on every machine."""
    return str(uuid5(_STORIES_NAMESPACE, f"{article} {number}"))


def story_id(first_key: bytes) -> str:
    """Return the ID of a story by its first article's text key, the same on every machine."""
    return str(uuid5(_STORIES_NAMESPACE, first_key.hex()))


def lone_story_id(key: bytes, site: str, url: str) -> str:
    """Return the story ID of a text that is too short to be compared with other texts."""
    return str(uuid5(_STORIES_NAMESPACE, f"{key.hex()}\n{site}\n{url}"))


def own_story(key: bytes, is_comparable: bool, first: FirstArticle, wire: str | None) -> Story:
    """Return the story of an article that is its first, and perhaps its only, article."""
    identity = story_id(key) if is_comparable else lone_story_id(key, first.site, first.url)
    return Story(story=identity, relation=None, similarity=None, first=first, wire=wire)


def first_article(url: str, site: str, fetched_at: datetime | None) -> FirstArticle:
    """Return an article in the form in which messages name the first article of a story."""
    return FirstArticle(url=url, site=site, fetched_at=fetched_at)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(StoryMessage.model_json_schema(mode="serialization"), indent=2))
