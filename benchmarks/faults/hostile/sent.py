"""Building blocks of hostile messages, down to the bytes of their properties."""

import base64
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from struct import pack
from typing import Any

import amqp

from tests.pages import article_html

FORGED_LINE = "2026-01-01T00:00:00.000000Z [critical ] forged"
"""Forged log line, always sent after a newline. No line of a log may begin with it."""

HOSTILE_TEXTS = (
    b"\xff\xfe",
    b"a\x00b",
    b"\xff" * 255,
    b"\x1b[2J\x1b]0;owned\x07\r\x08",
    b"\n" + FORGED_LINE.encode() + b"\r\n",
    "\u202e\u2066\ud7ff\ufffe\u2028".encode(),
    b"'; DROP TABLE pages; --",
    b"%s%n{0}{__class__}$(reboot)`id`",
    b"",
)
"""Hostile values of text properties."""

_NUMBER_FORMATS = {"delivery_mode": ">B", "priority": ">B", "timestamp": ">Q"}
_TABLE_PROPERTY = "application_headers"


@dataclass(frozen=True)
class Sent:
    """A message to be published, with its properties in AMQP encoding.

    A message is sound if its page is an article that must be delivered, whatever else the message
    contains.
    """

    body: bytes
    properties: bytes
    is_sound: bool = False


class PackedMessage(amqp.Message):  # type: ignore[misc]  # the library has no types
    """A message of the AMQP library whose properties are given as bytes."""

    def __init__(self, sent: Sent) -> None:
        super().__init__(sent.body)
        self._encoded_properties = sent.properties

    def _serialize_properties(self) -> bytes:
        return self._encoded_properties


@dataclass(frozen=True)
class Draw:
    """The URL, ID and random choices for one message of a kind.

    `number` is the message's number within its kind. `url` and `message_id` are unique, and
    `random` is a random number generator for this message alone.
    """

    number: int
    url: str
    message_id: str
    random: Random

    def one_of(self, values: Any) -> Any:
        """Return one of the given values, chosen cyclically by the message's number."""
        return values[self.number % len(values)]

    @property
    def html(self) -> str:
        """HTML of an article page."""
        return article_html(zlib.crc32(self.url.encode()) % 10_000)

    def values(self, **more: Any) -> dict[str, Any]:
        """Return the fields of a valid page message, with the given fields replaced."""
        return {"version": 1, "url": self.url, "html": self.html, "id": self.message_id, **more}

    def body(self, **more: Any) -> bytes:
        """Return the body of a valid page message, with the given fields replaced."""
        return json.dumps(self.values(**more)).encode()

    def send(self, body: bytes, *, is_sound: bool = False, **properties: Any) -> Sent:
        """Return a message with the usual properties.

        The given properties replace the usual ones; those that are None are omitted.
        """
        usual: dict[str, Any] = {
            "content_type": b"application/json",
            "delivery_mode": 2,
            "message_id": self.message_id.encode(),
        }
        return Sent(body, encode_properties(usual | properties), is_sound)

    def send_page(self, html: str | bytes, **more: Any) -> Sent:
        """Return a valid message with the given page."""
        if isinstance(html, bytes):
            encoded = base64.b64encode(html).decode()
            return self.send(self.body(html=None, html_base64=encoded, **more))
        return self.send(self.body(html=html, **more))


Make = Callable[[Draw], Sent]  # makes a message of a kind


@dataclass(frozen=True)
class Kind:
    """A kind of hostile message, and how many messages of this kind a campaign sends.

    `part` is the part of the message that is hostile, such as its headers.
    """

    part: str
    name: str
    make: Make
    copies: int

    @property
    def slug(self) -> str:
        """The name in a form that host names permit."""
        words = "".join(each if each.isalnum() else " " for each in self.name.lower())
        return "-".join(words.encode("ascii", "ignore").decode().split())[:50].strip("-")


def encode_properties(properties: Mapping[str, Any]) -> bytes:
    """Return properties in AMQP encoding (0-9-1, section 4.2.6.1).

    Texts are given as unchecked bytes, and the header table as bytes (see `entry`). Properties
    whose value is None are omitted.
    """
    flags = 0
    content = b""
    for bit, (name, _) in enumerate(amqp.Message.PROPERTIES):
        value = properties.get(name)
        if value is None:
            continue
        flags |= 0x8000 >> bit
        if name in _NUMBER_FORMATS:
            content += pack(_NUMBER_FORMATS[name], value)
        elif name == _TABLE_PROPERTY:
            content += pack(">I", len(value)) + value
        else:
            content += bytes([len(value)]) + value
    return pack(">H", flags) + content


def entry(name: bytes, tag: bytes, value: bytes) -> bytes:
    """Return an entry of a header table."""
    return bytes([len(name)]) + name + tag + value


def text_entry(name: bytes, value: bytes) -> bytes:
    """Return a text entry of a header table."""
    return entry(name, b"S", pack(">I", len(value)) + value)


def table_entry(name: bytes, content: bytes, tag: bytes = b"F") -> bytes:
    """Return an entry whose value is a table, or an array if ``tag`` is ``b"A"``."""
    return entry(name, tag, pack(">I", len(content)) + content)
