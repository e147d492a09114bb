"""Messages with odd or hostile properties, headers, bodies or times."""

import json
import secrets
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import amqp
import pytest
from sqlalchemy import select

from detourage.limits import MAX_BODY_BYTES
from models.tables import Receipt, Site, StoredPage
from tests.deployment import Deployment, own_queues, peak_bytes
from tests.pages import message
from worker.service.quarantine import QuarantinedMessage, browse, drop, requeue
from worker.settings import Settings

DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def deployment(
    settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    """A deployment that runs only the intake and the relay."""
    directory = tmp_path_factory.mktemp("hostile")
    changed = settings.model_copy(
        update={
            "queue_prefix": f"{settings.queue_prefix}{secrets.token_hex(4)}.",
            "heartbeat_directory": directory / "heartbeats",
        }
    )
    running = Deployment(changed, directory, processes=["intake", "relay"])
    with own_queues(changed), running:
        yield running


def publish(deployment: Deployment, body: bytes, **properties: Any) -> None:
    """Publish a page message with the given AMQP properties."""
    with deployment.amqp() as connection, connection.channel() as channel:
        channel.basic_publish(
            amqp.Message(body, delivery_mode=2, **properties),
            exchange="",
            routing_key=deployment.topology.pages,
        )


def results(deployment: Deployment) -> list[tuple[str, str | None]]:
    """Return the result and the reason of each message received so far, in order."""
    with deployment.database.transaction() as session:
        rows = session.execute(select(Receipt.result, Receipt.reason).order_by(Receipt.id))
        return [(result, reason) for result, reason in rows]


def result_of(deployment: Deployment, body: bytes, **properties: Any) -> tuple[str, str | None]:
    """Publish a page message, and return the intake's result and reason."""
    before = deployment.receipts()
    publish(deployment, body, **properties)
    deployment.wait_for_receipts(before + 1)
    deployment.check()
    return results(deployment)[before]


def only_quarantined(deployment: Deployment) -> QuarantinedMessage:
    """Return the only message in the intake's quarantine, once it is there."""
    deployment.wait_until(lambda: len(list(browse(deployment.settings, "intake"))) == 1)
    (found,) = browse(deployment.settings, "intake")
    return found


def page(name: str, **values: object) -> bytes:
    return message(f"https://odd.example/{name}", "<p>Text</p>", **values)


@pytest.mark.parametrize(
    "properties",
    [
        {"message_id": b"\xff\xfe"},
        {"message_id": "a\x00b"},
        {"message_id": "\x1b[2J\r\n"},
        {"content_type": b"\xff", "content_encoding": b"\xfe", "app_id": b"\xff"},
        {"content_type": "application/x-python-serialize", "content_encoding": "no-such-charset"},
        {"application_headers": {"compression": "no-such-thing"}},
        {"application_headers": {"compression": "gzip"}},
        {"application_headers": {b"\xff": b"\xfe", "x-death": "none", "task": 7}},
        {"application_headers": {"x-reason": 7, "x-delivery-count": "many"}},
        {"reply_to": b"\xff", "correlation_id": b"\xff", "type": b"\xff"},
        {"timestamp": (1 << 63) - 1, "priority": 255},
        {"cluster_id": "99999999999"},
    ],
    ids=str,
)
def test_a_page_is_accepted_whatever_its_message_properties(
    deployment: Deployment, properties: dict[str, Any]
) -> None:
    name = secrets.token_hex(4)
    assert result_of(deployment, page(name), **properties) == ("accepted", None)


@pytest.mark.parametrize(
    ("body", "properties", "reason"),
    [
        (b"\x00\x01", {"application_headers": {"compression": "gzip"}}, "undecodable-body"),
        (zlib.compress(page("a"))[:-4], {"content_encoding": "gzip"}, "undecodable-body"),
        (
            zlib.compress(bytes(MAX_BODY_BYTES + 1)),
            {"application_headers": {"compression": "application/x-gzip"}},
            "oversized",
        ),
        (b"\xff\xfe", {"message_id": b"\xff\xfe"}, "not-json"),
        (b"\xff\xfe", {"message_id": "\x00"}, "not-json"),
        (page("a", fetched_at="9999-12-31T23:59:59-14:00"), {}, "unlikely-time"),
        (page("a", fetched_at="1989-12-31T23:59:59Z"), {}, "unlikely-time"),
        (page("a", fetched_at=(datetime.now(UTC) + 2 * DAY).isoformat()), {}, "unlikely-time"),
        (page("a", site="a\nb"), {}, "unsupported-site"),
        (message("https://odd.example:99999/", "<p>Text</p>"), {}, "unsupported-url"),
    ],
    ids=str,
)
def test_unusable_messages_are_quarantined_with_a_reason(
    deployment: Deployment, body: bytes, properties: dict[str, Any], reason: str
) -> None:
    assert result_of(deployment, body, **properties) == ("quarantined", reason)
    settings = deployment.settings
    found = only_quarantined(deployment)
    assert (found.reason, found.body) == (reason, body)
    assert json.dumps(found.to_json())
    assert drop(settings, "intake", found.message_id) == 1


def test_a_compressed_page_is_accepted(deployment: Deployment) -> None:
    compressed = zlib.compress(page("compressed"))
    headers = {"compression": "application/x-gzip"}
    assert result_of(deployment, compressed, application_headers=headers) == ("accepted", None)


def test_a_body_above_the_limit_is_never_held_in_memory(deployment: Deployment) -> None:
    size = MAX_BODY_BYTES + 5_000_000
    assert result_of(deployment, bytes(size), message_id="huge") == ("quarantined", "oversized")
    settings = deployment.settings
    found = only_quarantined(deployment)
    assert (found.reason, found.message_id, found.body) == ("oversized", "huge", b"")
    assert str(size) in found.detail
    # The message stays in quarantine, because the intake would only quarantine it again.
    assert requeue(settings, "intake", "huge") == 0
    assert drop(settings, "intake", "huge") == 1
    assert peak_bytes(deployment.pid("intake")) < 400_000_000


def test_a_password_in_a_url_is_not_stored(deployment: Deployment) -> None:
    body = message("https://user:secret@odd.example:8443/p@q", "<p>Text</p>")
    assert result_of(deployment, body) == ("accepted", None)
    with deployment.database.transaction() as session:
        urls = session.scalars(
            select(StoredPage.url).join(Site).where(Site.key == "odd.example")
        ).all()
    assert "https://odd.example:8443/p@q" in urls
    assert not any("secret" in url for url in urls)


def test_large_unpacked_bodies_are_held_one_at_a_time(deployment: Deployment) -> None:
    bombs = [zlib.compress(bytes(MAX_BODY_BYTES + 2))] * 8
    large = message("https://odd.example/large-0", f"<p>text<!--{'text ' * 2_000_000}-->")
    pages = [zlib.compress(large.replace(b"/large-0", b"/large-%d" % n), 1) for n in range(8)]
    before = deployment.receipts()
    for body in [*bombs, *pages]:
        publish(deployment, body, application_headers={"compression": "gzip"})
    deployment.wait_for_receipts(before + 16)
    deployment.check()
    assert peak_bytes(deployment.pid("intake")) < 600_000_000
    assert {result for result, _ in results(deployment)[before:]} == {"quarantined", "accepted"}
    for found in browse(deployment.settings, "intake"):
        drop(deployment.settings, "intake", found.message_id)
