"""Message properties that are not valid text, and connections to several nodes."""

from struct import pack

import amqp
import pytest

from worker.messaging.broker import connection_to
from worker.messaging.transport import TlsTransport, lenient_properties, packed_properties
from worker.settings import Settings

PROPERTY_FLAGS = {name: 0x8000 >> index for index, (name, _) in enumerate(amqp.Message.PROPERTIES)}


def short_string(text: bytes) -> bytes:
    return bytes([len(text)]) + text


def test_valid_properties_are_read_as_by_the_library() -> None:
    properties = {
        "content_type": "application/json",
        "application_headers": {"a": "b", "n": 7, "t": {"u": ["v", True]}},
        "delivery_mode": 2,
        "message_id": "caf\u00e9",
        "timestamp": 1_700_000_000,
        "app_id": "crawler",
    }
    assert lenient_properties(packed_properties(properties)) == properties


def test_invalid_utf_8_is_read_with_replacement_characters() -> None:
    flags = PROPERTY_FLAGS["content_type"] | PROPERTY_FLAGS["message_id"] | PROPERTY_FLAGS["app_id"]
    raw_properties = (
        pack(">H", flags)
        + short_string(b"application/json")
        + short_string(b"\xff\xfeid")
        + short_string(b"a")
    )
    assert lenient_properties(raw_properties) == {
        "content_type": "application/json",
        "message_id": "\ufffd\ufffdid",
        "app_id": "a",
    }


@pytest.mark.parametrize(
    "content",
    [
        short_string(b"a") + b"?",
        short_string(b"a") + b"T" + pack(">Q", (1 << 64) - 1),
        (short_string(b"a") + b"F" + pack(">I", 100)) * 5_000,
    ],
    ids=["unknown type", "timestamp at the end of time", "deep"],
)
def test_an_unreadable_header_table_does_not_affect_other_properties(content: bytes) -> None:
    flags = PROPERTY_FLAGS["application_headers"] | PROPERTY_FLAGS["message_id"]
    raw_properties = pack(">HI", flags, len(content)) + content + short_string(b"id")
    assert lenient_properties(raw_properties) == {"message_id": "id"}


def test_replacement_characters_do_not_make_a_text_too_long_to_resend() -> None:
    raw_properties = pack(">H", PROPERTY_FLAGS["message_id"]) + short_string(b"\xff" * 255)
    properties = lenient_properties(raw_properties)
    assert properties == {"message_id": "\ufffd" * 85}
    assert lenient_properties(packed_properties(properties)) == properties


def test_truncated_properties_are_read_as_far_as_possible() -> None:
    raw_properties = (
        pack(">H", PROPERTY_FLAGS["content_type"] | PROPERTY_FLAGS["message_id"])
        + short_string(b"a")
        + b"\xffid"
    )
    assert lenient_properties(raw_properties) == {"content_type": "a"}
    assert lenient_properties(b"\x80") == {}


def test_every_node_of_a_cluster_has_the_same_transport_and_is_verified_by_its_name() -> None:
    nodes = "amqps://a.example//;amqps://b.example//"
    connection = connection_to(Settings.model_validate({"broker_url": nodes}))
    for name in ("a.example", "b.example"):
        assert connection.hostname == connection.ssl["server_hostname"] == name
        assert connection.transport_cls is TlsTransport
        connection.maybe_switch_next()
