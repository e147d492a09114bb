"""The command that removes data that is no longer needed, or a site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from detourage.text.plural import pluralise
from worker.cli.deployment_access import stop_on_signals, with_database
from worker.store.retention_kinds import KINDS, Kind

if TYPE_CHECKING:
    from worker.store.database import Database


@click.command()
@click.option(
    "--older-than",
    "days",
    type=click.FloatRange(min=0),
    metavar="DAYS",
    help="Minimum age of the HTML, revisions and receipts to remove.",
)
@click.option(
    "--only",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    help="Remove only data of this kind; may be given several times.",
)
@click.option("--dry-run", is_flag=True, help="Only count what would be removed.")
@click.option("--site", help="Instead, delete this site with its pages, articles and groups.")
@click.option("--yes", is_flag=True, help="Delete the site without asking for confirmation.")
def prune(
    days: float | None, kinds: tuple[Kind, ...], dry_run: bool, site: str | None, yes: bool
) -> None:
    """Remove data that is no longer needed, or a site.

    Removes the HTML of pages that have an outcome, superseded revisions, and receipts. Regardless
    of their age, it removes memberships in past clusterings, and trees and stored objects that no
    page uses. A page without HTML keeps its article, but cannot be reprocessed. The
    command can be interrupted at any time: each transaction is small, and data already removed
    stays removed. An interrupted deletion of a site can be repeated.
    """
    if site is not None:
        if days is not None or kinds or dry_run:
            raise click.UsageError("--site can only be combined with --yes")
        from worker.store.retention import delete_site

        if not yes:
            click.confirm(f"Delete {site} with its pages and articles permanently?", abort=True)
        deleted = with_database(lambda database: delete_site(database, site))
        click.echo(f"{pluralise(deleted, 'page')} of {site} deleted")
        return
    if days is None:
        raise click.UsageError("give either --older-than or --site")
    from worker.settings import load_settings
    from worker.store.retention import prune_in_steps

    removed = dict.fromkeys(kinds or KINDS, 0)
    stop = stop_on_signals()

    def remove(database: Database) -> None:
        store_url = load_settings().pages
        for step in prune_in_steps(database, removed, days, store_url=store_url, dry_run=dry_run):
            removed[step.kind] += step.removed
            if stop.is_set():
                break

    with_database(remove)
    for kind, number in removed.items():
        click.echo(f"{kind:9}  {number}")
    if stop.is_set():
        raise click.ClickException("interrupted; run the same command to continue")
