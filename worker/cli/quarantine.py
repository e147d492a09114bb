"""Commands for messages in quarantine: look at them, send them back or drop them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from worker.messaging.task_names import STAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from worker.service.quarantine import QuarantinedMessage

QUARANTINED_STAGES = ("intake", *STAGES, "relay")

stage_option = click.option(
    "--stage",
    type=click.Choice(QUARANTINED_STAGES),
    help="Only this stage.",
)


@click.group()
def quarantine() -> None:
    """Look at messages that could not be handled, send them back or drop them."""


@quarantine.command("list")
@stage_option
def quarantine_list(stage: str | None) -> None:
    """List quarantined messages, one a line."""
    from worker.terminal import printable

    for message in _quarantined(stage):
        columns = (message.message_id or "-", message.reason, message.failed_at or "-")
        click.echo("\t".join(map(printable, (message.stage, *columns, message.detail))))


@quarantine.command("show")
@click.argument("message_id", required=False)
@stage_option
def quarantine_show(message_id: str | None, stage: str | None) -> None:
    """Print quarantined messages whole, as JSON lines; only MESSAGE_ID if given."""
    from worker.terminal import json_line

    found = [each for each in _quarantined(stage) if message_id in (None, each.message_id)]
    if message_id and not found:
        raise click.ClickException(f"no message {message_id!r} is in quarantine")
    for message in found:
        click.echo(json_line(message.to_json()))


@quarantine.command("requeue")
@click.argument("message_id", required=False)
@stage_option
def quarantine_requeue(message_id: str | None, stage: str | None) -> None:
    """Send quarantined messages back to their queue; only MESSAGE_ID if given."""
    from worker.service.quarantine import requeue
    from worker.settings import load_settings

    settings = load_settings()
    moved = sum(requeue(settings, each, message_id) for each in _stages(stage))
    _report_moved(moved, message_id, "sent back")


@quarantine.command("drop")
@click.argument("message_id", required=False)
@stage_option
@click.confirmation_option(prompt="Delete these messages for good?")
def quarantine_drop(message_id: str | None, stage: str | None) -> None:
    """Delete quarantined messages for good; only MESSAGE_ID if given."""
    from worker.service.quarantine import drop
    from worker.settings import load_settings

    settings = load_settings()
    dropped = sum(drop(settings, each, message_id) for each in _stages(stage))
    _report_moved(dropped, message_id, "dropped")


def _stages(stage: str | None) -> list[str]:
    return [stage] if stage else list(QUARANTINED_STAGES)


def _quarantined(stage: str | None) -> Iterator[QuarantinedMessage]:
    from worker.service.quarantine import browse
    from worker.settings import load_settings

    settings = load_settings()
    for each in _stages(stage):
        yield from browse(settings, each)


def _report_moved(moved: int, message_id: str | None, done: str) -> None:
    if message_id and not moved:
        raise click.ClickException(f"no message {message_id!r} is in quarantine")
    click.echo(f"{moved} messages {done}")


COMMANDS = (quarantine,)
