"""Commands for a deployment's operators: the state of sites and queues, what need not be kept."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from worker.cli.database import read_database, with_database
from worker.cli.process import stop_on_signals
from worker.store.removable import KINDS, Kind

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from models.tables import DesignChange
    from worker.settings import Settings
    from worker.store.database import Database
    from worker.store.progress import SiteHistory, SiteStatus


@click.command()
@click.argument("site", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def status(site: str | None, as_json: bool) -> None:
    """Show sites, groups, outcomes and queues of a deployment."""
    from worker.cli.display import print_status
    from worker.messaging.broker import queue_depths
    from worker.settings import load_settings

    settings = load_settings()
    sites = _sites(settings, site)
    if site and not sites:
        raise click.ClickException(f"no page of site {site!r} is known")
    depths = queue_depths(settings)
    history = _history(settings, sites[0].key) if site and len(sites) == 1 else None
    if as_json:
        values: dict[str, Any] = {"sites": [vars(each) for each in sites], "queues": depths}
        if history:
            values["groups"] = [vars(group) for group in history.groups]
            values["design_changes"] = [_to_json(each) for each in history.changes]
        click.echo(json.dumps(values, ensure_ascii=False, indent=2, default=datetime.isoformat))
        return
    print_status(sites, history, depths)


def _sites(settings: Settings, name: str | None) -> list[SiteStatus]:
    """Return the state of the sites of a name, or of all of the deployment."""
    from worker.store import pages, progress

    def query(session: Session) -> list[SiteStatus]:
        keys = None if name is None else list(pages.sites_called(session, name).values())
        return progress.site_statuses(session, keys)

    return read_database(settings, query)


def _history(settings: Settings, key: str) -> SiteHistory:
    from worker.store import progress

    return read_database(settings, lambda session: progress.site_history(session, key))


def _to_json(change: DesignChange) -> dict[str, Any]:
    return {
        column.name: getattr(change, column.name)
        for column in change.__table__.columns
        if column.name != "site_id"
    }


@click.command()
@click.option(
    "--older-than",
    "days",
    required=True,
    type=click.FloatRange(min=0),
    metavar="DAYS",
    help="Age from which HTML, revisions and receipts go.",
)
@click.option(
    "--only",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    help="Only this kind; may be given several times.",
)
@click.option("--dry-run", is_flag=True, help="Count what would go, and keep it.")
def prune(days: float, kinds: tuple[Kind, ...], dry_run: bool) -> None:
    """Remove what need not be kept for ever.

    HTML of pages that have their outcome, revisions that later ones replaced, receipts; and of
    any age, places in past clusterings and trees of no page. A page without its HTML keeps its
    article, and cannot be reprocessed. May be interrupted: what was removed until then stays
    removed, and each transaction is small.
    """
    from worker.settings import load_settings
    from worker.tasks.maintenance import pruning

    removed = dict.fromkeys(kinds or KINDS, 0)
    stop = stop_on_signals()

    def remove(database: Database) -> None:
        for step in pruning(database, removed, days, dry_run=dry_run):
            removed[step.kind] += step.removed
            if stop.is_set():
                break

    with_database(load_settings(), remove)
    for kind, number in removed.items():
        click.echo(f"{kind}\t{number}")
    if stop.is_set():
        raise click.ClickException("interrupted; the same command goes on with it")


COMMANDS = (status, prune)
