"""AMQP transport that tolerates messages from untrusted publishers.

kombu decompresses bodies without a limit, and drops messages that it cannot decompress. The AMQP
library raises an exception for properties that are not UTF-8, which ends the connection. This
transport delivers bodies as sent, decodes properties with replacement characters, and never keeps a
body larger than the limit in memory.
"""

import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from struct import pack, unpack_from
from typing import Any
from urllib.parse import urlsplit

import amqp
import kombu
from amqp.method_framing import frame_handler
from amqp.serialization import decode_properties_basic, loads
from kombu.transport import base, pyamqp

from detourage.limits import MAX_BODY_BYTES

HEADER_FRAME, BODY_FRAME = 2, 3  # types of AMQP frames

SHORT_STRING_BYTES = 255  # maximum length of a short string

_HEADER = ">HHQ"  # beginning of a header frame: class ID, weight, size of the body
_HEADER_BYTES = 12  # size of `_HEADER`; the properties follow

_NUMBER_BYTES = {"delivery_mode": 1, "priority": 1, "timestamp": 8}
"""Sizes of the numeric properties; all others are short strings, except for `_TABLE`."""

_TABLE = "application_headers"  # property that contains the table of headers


class ReceivedMessage(pyamqp.Message):
    """A message whose body is delivered as sent; see `withheld_bytes` for oversized bodies."""

    def __init__(self, msg: Any, channel: Any = None, **options: Any) -> None:
        properties = msg.properties
        # Passed without headers, since kombu would decompress the body according to them.
        base.Message.__init__(
            self,
            body=getattr(msg, "body", b""),
            channel=channel,
            delivery_tag=msg.delivery_tag,
            content_type=properties.get("content_type"),
            content_encoding=properties.get("content_encoding"),
            delivery_info=msg.delivery_info,
            properties=properties,
            **options,
        )
        headers = properties.get(_TABLE)
        self.headers = headers if isinstance(headers, dict) else {}
        self.withheld_bytes = int(properties.pop(_WITHHELD, 0))


def raw_body(message: base.Message) -> bytes:
    """Return a body as bytes, since the embedded broker delivers text bodies as strings."""
    body = message.body
    return body if isinstance(body, bytes) else str(body).encode("utf-8", "surrogatepass")


def withheld_bytes(message: base.Message) -> int:
    """Return the size of a body omitted because it exceeds `MAX_BODY_BYTES`; 0 for other bodies."""
    return int(getattr(message, "withheld_bytes", 0))


_WITHHELD = "cluster_id"
"""Property in which this module passes the size of an omitted body to `ReceivedMessage`. AMQP 0-9-1
requires it to be empty, so a value that a publisher has set is removed."""


def readable_frames(connection: Any, callback: Callable[..., Any]) -> Callable[[Any], bool]:
    """Return a frame handler that repairs unreadable headers, and skips oversized bodies."""
    handle = frame_handler(connection, callback)
    bytes_to_skip: dict[int, int] = {}  # by channel

    def on_frame(frame: tuple[int, int, bytes]) -> bool:
        kind, channel, payload = frame
        if kind == BODY_FRAME and bytes_to_skip.get(channel, 0) > 0:
            connection.bytes_recv += 1
            bytes_to_skip[channel] -= len(payload)
            return False
        if kind == HEADER_FRAME:
            payload, bytes_to_skip[channel] = _readable_header(payload)
        return bool(handle((kind, channel, payload)))

    return on_frame


def _readable_header(payload: bytes) -> tuple[bytes, int]:
    """Return a header frame that the library can read, and the number of body bytes to skip."""
    class_id, weight, size = unpack_from(_HEADER, payload, 0)
    withheld = size if size > MAX_BODY_BYTES else 0
    try:
        properties, _ = decode_properties_basic(payload, _HEADER_BYTES)
    except Exception:  # noqa: BLE001 - malformed bytes can make the library raise anything
        properties = lenient_properties(payload[_HEADER_BYTES:])
    else:
        if not withheld and _WITHHELD not in properties:
            return payload, 0
    properties.pop(_WITHHELD, None)
    if withheld:
        properties[_WITHHELD] = str(withheld)
    packed = packed_properties(properties)
    return pack(_HEADER, class_id, weight, size - withheld) + packed, withheld


def packed_properties(properties: Mapping[str, Any]) -> bytes:
    """Return message properties in the encoding of AMQP."""
    return bytes(amqp.Message(**properties)._serialize_properties())  # noqa: SLF001 - the only way


def lenient_properties(packed: bytes) -> dict[str, Any]:
    """Decode message properties as far as possible.

    ``packed`` holds property flags and properties (AMQP 0-9-1, section 4.2.6.1). Invalid UTF-8
    becomes replacement characters, an unreadable header table is omitted, and decoding stops at a
    property that is cut off.
    """
    properties: dict[str, Any] = {}
    offset = 2
    flags = int.from_bytes(packed[:offset], "big")
    for index, (name, _) in enumerate(amqp.Message.PROPERTIES):
        if not flags & (0x8000 >> index):
            continue
        # The length of a table precedes it in 4 bytes, that of a short string in 1 byte.
        length_bytes = 0 if name in _NUMBER_BYTES else 4 if name == _TABLE else 1
        start = offset + length_bytes
        end = start + (_NUMBER_BYTES.get(name) or int.from_bytes(packed[offset:start], "big"))
        if end > len(packed):
            break
        if name == _TABLE:
            headers = _decode_table(packed[offset:end])
            if headers:
                properties[name] = headers
        elif name in _NUMBER_BYTES:
            properties[name] = int.from_bytes(packed[start:end], "big")
        else:
            # A replacement character takes three bytes, and a short string has at most 255.
            replaced = bytes(packed[start:end]).decode("utf-8", "replace").encode()
            properties[name] = replaced[:SHORT_STRING_BYTES].decode("utf-8", "ignore")
        offset = end
    return properties


def _decode_table(packed: bytes) -> Mapping[str, Any]:
    try:
        (table,), _ = loads("F", packed, 0)
        # A table that cannot be encoded again cannot be passed to the library either.
        packed_properties({_TABLE: table})
    except Exception:  # noqa: BLE001 - malformed bytes can make the library raise anything
        return {}
    return dict(table)


class Channel(pyamqp.Channel):
    """A channel that delivers messages as sent."""

    Message = ReceivedMessage


class Connection(pyamqp.Connection):
    """A connection that survives malformed message properties."""

    Channel = Channel

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, frame_handler=readable_frames, **options)


def tls_options(url: str, ca_file: Path | None = None) -> dict[str, Any] | None:
    """Return TLS options that verify the server's name, or None if the URL is not ``amqps://``."""
    if not url.startswith("amqps:"):
        return None
    authorities = str(ca_file) if ca_file else None
    host = urlsplit(url).hostname or "localhost"
    return {"cert_reqs": ssl.CERT_REQUIRED, "ca_certs": authorities, "server_hostname": host}


class BrokerConnection(kombu.Connection):
    """A connection to one of several nodes, each of which gets the same transport.

    When kombu switches to another node, it replaces the transport but keeps the first node's host
    name, which may not match the new node's certificate; this class corrects both.
    """

    transport_cls: Any
    ssl: Any

    def connect(self) -> Any:
        """Connect; try each node once, a single node twice. kombu would try only twice in all."""
        return self.ensure_connection(
            max_retries=max(1, len(self.alt) - 1), reraise_as_library_errors=False
        ).connection

    def switch(self, conn_str: str) -> None:
        """Use the node with the given URL."""
        transport = self.transport_cls
        super().switch(conn_str)
        self.transport_cls = transport
        if self.ssl:
            self.ssl = {**self.ssl, "server_hostname": self.hostname}


class Transport(pyamqp.Transport):
    """The transport for ``amqp://`` URLs."""

    Connection = Connection


class TlsTransport(pyamqp.SSLTransport):
    """The transport for ``amqps://`` URLs."""

    Connection = Connection
