"""Commands that list, requeue and drop quarantined messages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from detourage.text.plural import pluralise, short_age, shorten
from detourage.text.terminal import json_line, printable
from worker.messaging.task_names import STAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from worker.service.quarantine import QuarantinedMessage

QUARANTINED_STAGES = ("intake", *STAGES, "relay")  # stages that have a quarantine

HEADER = ("STAGE", "REASON", "AGE", "ID", "URL", "DETAIL")  # columns of the list
MAX_COLUMN_WIDTH = 48  # maximum width of a column; a longer ID shifts the rest of its line
MAX_CELL_LENGTH = 100  # maximum number of characters of a URL or detail in the list
MAX_VALUE_LENGTH = 1000  # maximum length of a value that `show` prints in full

stage_option = click.option(
    "--stage",
    type=click.Choice(QUARANTINED_STAGES),
    metavar="STAGE",
    help=f"Select only messages of this stage: {', '.join(QUARANTINED_STAGES)}.",
)


@click.group()
def quarantine() -> None:
    """List, requeue or drop messages that could not be processed."""


@quarantine.command("list")
@stage_option
@click.option("--reason", help="List only messages with this reason.")
@click.option(
    "--limit", type=click.IntRange(min=0), metavar="N", help="Maximum number of messages."
)
def quarantine_list(stage: str | None, reason: str | None, limit: int | None) -> None:
    """List quarantined messages."""
    now = datetime.now(UTC)
    messages = [each for each in _browse_stages(stage) if reason in (None, each.reason)]
    rows = [HEADER]
    for each in messages[:limit]:
        age = each.age_seconds(now)
        rows.append(
            (
                each.stage,
                shorten(printable(each.reason), MAX_COLUMN_WIDTH),
                "-" if age is None else short_age(age),
                printable(each.message_id or "-"),
                shorten(printable(each.url or "-"), MAX_CELL_LENGTH),
                shorten(printable(each.detail), MAX_CELL_LENGTH),
            )
        )
    widths = [min(MAX_COLUMN_WIDTH, max(map(len, column))) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
    if len(rows) <= len(messages):
        click.echo(f"and {pluralise(len(messages) - len(rows) + 1, 'more message')}", err=True)


@quarantine.command("show")
@click.argument("message_id", required=False)
@stage_option
@click.option("--whole", is_flag=True, help="Do not shorten long values.")
def quarantine_show(message_id: str | None, stage: str | None, whole: bool) -> None:
    """Print quarantined messages as JSON lines.

    If MESSAGE_ID is given, only that message is printed. Long values are shortened unless --whole
    is given.
    """
    messages = [each for each in _browse_stages(stage) if message_id in (None, each.message_id)]
    if message_id and not messages:
        raise click.ClickException(f"no message {message_id!r} is in quarantine")
    for message in messages:
        values = message.to_json()
        if not whole:
            values = {key: value and _shorten_value(value) for key, value in values.items()}
        click.echo(json_line(values))


def _shorten_value(value: str) -> str:
    if len(value) <= MAX_VALUE_LENGTH:
        return value
    # The last part of a traceback is the most informative.
    half = MAX_VALUE_LENGTH // 2
    return f"{value[:half]} … {len(value) - 2 * half} characters, see --whole … {value[-half:]}"


@quarantine.command("requeue")
@click.argument("message_id", required=False)
@stage_option
@click.option("--yes", is_flag=True, help="Send back all messages without asking for confirmation.")
def quarantine_requeue(message_id: str | None, stage: str | None, yes: bool) -> None:
    """Send quarantined messages back to their queues.

    If MESSAGE_ID is given, only that message is affected.
    """
    from worker.service.quarantine import requeue
    from worker.settings import load_settings

    settings = load_settings()
    settings.require_broker_url()
    if message_id is None and not yes:
        stage_phrase = f" of {stage}" if stage else ""
        click.confirm(f"Send all messages in quarantine{stage_phrase} back?", abort=True)
    moved = sum(requeue(settings, each, message_id) for each in _stages(stage))
    _report_moved(moved, message_id, "sent back")


@quarantine.command("drop")
@click.argument("message_id", required=False)
@stage_option
@click.option("--yes", is_flag=True, help="Delete without asking for confirmation.")
def quarantine_drop(message_id: str | None, stage: str | None, yes: bool) -> None:
    """Delete quarantined messages permanently.

    If MESSAGE_ID is given, only that message is affected.
    """
    from worker.service.quarantine import drop
    from worker.settings import load_settings

    settings = load_settings()
    if not yes:
        found = sum(message_id in (None, each.message_id) for each in _browse_stages(stage))
        if not found:
            _report_moved(0, message_id, "dropped")
            return
        click.confirm(f"Delete {pluralise(found, 'message')} permanently?", abort=True)
    dropped = sum(drop(settings, each, message_id) for each in _stages(stage))
    _report_moved(dropped, message_id, "dropped")


def _stages(stage: str | None) -> Sequence[str]:
    return [stage] if stage else QUARANTINED_STAGES


def _browse_stages(stage: str | None) -> Iterator[QuarantinedMessage]:
    from worker.service.quarantine import browse
    from worker.settings import load_settings

    settings = load_settings()
    for each in _stages(stage):
        yield from browse(settings, each)


def _report_moved(moved: int, message_id: str | None, action: str) -> None:
    if message_id and not moved:
        raise click.ClickException(f"no message {message_id!r} is in quarantine")
    click.echo(f"{pluralise(moved, 'message')} {action}")
