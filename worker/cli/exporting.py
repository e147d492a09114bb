"""The command that exports the articles of a deployment."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

import click

from detourage.cli.options import OutputFolder, file_format_option
from detourage.text.plural import pluralise

if TYPE_CHECKING:
    from pathlib import Path

    from detourage.export.formats import FileFormat


class Day(click.ParamType[date]):
    """Parameter type: a day in UTC, given as a date or as a time within the day."""

    name = "time"

    def convert(
        self, value: str | date, param: click.Parameter | None, ctx: click.Context | None
    ) -> date:
        """Return the day, or fail if the value is neither a date nor a time."""
        if isinstance(value, date):
            return value
        try:
            moment = datetime.fromisoformat(value)
            # Applying the offset may result in a date outside the supported range.
            return (moment.astimezone(UTC) if moment.tzinfo else moment).date()
        except (OverflowError, ValueError):
            self.fail(f"{value!r} is not a date or time such as 2026-11-27.", param, ctx)


@click.command()
@click.option(
    "--since", "first", type=Day(), required=True, help="First day, in UTC; a time means its day."
)
@click.option("--until", "last", type=Day(), help="Last day, inclusive; today by default.")
@click.option("--site", help="Export only this site.")
@click.option(
    "--to",
    "folder",
    type=OutputFolder(),
    required=True,
    metavar="FOLDER",
    help="Folder of the export, created if missing.",
)
@file_format_option("parquet", default="parquet")
def export(
    first: date, last: date | None, site: str | None, folder: Path, form: FileFormat
) -> None:
    """Export the articles of a deployment, with a file per day.

    Writes the latest revision of each article to the file of the day on which the revision was
    made, such as day=2026-11-27/part-0000.parquet. Each day is replaced as a whole, so the command
    can be interrupted and repeated at any time; the same articles produce the same files. Parquet
    requires the `arrow` extra.
    """
    from detourage.export.formats import require_format

    last = last or datetime.now(UTC).date()
    if last < first:
        raise click.UsageError(f"--since {first} is after --until {last}")
    require_format(form)
    from detourage.export.days import DayFolder
    from worker.cli.deployment_access import with_database
    from worker.processes.supervisor import signals_as_exceptions
    from worker.store import pages
    from worker.store.articles import articles_published
    from worker.store.database import Database

    days = DayFolder(folder, form, site)

    def start_of(day: date) -> datetime:
        return datetime.combine(day, time(), UTC)

    def write(database: Database) -> dict[date, int]:
        with database.transaction_without_timeouts() as session:
            sites = list(pages.sites_named(session, site)) if site is not None else None
            if sites == []:
                raise click.ClickException(f"site {site!r} is unknown")
            with days.lock():
                # The last day that can be represented has no end.
                end = start_of(last + timedelta(days=1)) if last < date.max else None
                articles = articles_published(session, start_of(first), end, sites)
                return days.replace(first, last, articles)

    with signals_as_exceptions():
        written = with_database(write)
    articles, files = pluralise(sum(written.values()), "article"), pluralise(len(written), "file")
    click.echo(f"{articles} in {files} in {folder}", err=True)
