"""Messages that cannot be used, on a real broker."""

import re

import pytest
from click.testing import CliRunner

from tests.deployment import Deployment
from tests.integration.service.crawl import UNUSABLE
from worker import cli
from worker.service.quarantine import browse


@pytest.mark.usefixtures("articles")
def test_each_unusable_message_is_in_quarantine_with_its_reason(deployment: Deployment) -> None:
    held = list(browse(deployment.settings, "intake"))
    assert sorted(each.reason for each in held) == sorted(UNUSABLE)
    assert {each.reason: each.body for each in held} == UNUSABLE


@pytest.mark.usefixtures("articles")
def test_quarantined_messages_can_be_listed_sent_back_and_dropped(
    deployment: Deployment, command_line: CliRunner
) -> None:
    listed = command_line.invoke(cli.main, ["quarantine", "list"])
    assert listed.exit_code == 0, listed.output
    header, *lines = [re.split(" {2,}", line) for line in listed.output.splitlines()]
    assert header == ["STAGE", "REASON", "AGE", "ID", "URL", "DETAIL"]
    assert sorted(line[1] for line in lines) == sorted(UNUSABLE)
    assert any(line[1] == "unsupported-url" and line[4].startswith("ftp:") for line in lines)
    only = command_line.invoke(cli.main, ["quarantine", "list", "--reason", "no-url"])
    (_, (_, _, _, message_id, *_)) = [re.split(" {2,}", line) for line in only.output.splitlines()]
    first = command_line.invoke(cli.main, ["quarantine", "list", "--limit", "1"])
    assert len(first.stdout.splitlines()) == 2
    assert first.stderr == f"and {len(UNUSABLE) - 1} messages more\n"

    before = deployment.receipts()
    sent_back = command_line.invoke(cli.main, ["quarantine", "requeue", message_id])
    assert sent_back.output == "1 message sent back\n"
    deployment.wait_for_receipts(before + 1)
    deployment.wait_until(lambda: len(list(browse(deployment.settings, "intake"))) == len(UNUSABLE))

    dropped = command_line.invoke(cli.main, ["quarantine", "drop", "--yes", message_id])
    assert dropped.output == "1 message dropped\n"
    shown = command_line.invoke(cli.main, ["quarantine", "show", message_id])
    assert shown.exit_code == 1


@pytest.mark.usefixtures("articles")
def test_all_messages_are_sent_back_only_after_a_yes(
    deployment: Deployment, command_line: CliRunner
) -> None:
    before = deployment.receipts()
    refused = command_line.invoke(cli.main, ["quarantine", "requeue"], input="n\n")
    assert refused.exit_code == 1
    assert deployment.receipts() == before
    held = len(list(browse(deployment.settings, "intake")))
    done = command_line.invoke(cli.main, ["quarantine", "requeue", "--stage", "intake", "--yes"])
    assert done.output == f"{held} messages sent back\n"
    deployment.wait_for_receipts(before + held)
