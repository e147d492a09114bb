"""Commands for quarantined messages, with a real broker."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import amqp
import pytest
from click.testing import Result

from benchmarks.faults.hostile import bodies, envelopes
from benchmarks.faults.hostile.envelopes import FEW_COPIES
from benchmarks.faults.hostile.sent import HOSTILE_TEXTS, Draw, PackedMessage
from tests.commands import invoke
from tests.deployment import Deployment, configured, own_queues, own_settings
from tests.integration.service.crawl import UNUSABLE
from tests.services import Services
from worker.messaging.broker import connect, topology_of
from worker.service.quarantine import browse
from worker.settings import Settings


def test_quarantines_declared_by_an_earlier_release_keep_their_type(settings: Settings) -> None:
    old_settings = settings.model_copy(update={"queue_prefix": f"{settings.queue_prefix}earlier."})
    topology = topology_of(old_settings)
    with own_queues(old_settings), connect(old_settings) as connection:
        with connection.channel() as channel:
            for name in topology.quarantines.values():
                channel.queue_declare(name, durable=True, auto_delete=False)
        topology.declare(connection)
        assert list(browse(old_settings, "intake")) == []


@pytest.mark.usefixtures("articles")
def test_quarantined_messages_can_be_listed_sent_back_and_dropped(
    deployment: Deployment, command_line: Callable[..., Result]
) -> None:
    quarantined = list(browse(deployment.settings, "intake"))
    assert len(quarantined) == len(UNUSABLE)
    assert {each.reason: each.body for each in quarantined} == UNUSABLE
    listed = command_line("quarantine", "list")
    header, *lines = [re.split(" {2,}", line) for line in listed.output.splitlines()]
    assert header == ["STAGE", "REASON", "AGE", "ID", "URL", "DETAIL"]
    assert sorted(line[1] for line in lines) == sorted(UNUSABLE)
    assert any(line[1] == "unsupported-url" and line[4].startswith("ftp:") for line in lines)
    only = command_line("quarantine", "list", "--reason", "no-url")
    (_, (_, _, _, message_id, *_)) = [re.split(" {2,}", line) for line in only.output.splitlines()]
    first = command_line("quarantine", "list", "--limit", "1")
    assert len(first.stdout.splitlines()) == 2
    assert first.stderr == f"and {len(UNUSABLE) - 1} more messages\n"

    before = deployment.receipts()
    assert command_line("quarantine", "requeue", message_id).output == "1 message sent back\n"
    deployment.wait_for_receipts(before + 1)
    deployment.wait_until(lambda: len(list(browse(deployment.settings, "intake"))) == len(UNUSABLE))

    dropped = command_line("quarantine", "drop", "--yes", message_id)
    assert dropped.output == "1 message dropped\n"
    command_line("quarantine", "show", message_id, code=1)


@pytest.mark.usefixtures("articles")
def test_sending_all_messages_back_needs_confirmation(
    deployment: Deployment, command_line: Callable[..., Result]
) -> None:
    before = deployment.receipts()
    command_line("quarantine", "requeue", code=1, stdin="n\n")
    assert deployment.receipts() == before
    quarantined = len(list(browse(deployment.settings, "intake")))
    result = command_line("quarantine", "requeue", "--stage", "intake", "--yes")
    assert result.output == f"{quarantined} messages sent back\n"
    deployment.wait_for_receipts(before + quarantined)


@pytest.fixture
def hostile_deployment(
    services: Services, database_url: str, tmp_path: Path
) -> Iterator[Deployment]:
    """A deployment without processes, whose quarantines contain hostile messages of each kind."""
    with own_queues(own_settings(services, database_url, tmp_path)) as settings:
        deployment = Deployment(settings, tmp_path, processes=[])
        queues = list(deployment.topology.quarantines.values())
        with connect(settings) as connection:
            deployment.topology.declare(connection)
        kinds = [each for each in (*envelopes.kinds(), *bodies.kinds()) if each.copies > FEW_COPIES]
        published: set[bytes] = set()
        for number, kind in enumerate(kinds):
            # The broker or the client library refuses some of these messages.
            with (
                suppress(amqp.AMQPError, OSError, UnicodeDecodeError),
                deployment.amqp() as connection,
                connection.channel() as channel,
            ):
                for copy in range(0, len(HOSTILE_TEXTS), 1 if kind.part == "headers" else 3):
                    draw = Draw(copy, f"https://a.example/{copy}", f"{number}-{copy}", Random(copy))
                    sent = kind.make(draw)
                    headers = sent.properties.replace(draw.message_id.encode(), b"")
                    # Send equal headers once, since the broker needs tenths of a second for some.
                    if kind.part == "headers" and headers in published:
                        break
                    published.add(headers)
                    queue = queues[(number + copy) % len(queues)]
                    channel.basic_publish(PackedMessage(sent), exchange="", routing_key=queue)
        with configured(settings):
            yield deployment


def test_commands_handle_every_hostile_message_in_quarantine(
    hostile_deployment: Deployment,
) -> None:
    stages = hostile_deployment.topology.quarantines
    quarantined = [each for stage in stages for each in browse(hostile_deployment.settings, stage)]
    assert len(quarantined) > 220
    for arguments in (["list"], ["show", "--whole"]):
        result = invoke("quarantine", *arguments)
        assert len(result.stdout.splitlines()) == len(quarantined) + (arguments == ["list"])
    longest_id = max(quarantined, key=lambda each: len(each.message_id or ""))
    invoke("quarantine", "show", longest_id.message_id or "")
    sent_back = invoke("quarantine", "requeue", "--yes").output
    assert sent_back == f"{len(quarantined)} messages sent back\n"
