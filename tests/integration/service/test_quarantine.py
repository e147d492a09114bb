"""Messages that cannot be used, on a real broker."""

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
    lines = [line.split("\t") for line in listed.output.splitlines()]
    assert sorted(line[2] for line in lines) == sorted(UNUSABLE)
    message_id = next(line[1] for line in lines if line[2] == "no-url")

    before = deployment.receipts()
    sent_back = command_line.invoke(cli.main, ["quarantine", "requeue", message_id])
    assert sent_back.output == "1 messages sent back\n"
    deployment.wait_for_receipts(before + 1)
    deployment.wait_until(lambda: len(list(browse(deployment.settings, "intake"))) == len(UNUSABLE))

    dropped = command_line.invoke(cli.main, ["quarantine", "drop", "--yes", message_id])
    assert dropped.output == "1 messages dropped\n"
    shown = command_line.invoke(cli.main, ["quarantine", "show", message_id])
    assert shown.exit_code == 1
