"""Contracts of the messages about pages and articles.

The contracts are stable, because other services depend on them. Within a version, keys keep their
meanings and types, but keys may be added, so consumers must ignore unknown keys. Any other change
increments ``version``.
"""

import base64
import binascii
import codecs
import json
import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
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

from detourage.limits import (
    DOUBTFUL_CONFIDENCE,
    MAX_HEADER_CHARACTERS,
    MAX_HEADERS,
    MAX_HTML_BYTES,
    MAX_URL_CHARACTERS,
)
from detourage.roles import Kind, LineRole

HTML_NOT_GIVEN_ONCE: Final = "html_not_given_once"
HTML_TOO_LARGE: Final = "html_too_large"
UNLIKELY_TIME: Final = "unlikely_time"
UNSUPPORTED_SITE: Final = "unsupported_site"
"""Types of the custom validation errors of page messages."""

EARLIEST_FETCH = datetime(1990, 1, 1, tzinfo=UTC)
LATEST_FETCH = datetime(2200, 1, 1, tzinfo=UTC)
"""Range of plausible fetch times: since the beginning of the web, and early enough that the time
is valid in every time zone.
"""

_SITE = re.compile(r"[^\W_][\w.:-]*")
"""Pattern of site names: host names, and slugs of letters and digits in any script."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # control characters, line separators


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


Timestamp = Annotated[AwareDatetime, PlainSerializer(_rfc3339, return_type=str, when_used="json")]
"""An aware datetime, serialised as RFC 3339 in UTC."""

LocalTimestamp = Annotated[
    AwareDatetime,
    PlainSerializer(
        lambda moment: moment.isoformat().replace("+00:00", "Z"), return_type=str, when_used="json"
    ),
]
"""An aware datetime in the page's time zone, serialised as RFC 3339 with its UTC offset."""


def _without_nul(value: str) -> str:
    if "\x00" in value:
        raise ValueError("must not contain NUL characters")
    return value


_NO_NUL = AfterValidator(_without_nul)


def _key(description: str, default: Any = None, **options: Any) -> Any:
    """Return an optional field of a message."""
    return Field(default=default, description=description, **options)


class PageMessage(BaseModel):
    """A fetched page, as published by the crawler on ``crawler.pages``.

    Exactly one of ``html`` and ``html_base64`` must be given. Unknown keys are ignored, but
    retained in ``model_extra``.
    """

    model_config = ConfigDict(extra="allow", strict=True, title="Page message")

    version: Literal[1] = Field(description="Version of this contract.")
    url: Annotated[str, StringConstraints(min_length=1, max_length=MAX_URL_CHARACTERS)] = Field(
        description="URL of the page, http or https."
    )
    html: str | None = _key("The page as text.")
    html_base64: str | None = _key("The page as fetched: its bytes in base64.")
    id: Annotated[str, StringConstraints(max_length=1024), _NO_NUL] | None = _key(
        "The crawler's ID for the page, included in the article as page_id."
    )
    site: Annotated[str, StringConstraints(min_length=1, max_length=253)] | None = _key(
        "Name of the site: a host name, or letters and digits of any script separated by . _ - :."
        " Defaults to the registrable domain of the URL."
    )
    content_type: Annotated[str, _NO_NUL] | None = _key("The HTTP Content-Type header.")
    fetched_at: Timestamp | None = _key(
        "Time of the fetch, RFC 3339: not before 1990, and at most a day after the arrival of the"
        " message.",
        strict=False,
    )
    status: Annotated[int, Field(ge=100, le=599)] | None = _key(
        "HTTP status code. An error response is not an article, and never replaces one. Added to"
        " version 1."
    )
    final_url: Annotated[str, StringConstraints(max_length=MAX_URL_CHARACTERS)] | None = _key(
        "URL of the response after redirects, http or https. Added to version 1."
    )
    headers: dict[str, str] | None = _key(
        "HTTP response headers, values by name, with at most 65,536 characters in total. Their"
        " Content-Type is used if content_type is missing. Added to version 1.",
        max_length=MAX_HEADERS,
    )

    _content: bytes | str = PrivateAttr(default=b"")

    @classmethod
    def from_json(cls, body: bytes) -> Self:
        """Parse a message; a leading byte order mark is ignored, as RFC 8259 allows.

        Raises
        ------
        pydantic.ValidationError
            If the body is not a valid page message.
        """
        return cls.model_validate_json(body.removeprefix(codecs.BOM_UTF8))

    @field_validator("headers")
    @classmethod
    def _check_headers(cls, value: dict[str, str] | None) -> dict[str, str] | None:
        if value is None:
            return None
        if sum(len(name) + len(each) for name, each in value.items()) > MAX_HEADER_CHARACTERS:
            raise ValueError(f"must not have more than {MAX_HEADER_CHARACTERS} characters in total")
        if any("\x00" in each for each in value.values()):
            raise ValueError("must not contain NUL characters")
        return value

    @field_validator("url", "final_url")
    @classmethod
    def _check_url(cls, value: str | None) -> str | None:
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
            # A backslash ends the host in browsers; other parsers find the host after a later "@".
            raise ValueError("must not contain a backslash before its path")
        # A user name and password must not be stored or passed on.
        return value.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1)

    @field_validator("site")
    @classmethod
    def _check_site(cls, value: str | None) -> str | None:
        if value is not None and not _SITE.fullmatch(value):
            raise PydanticCustomError(
                UNSUPPORTED_SITE,
                "must be a host name, or letters and digits with . _ - : in between",
            )
        return value

    @field_validator("fetched_at")
    @classmethod
    def _check_fetch_time(cls, value: datetime | None) -> datetime | None:
        if value is not None and not EARLIEST_FETCH <= value < LATEST_FETCH:
            raise PydanticCustomError(UNLIKELY_TIME, "must not be before 1990 or far in the future")
        return value

    @model_validator(mode="after")
    def _check_and_decode(self) -> Self:
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

    @property
    def response(self) -> dict[str, Any]:
        """The given fields that describe the HTTP response, by name."""
        return self.model_dump(
            include={"status", "final_url", "headers"}, exclude_none=True, exclude_unset=True
        )

    @property
    def stated_type(self) -> str | None:
        """The Content-Type, from ``content_type`` or else from ``headers``; None if neither."""
        if self.content_type is not None:
            return self.content_type
        named = {name.lower(): value for name, value in (self.headers or {}).items()}
        return named.get("content-type")

    @property
    def content(self) -> bytes | str:
        """The page: text if the message contains text, otherwise the bytes as fetched."""
        return self._content


BlockType = Literal["heading", "paragraph", "list_item", "quote", "caption", "code", "table"]
Role = Literal["member", "representative", "outlier"]


class MessagePart(BaseModel):
    """A part of a message sent by the service."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class SentMessage(MessagePart):
    """A message sent by the service."""

    def to_json(self) -> dict[str, Any]:
        """Return the message as JSON values."""
        return self.model_dump(mode="json")

    @classmethod
    def in_order(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON values of a message in the order of its contract.

        Parameters
        ----------
        values
            The message as stored in the database, which does not preserve order. Keys that an
            earlier version of the service did not write stay absent.
        """
        return cls.model_validate(values).model_dump(mode="json", exclude_unset=True)


class Link(MessagePart):
    """A link within the article's text."""

    start: int = Field(description="Offset of its first character in text.", ge=0)
    end: int = Field(description="Offset after its last character in text.", ge=0)
    url: str = Field(description="Absolute URL of the target.")


class Emphasis(MessagePart):
    """An emphasised range of the article's text."""

    start: int = Field(description="Offset of its first character in text.", ge=0)
    end: int = Field(description="Offset after its last character in text.", ge=0)
    kind: Literal["bold", "italic"] = Field(description="The emphasis.")


def _is_empty(value: object) -> bool:
    return value is None or value == []


def _added_key(description: str, **options: Any) -> Any:
    """Return a field for a key that was added to version 1 after its first release."""
    return _key(f"{description} Added to version 1.", **options)


def _optional_key(description: str, **options: Any) -> Any:
    """Return a field for a key that is omitted from the JSON if its value is empty."""
    return _key(description, exclude_if=_is_empty, **options)


def _added_optional_key(description: str, **options: Any) -> Any:
    """Return a field for a key that was added to version 1 and is omitted if its value is empty."""
    return _added_key(description, exclude_if=_is_empty, **options)


TextLocation = (
    tuple[int, int, int | None, int | None] | tuple[int, int, int | None, int | None, str, int]
)
"""The location of a text node: an array of 4 or 6 elements, which ``Block.texts`` describes."""


class Block(MessagePart):
    """A range of the article's text: ``text == article.text[start:end]``.

    As an article has many blocks, ``level`` and the keys after it are omitted if they do not apply.
    """

    type: BlockType = Field(description="Type of the block, according to its markup.")
    text: str = Field(description="The text of the range.")
    start: int = Field(description="Offset of the first character in text.", ge=0)
    end: int = Field(description="Offset after the last character in text.", ge=0)
    role: LineRole | None = _added_key(
        "Role of the text for readers, regardless of its markup. Null if roles were not"
        " requested, except for authors and dates in a thread."
    )
    role_probability: float | None = _added_key("Probability of that role.", ge=0, le=1)
    level: int | None = _added_optional_key(
        "Level of a heading, 1 to 6, or nesting depth of a list item.", ge=1
    )
    marker: str | None = _added_optional_key(
        'Marker of a list item: "-", or a number such as "3."; absent if the block continues an'
        " item."
    )
    links: list[Link] = _added_optional_key("Links within the block, in order.", default=[])
    emphasis: list[Emphasis] = _added_optional_key("Bold and italic ranges, in order.", default=[])
    language: str | None = _added_optional_key("Programming language of a code block.")
    xpath: str | None = _added_optional_key(
        "XPath of the block's element; see Location. Absent if unknown."
    )
    texts: list[TextLocation] = _added_optional_key(
        "The text nodes that contain the block's text, in order, each as an array: offset and"
        " length, in the block's text, of the part from this node; offset and length of the node in"
        " the bytes of the page, or nulls. If the part is not the first text of the block's"
        " element, two more: the XPath of the node's parent, relative to that element, and the"
        " offset of the part in the concatenated text nodes of the parent. If there are very many"
        " nodes, as in highlighted code, a single array covers all of them.",
        default=[],
    )


class Location(MessagePart):
    """The location of a part of the article in its page.

    An XPath refers to the tree that a browser builds from the page. If it does not start with a
    slash, it is relative to the article's ``xpath``.
    """

    xpath: str = Field(description="XPath of the element.")
    attribute: str | None = _optional_key(
        "Attribute that contains the value; absent if the element's text does."
    )
    start: int | None = _optional_key(
        "Byte offset, in the page as fetched, of the text or, without a text, of the start tag;"
        " absent if unknown."
    )
    end: int | None = _optional_key("Byte offset of its end; absent if unknown.")


_LOCATION = _added_optional_key("Location in the page; absent if unknown.")


class Locations(MessagePart):
    """The locations of the article's values in its page; null for those not found there."""

    title: Location | None = _key("Location of the headline.")
    lead: Location | None = _key("Location of the lead.")
    authors: list[Location | None] = _key("Locations of the authors, in their order.", default=[])
    published: Location | None = _key("Location of the publication date.")
    modified: Location | None = _key("Location of the modification date.")


_NEXT_BLOCK = _added_optional_key(
    "Index of the block that follows, or the number of blocks if none follows; absent if the"
    " position is unknown.",
    ge=0,
)


class Image(MessagePart):
    """An image in the article's body."""

    url: str = Field(description="Absolute URL of the image.")
    alt: str | None = _key("Alternative text, or null.")
    caption: str | None = _key("Caption, or null.")
    block: int | None = _NEXT_BLOCK
    location: Location | None = _LOCATION


class Embed(MessagePart):
    """An embedded object in the article's body, such as a video, a post or a frame."""

    url: str = Field(description="Absolute URL of the object.")
    type: str = Field(
        description="Element of the object: iframe, video, audio, object, embed or blockquote."
    )
    block: int | None = _NEXT_BLOCK
    location: Location | None = _LOCATION


class Comment(MessagePart):
    """A reader's comment."""

    author: str | None = Field(description="Name of the author as displayed, or null.")
    date: str | None = Field(
        description='Date as displayed, even if relative ("3 hours ago"); if none is displayed,'
        " as declared in the markup; otherwise null."
    )
    text: str = Field(description="The text, with blank lines between paragraphs.")
    parent: int | None = Field(
        description="Index of the comment to which this one replies, or null."
    )
    published: str | None = _added_key(
        "Date in ISO 8601, as precisely as given. A relative date is resolved against fetched_at,"
        " to the minute, hour or day; it is null if fetched_at is, or if the date is in weeks or"
        " longer units."
    )
    permalink: str | None = _added_key("URL of the comment.")
    votes: int | None = _added_key(
        "Score given by readers, net of down-votes if the page shows a net score."
    )
    location: Location | None = _LOCATION


class Part(MessagePart):
    """One of the pages of an article, a thread or a list."""

    number: int = Field(description="Number of the page, from 1 or as the site counts.")
    url: str = Field(description="Absolute URL of the page.")


class Parts(MessagePart):
    """The known pages of an article, a thread or a list.

    URLs are absolute and without fragment. For threads and lists, only the links are given: their
    pages are not joined, and ``missing`` is null.
    """

    number: int | None = _key("Number of this page, or null if unknown.")
    pages: list[Part] = _key("Numbered pages, ascending; this page may be among them.", default=[])
    next: str | None = _key("URL of the page that this one links to as next, or null.")
    previous: str | None = _key(
        "URL of the page that this one links to as previous, or null. On blogs, that page may show"
        " older posts."
    )
    first: str | None = _key(
        "URL of the first page, whose article this part belongs to; null if it is this page or"
        " unknown."
    )
    whole: str | None = _key("URL of the page that shows all parts, or null.")
    joined: list[str] = _key(
        "URLs of the parts contained in text, blocks, images, embeds and comments, in order;"
        " empty if they contain this page only.",
        default=[],
    )
    missing: list[str] | None = _key(
        "URLs of the parts that the service has not received and the crawler should fetch, in"
        " order; null if not determined, as for threads and lists."
    )
    held_by_whole: bool = _key(
        "Whether the article at whole is known and contains this one. If true, use that article"
        " instead; no parts are joined.",
        default=False,
    )


class Template(MessagePart):
    """Position of the page among the template groups of its site."""

    group: int | None = Field(
        description="Number of the group within the site; null for an outlier."
    )
    generation: int = Field(description="Number of the site's clustering.", ge=1)
    size: int = Field(description="Number of pages in the group.", ge=1)
    role: Role = Field(description="Role of the page in its group.")


def _declared_key(name: str) -> Any:
    return _added_optional_key(f"{name}, as declared by the page; otherwise absent.")


class Metadata(MessagePart):
    """Metadata of an article in addition to the message's other keys.

    Dates are in ISO 8601, as precisely as given by the page, such as ``2024-05-31``,
    ``2024-05-31T09:30:00`` (without a time zone) or ``2024-05-31T09:30:00+02:00``.
    """

    published: str | None = _key(
        "Date of publication as given by the page, ISO 8601, or null. A relative date is resolved"
        " against fetched_at, like those of comments."
    )
    modified: str | None = _key("Date of the last change as given by the page, ISO 8601, or null.")
    canonical_url: str | None = _key("Canonical URL declared by the page, or null.")
    section: str | None = _key("Section of the site, or null.")
    tags: list[str] = _key("Keywords.", default=[])
    paywall: bool | None = _key(
        "Whether only subscribers can read the whole article; null if unknown."
    )
    truncated: bool | None = _added_optional_key(
        "True if the page shows only the beginning of the article, followed by a subscription"
        " offer; otherwise absent."
    )
    kind: Kind = _key("Kind of page.", default="article")
    wire: str | None = _key("News agency named in the byline, dateline or sign-off, or null.")
    site_name: str | None = _declared_key("Name of the site")
    description: str | None = _declared_key("Description of the article")
    image: str | None = _declared_key("Absolute URL of the lead image")
    favicon: str | None = _declared_key("Absolute URL of the site's icon")
    text_direction: Literal["ltr", "rtl"] | None = _declared_key("Direction of the text")


class ArticleMessage(SentMessage):
    """A clean article, as published on the exchange ``articles``.

    ``published_at`` is a point in time: if the page gives no time zone, UTC is assumed; if the page
    gives no time, midnight UTC is assumed, so that the date is the date on the page.
    ``metadata.published`` has the precision given by the page: it has an offset only if the page
    gives an offset, or names a zone whose offset is known (``EST``).
    """

    model_config = ConfigDict(title="Article message")

    version: Literal[1] = _key("Version of this contract.", default=1)
    id: str = Field(
        description="The consumer's idempotency key, determined by the page and the revision."
    )
    revision: int = Field(
        description="Number of this revision of the page's article, from 1; the highest replaces"
        " all others. Numbers may be skipped, for example after the database is restored.",
        ge=1,
    )
    page_id: str | None = Field(description="The crawler's id of the page, or null.")
    url: str = Field(description="URL of the page, as given by the crawler.")
    site: str = Field(description="Site of the page: the crawler's name for it, or its domain.")
    fetched_at: Timestamp | None = Field(
        description="Time of the fetch, RFC 3339 in UTC; null if unknown."
    )
    received_at: Timestamp | None = _added_key(
        "Time at which the service received the page in this form, RFC 3339 in UTC. Unlike"
        " fetched_at, it cannot be set by a crawler."
    )
    language: str | None = Field(description="BCP 47 language tag, or null if unknown.")
    title: str | None = Field(description="The headline, or null.")
    lead: str | None = Field(
        description="The standfirst as displayed, whether or not text begins with it, or null."
    )
    authors: list[str] = Field(description="Names of the authors.")
    published_at: LocalTimestamp | None = Field(
        description="Time of publication, with the page's offset if given; null if unknown."
    )
    text: str = Field(
        description="The body, with blank lines between paragraphs; the roles that it includes"
        " are configurable. For a forum page, the whole thread, with each post below"
        " its author and date."
    )
    blocks: list[Block] = Field(description="The ranges that make up the text, in order.")
    images: list[Image] = Field(description="Images of the body, in order.")
    embeds: list[Embed] = Field(description="Embedded objects of the body, in order.")
    comments: list[Comment] = Field(
        description="Readers' comments in page order; for a forum page, the posts."
    )
    template: Template = Field(description="Position of the page among the site's templates.")
    method: str = Field(description="Method that produced the text.")
    xpath: str | None = Field(
        description="XPath of the element that contains the article, or null."
    )
    confidence: float = Field(
        ge=0,
        le=1,
        description="Probability that the text is right, i.e. that the F1 of its words is at least"
        f" 0.8. Below {DOUBTFUL_CONFIDENCE}, the article counts as doubtful.",
    )
    extracted_at: Timestamp = Field(description="Time of the extraction, RFC 3339 in UTC.")
    metadata: Metadata | None = _key("Added to version 1; see Metadata.")
    parts: Parts | None = _added_key(
        "Pages of an article that spans several pages; null for a single page."
    )
    canonical: str | None = _added_key(
        "Canonical URL of the page, without parameters that do not identify it, regardless of the"
        " URL from which it was fetched. The same in all messages of a page once its URLs are"
        " known."
    )
    variants: list[str] | None = _added_key(
        "Other URLs from which the page was fetched, as given by the crawler, sorted, at most 50."
    )
    withdrawn: Timestamp | None = _added_key(
        "Time of the fetch that confirmed that the site has removed the article; it takes at least"
        " two fetches. All other values of such a revision are those of the previous revision."
        " Null as long as the site shows the article, or does not declare it removed."
    )
    corrections: list[str] | None = _added_key(
        "Notes in which the site corrects the article, as displayed, at most 5; null if unknown,"
        " as in earlier versions."
    )
    locations: Locations | None = _added_key(
        "Locations of title, lead, authors and dates in the page; null if the article comes from"
        " a script."
    )


CONTRACTS: Final[Mapping[str, Callable[[], dict[str, Any]]]] = {
    "page": PageMessage.model_json_schema,
    "article": partial(ArticleMessage.model_json_schema, mode="serialization"),
}
"""Functions that return the JSON Schemas, by kind of message."""


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in CONTRACTS:
        sys.exit(f"usage: python -m detourage.messages {'|'.join(CONTRACTS)}")
    sys.stdout.write(json.dumps(CONTRACTS[sys.argv[1]](), indent=2) + "\n")
