"""The crawler's page message and the article message.

Both contracts are fixed: other services build on them. A version promises its keys, what they mean
and their types. Keys may be added within a version, so a consumer ignores those that it does not
know; any other change raises ``version``.
"""

import base64
import binascii
import codecs
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PrivateAttr,
    StringConstraints,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from models.kinds import Kind
from models.limits import (
    MAX_HEADER_CHARACTERS,
    MAX_HEADERS,
    MAX_HTML_BYTES,
    MAX_URL_CHARACTERS,
)
from models.roles import LineRole

HTML_NOT_GIVEN_ONCE: Final = "html_not_given_once"
HTML_TOO_LARGE: Final = "html_too_large"
UNLIKELY_TIME: Final = "unlikely_time"
UNSUPPORTED_SITE: Final = "unsupported_site"
"""Types of validation errors of a page message, beside pydantic's own."""


EARLIEST_FETCH = datetime(1990, 1, 1, tzinfo=UTC)
LATEST_FETCH = datetime(2200, 1, 1, tzinfo=UTC)
"""Between which a page can have been fetched: the web is not older, and what is stored must be
readable in every zone."""

_SITE = re.compile(r"[^\W_][\w.:-]*")
"""Names of sites: host names, and slugs of letters and digits of any script."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


Timestamp = Annotated[AwareDatetime, PlainSerializer(_rfc3339, return_type=str, when_used="json")]
"""A moment with its offset, written as RFC 3339 in UTC."""


LocalTimestamp = Annotated[
    AwareDatetime,
    PlainSerializer(
        lambda moment: moment.isoformat().replace("+00:00", "Z"), return_type=str, when_used="json"
    ),
]
"""A moment in the zone of a page, written as RFC 3339 with that zone's offset."""


class PageMessage(BaseModel):
    """One fetched page, as the crawler publishes it on ``crawler.pages``.

    Exactly one of ``html`` and ``html_base64`` is given. Unknown keys are kept
    (in ``model_extra``) and ignored.
    """

    model_config = ConfigDict(extra="allow", strict=True, title="Page message")

    version: Literal[1] = Field(description="Version of this contract.")
    url: Annotated[str, StringConstraints(min_length=1, max_length=MAX_URL_CHARACTERS)] = Field(
        description="Address of the page, http or https."
    )
    html: str | None = Field(default=None, description="The page as text.")
    html_base64: str | None = Field(
        default=None, description="The page as fetched: its bytes, in base64."
    )
    id: Annotated[str, StringConstraints(max_length=1024)] | None = Field(
        default=None, description="The crawler's own identifier, echoed in the article as page_id."
    )
    site: Annotated[str, StringConstraints(min_length=1, max_length=253)] | None = Field(
        default=None,
        description="Site key: a host name, or letters and digits of any script with . _ - :"
        " between; the registrable domain of the URL where absent.",
    )
    content_type: str | None = Field(default=None, description="The HTTP Content-Type header.")
    fetched_at: Timestamp | None = Field(
        default=None,
        strict=False,
        description="When the page was fetched, RFC 3339: not before 1990, and at most a day after"
        " the message came.",
    )
    status: Annotated[int, Field(ge=100, le=599)] | None = Field(
        default=None,
        description="Status code of the HTTP answer. A page that came with an error is no article,"
        " and replaces none. Added to version 1.",
    )
    final_url: Annotated[str, StringConstraints(max_length=MAX_URL_CHARACTERS)] | None = Field(
        default=None,
        description="Address that the answer came from after redirects, http or https. Added to"
        " version 1.",
    )
    headers: dict[str, str] | None = Field(
        default=None,
        max_length=MAX_HEADERS,
        description="Headers of the HTTP answer, values by name; of no more than 65,536 characters"
        " together. Its Content-Type counts where content_type is absent. Added to version 1.",
    )

    _content: bytes | str = PrivateAttr(default=b"")

    @field_validator("id", "content_type")
    @classmethod
    def _no_nul(cls, value: str | None) -> str | None:
        if value is not None and "\x00" in value:
            raise ValueError("must not contain NUL characters")
        return value

    @field_validator("headers")
    @classmethod
    def _is_bounded(cls, value: dict[str, str] | None) -> dict[str, str] | None:
        if value is None:
            return None
        if sum(len(name) + len(each) for name, each in value.items()) > MAX_HEADER_CHARACTERS:
            raise ValueError(f"must not hold more than {MAX_HEADER_CHARACTERS} characters")
        if any("\x00" in each for each in value.values()):
            raise ValueError("must not contain NUL characters")
        return value

    @field_validator("url", "final_url")
    @classmethod
    def _is_http(cls, value: str | None) -> str | None:
        if value is None:
            return None
        if _CONTROLS.search(value):
            raise ValueError("must not contain control characters")
        parts = urlsplit(value)
        if parts.scheme.lower() not in {"http", "https"}:
            raise ValueError("must be an http or https URL")
        if not parts.hostname:
            raise ValueError("must name a host")
        if parts.port == 0:
            raise ValueError("must not name port 0")
        if "\\" in parts.netloc:
            # The host ends there for browsers, and only behind the next "@" for others.
            raise ValueError("must not hold a backslash before its path")
        # A password is nobody's business behind the crawler.
        return value.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1)

    @field_validator("site")
    @classmethod
    def _is_site(cls, value: str | None) -> str | None:
        if value is not None and not _SITE.fullmatch(value):
            raise PydanticCustomError(
                UNSUPPORTED_SITE,
                "must be a host name, or letters and digits with . _ - : in between",
            )
        return value

    @field_validator("fetched_at")
    @classmethod
    def _is_likely(cls, value: datetime | None) -> datetime | None:
        if value is not None and not EARLIEST_FETCH <= value < LATEST_FETCH:
            raise PydanticCustomError(UNLIKELY_TIME, "must be of 1990 or later, and not far ahead")
        return value

    @model_validator(mode="after")
    def _read_content(self) -> Self:
        if (self.html is None) == (self.html_base64 is None):
            raise PydanticCustomError(
                HTML_NOT_GIVEN_ONCE, "exactly one of html and html_base64 must be given"
            )
        if self.html is not None:
            self._content = self.html
            size = len(self.html.encode("utf-8", errors="surrogatepass"))
        else:
            try:
                self._content = base64.b64decode(self.html_base64 or "", validate=True)
            except binascii.Error as error:
                raise ValueError(f"html_base64 is not base64: {error}") from error
            size = len(self._content)
        if size > MAX_HTML_BYTES:
            raise PydanticCustomError(
                HTML_TOO_LARGE,
                "html holds {size} bytes, more than the {limit} allowed",
                {"size": size, "limit": MAX_HTML_BYTES},
            )
        return self

    @classmethod
    def from_json(cls, body: bytes) -> Self:
        """Read a message; a byte order mark before it is ignored, as RFC 8259 allows.

        Raises
        ------
        pydantic.ValidationError
            If the body is no page message.
        """
        return cls.model_validate_json(body.removeprefix(codecs.BOM_UTF8))

    @property
    def answer(self) -> dict[str, Any]:
        """What the message says of the HTTP answer, by the names of its keys."""
        return self.model_dump(
            include={"status", "final_url", "headers"}, exclude_none=True, exclude_unset=True
        )

    @property
    def stated_type(self) -> str | None:
        """The Content-Type: as given, else as the headers have it."""
        if self.content_type is not None:
            return self.content_type
        named = {name.lower(): value for name, value in (self.headers or {}).items()}
        return named.get("content-type")

    @property
    def content(self) -> bytes | str:
        """The page: text where the message gave text, else the bytes as fetched."""
        return self._content


BlockType = Literal["heading", "paragraph", "list_item", "quote", "caption", "code", "table"]
Role = Literal["member", "representative", "outlier"]


class MessagePart(BaseModel):
    """A part of a message that the service sends."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class SentMessage(MessagePart):
    """A message that the service sends."""

    def to_json(self) -> dict[str, Any]:
        """Return the message as JSON values."""
        return self.model_dump(mode="json")

    @classmethod
    def in_order(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON values of a message in the order of its contract.

        Parameters
        ----------
        values
            As a database gives them, which keeps no order. Keys that an earlier version of
            the service did not write stay away.
        """
        return cls.model_validate(values).model_dump(mode="json", exclude_unset=True)


class Link(MessagePart):
    """A link within the article's text."""

    start: int = Field(ge=0, description="Offset of its first character in text.")
    end: int = Field(ge=0, description="Offset after its last character in text.")
    url: str = Field(description="Address of the target, absolute.")


class Emphasis(MessagePart):
    """An emphasised stretch of the article's text."""

    start: int = Field(ge=0, description="Offset of its first character in text.")
    end: int = Field(ge=0, description="Offset after its last character in text.")
    kind: Literal["bold", "italic"] = Field(description="How the page sets it.")


def _is_empty(value: object) -> bool:
    return value is None or value == []


class Block(MessagePart):
    """A stretch of the article's text: ``text == article.text[start:end]``.

    Keys from ``level`` on are absent where they do not apply: an article has many blocks.
    """

    type: BlockType = Field(description="What the stretch is marked as.")
    text: str = Field(description="The stretch itself.")
    start: int = Field(ge=0, description="Offset of the first character in text.")
    end: int = Field(ge=0, description="Offset after the last character in text.")
    role: LineRole | None = Field(
        default=None,
        description="What the stretch is to its reader, whatever the page marks it as; null where"
        " no roles are asked for, but for authors and dates in a thread. Added to version 1.",
    )
    role_probability: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Probability of that role. Added to version 1.",
    )
    level: int | None = Field(
        default=None,
        exclude_if=_is_empty,
        ge=1,
        description="Level of a heading, 1 to 6; nesting depth of a list item. Added to version 1.",
    )
    marker: str | None = Field(
        default=None,
        exclude_if=_is_empty,
        description='What a list item begins with: "-", or its number as "3."; absent in a block'
        " that continues an item. Added to version 1.",
    )
    links: list[Link] = Field(
        default=[],
        exclude_if=_is_empty,
        description="Links within the block, in order. Added to version 1.",
    )
    emphasis: list[Emphasis] = Field(
        default=[],
        exclude_if=_is_empty,
        description="Bold and italic stretches, in order. Added to version 1.",
    )
    language: str | None = Field(
        default=None,
        exclude_if=_is_empty,
        description="Programming language of code. Added to version 1.",
    )


_PLACE = Field(
    default=None,
    exclude_if=_is_empty,
    ge=0,
    description="Index of the block that it stands before, the number of blocks where it stands"
    " below the last one; absent where its place is not known. Added to version 1.",
)


class Image(MessagePart):
    """An image of the article's body."""

    url: str = Field(description="Address of the image, absolute.")
    alt: str | None = Field(default=None, description="What the page gives to show in its place.")
    caption: str | None = Field(default=None, description="What the page says below it.")
    block: int | None = _PLACE


class Embed(MessagePart):
    """A foreign object shown in the article's body: a video, a post, a frame."""

    url: str = Field(description="Address of the object, absolute.")
    type: str = Field(description="Element that embeds it: iframe, video, audio, object, embed.")
    block: int | None = _PLACE


class Comment(MessagePart):
    """A reader's comment."""

    author: str | None = Field(description="Name as the page shows it, null for none.")
    date: str | None = Field(
        description='As the page shows it, be it "3 hours ago"; else as it declares it.'
    )
    text: str = Field(description="Paragraphs parted by a blank line.")
    parent: int | None = Field(description="Index of the comment it answers, null for none.")
    published: str | None = Field(
        default=None,
        description="The date by ISO 8601, as precisely as the page gives it. Where that says only"
        " how long ago, it is told from fetched_at: to the minute, the hour or the day; null where"
        " fetched_at is, and for weeks and more. Added to version 1.",
    )
    permalink: str | None = Field(default=None, description="Its address. Added to version 1.")
    votes: int | None = Field(
        default=None,
        description="What readers gave it, those against it subtracted where the"
        " page does. Added to version 1.",
    )


StoryRelation = Literal["same", "update", "excerpt", "contains"]


class Story(MessagePart):
    """What the article has in common with others, of any site, that repeat each other's text.

    The story of an article may change when others come: it is corrected in a later revision.
    """

    id: str = Field(
        description="The same for all articles of a story; it comes from the text of the first."
    )
    first_seen: Timestamp | None = Field(
        description="When the first article of the story was fetched, RFC 3339 in UTC; null where"
        " no fetch time is known of any."
    )
    relation: StoryRelation | None = Field(
        description="What the text is to that of the first article: the same but for some words, an"
        " excerpt of it, it contains it, or an update: they have parts in common. Null for the"
        " first article itself."
    )
    similarity: float | None = Field(
        ge=0,
        le=1,
        description="Resemblance with the text of the first article: the share of their shingles"
        " that both have; null for the first article itself.",
    )
    wire: str | None = Field(
        description="News agency that byline, dateline or sign-off name; null for none."
    )


class CommentsElsewhere(MessagePart):
    """A thread of readers' comments that another service keeps.

    All is read from the page: whether there are comments, only the service knows.
    """

    vendor: str = Field(
        description="The service: disqus, facebook, coral, viafoura, openweb, hyvor-talk, giscus"
        " and others; wordpress for the site's own interface."
    )
    account: str | None = Field(
        default=None, description="What it knows the site by; null where the page does not say."
    )
    thread: str | None = Field(
        default=None,
        description="What it knows the thread by: an id, or the address that it is filed under;"
        " null where the page does not say.",
    )
    address: str | None = Field(
        default=None,
        description="Address of the service, of its frame or of its program, http or https,"
        " absolute; null where the page gives none.",
    )


class Entry(MessagePart):
    """An entry of a live report.

    A revision says which entries are new and which are changed against the last one before it.
    An entry that the page shows no more is in no later revision.
    """

    id: str = Field(
        description="The same in all revisions: what the page names the entry by; else it is made"
        " of its time, and its title or first words. Each once in a message."
    )
    time: str | None = Field(
        description="When it was written, by ISO 8601 as precisely as the page gives it; null where"
        " it gives none, or a time of day without saying of which day."
    )
    written_time: str | None = Field(
        description='The same as the page shows it ("12.31 Uhr"), null where it shows none.'
    )
    title: str | None = Field(description="Its headline, null for none.")
    text: str = Field(
        description="What it says below its headline, paragraphs parted by a blank line; may be"
        " empty where it has one."
    )
    author: str | None = Field(description="Who wrote it, null where the page does not say.")
    is_new: bool | None = Field(
        description="Whether the last revision did not hold it; null where there is none before, or"
        " that had no entries."
    )
    is_changed: bool | None = Field(
        description="Whether the last revision held it with another title or text: such an entry"
        " is not new. Null where is_new is."
    )


class Part(MessagePart):
    """One of the pages that an article, a thread or a list is spread over."""

    number: int = Field(description="Its number, from 1 or as the site counts.")
    url: str = Field(description="Its address, absolute.")


class Parts(MessagePart):
    """The pages that what a page shows is spread over, as far as they are known.

    Addresses are absolute, without fragment. Of a thread or a list the links alone are given:
    it is neither joined nor missed.
    """

    number: int | None = Field(
        default=None, description="Number of this page among them; null where it does not tell."
    )
    pages: list[Part] = Field(
        default=[], description="Those with a number, ascending; this page may be among them."
    )
    next: str | None = Field(
        default=None, description="What the page calls the next one; null for none."
    )
    previous: str | None = Field(
        default=None,
        description="What the page calls the previous one; null for none. A blog may call older"
        " posts so.",
    )
    first: str | None = Field(
        default=None,
        description="The first one: the article that a later part belongs to; null where it is"
        " this page, or is not known.",
    )
    whole: str | None = Field(
        default=None, description="Where all is on one page; null where the page names none."
    )
    joined: list[str] = Field(
        default=[],
        description="Addresses of the parts that text, blocks, images, embeds and comments hold,"
        " in order; empty where they are of this page alone.",
    )
    missing: list[str] | None = Field(
        default=None,
        description="Addresses of parts that the service has no page of, in order: to be fetched;"
        " null where nobody looked, as for threads and lists.",
    )
    held_by_whole: bool = Field(
        default=False,
        description="Whether the article at whole is known and holds this one: it is the one to"
        " take, and no parts are joined.",
    )


class Template(MessagePart):
    """Where the page stands among the template groups of its site."""

    group: int | None = Field(description="Number of the group in its site; null for an outlier.")
    generation: int = Field(ge=1, description="Which clustering of the site this comes from.")
    size: int = Field(ge=1, description="Pages in the group.")
    role: Role = Field(description="What the page is in its group.")


class Metadata(MessagePart):
    """What is known of an article beside what the message's other keys hold.

    Dates are written by ISO 8601 as precisely as the page gives them: ``2024-05-31``,
    ``2024-05-31T09:30:00`` where it gives no zone, ``2024-05-31T09:30:00+02:00``.
    """

    published: str | None = Field(
        default=None, description="Date of publication as the page gives it, ISO 8601."
    )
    modified: str | None = Field(
        default=None, description="Date of the last change as the page gives it, ISO 8601."
    )
    canonical_url: str | None = Field(
        default=None, description="Address that the page calls its own."
    )
    section: str | None = Field(default=None, description="Section that the article stands in.")
    tags: list[str] = Field(default=[], description="Key words.")
    paywall: bool | None = Field(
        default=None,
        description="Whether the whole article is for subscribers only; null for unknown.",
    )
    truncated: bool | None = Field(
        default=None,
        exclude_if=_is_empty,
        description="True where the page shows only the beginning of the article, before an offer"
        " to subscribe; absent elsewhere. Added to version 1.",
    )
    kind: Kind = Field(default="article", description="What the page is.")


DOUBTFUL = 0.8
"""Confidence below which an article is doubtful."""


class ArticleMessage(SentMessage):
    """One clean article, as published on the exchange ``articles``.

    ``published_at`` is an instant. Where the page gives no zone it is read as UTC, where it
    gives no time as midnight UTC: the day stays the page's. ``metadata.published`` says how much
    of it the page gave.
    """

    model_config = ConfigDict(title="Article message")

    version: Literal[1] = Field(default=1, description="Version of this contract.")
    id: str = Field(description="Stable for page and revision: the consumer's idempotency key.")
    revision: int = Field(
        ge=1,
        description="Number of the page's articles so far; the greatest is the one that holds.",
    )
    page_id: str | None = Field(description="The crawler's id of the page, null for none.")
    url: str = Field(description="Address of the page, as the crawler gave it.")
    site: str = Field(description="Site of the page: the crawler's name for it, or its domain.")
    fetched_at: Timestamp | None = Field(
        description="When the page was fetched, RFC 3339 in UTC; null where it is not known."
    )
    language: str | None = Field(description="BCP 47 language tag, null where it is not known.")
    title: str | None = Field(description="The headline, null for none.")
    lead: str | None = Field(
        description="The standfirst as the page shows it, whether or not text begins with it."
    )
    authors: list[str] = Field(description="Names alone.")
    published_at: LocalTimestamp | None = Field(
        description="When it was published, with the page's offset where it gives one."
    )
    text: str = Field(
        description="The body alone, paragraphs parted by a blank line; the roles of the lines that"
        " it is made of may be set. Of a forum's page it is the whole thread, each post below"
        " its author and date."
    )
    blocks: list[Block] = Field(description="The stretches that text is made of, in order.")
    images: list[Image] = Field(description="Images of the body, in order.")
    embeds: list[Embed] = Field(description="Foreign objects of the body, in order.")
    comments: list[Comment] = Field(
        description="What readers wrote, in the order of the page; of a forum's page the posts."
    )
    template: Template = Field(description="Where the page stands among its site's templates.")
    method: str = Field(description="What produced the text.")
    xpath: str | None = Field(description="The container found in the page.")
    confidence: float = Field(
        ge=0,
        le=1,
        description="Probability that at least four fifths of the text's words are right: that"
        f" their F1 is at least 0.8. Below {DOUBTFUL} the article counts as doubtful.",
    )
    extracted_at: Timestamp = Field(description="When the article was made, RFC 3339 in UTC.")
    metadata: Metadata | None = Field(default=None, description="Added to version 1; see Metadata.")
    comments_elsewhere: list[CommentsElsewhere] | None = Field(
        default=None,
        description="Where comments are that the page does not hold, at most one thread of a"
        " service; null where it names none. Added to version 1.",
    )
    entries: list[Entry] | None = Field(
        default=None,
        description="Entries of a live report, in the order of the page, at most 1,000; null for"
        " any other page. Their text may be in text, too. Added to version 1.",
    )
    story: Story | None = Field(
        default=None, description="Which articles tell the same. Added to version 1; see Story."
    )
    parts: Parts | None = Field(
        default=None,
        description="The pages that it is spread over; null for one page alone. Added to version"
        " 1.",
    )
    canonical: str | None = Field(
        default=None,
        description="The one address of the page, whichever it was fetched under: without what says"
        " nothing of the page. Equal in all messages of a page once its addresses are known. Added"
        " to version 1.",
    )
    variants: list[str] | None = Field(
        default=None,
        description="The other addresses that the page was fetched under, as the crawler gave them,"
        " sorted, at most 50. Added to version 1.",
    )
    withdrawn: Timestamp | None = Field(
        default=None,
        description="When the page was fetched that confirmed that the site has removed the"
        " article: two fetches or more said so. Of such a revision all else is the last one's."
        " Null while the site shows the article, or does not say that it is removed. Added to"
        " version 1.",
    )
