"""Commands that reprocess the stored pages of one or all sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from detourage.text.plural import pluralise
from worker.cli.deployment_access import read_database, with_database
from worker.messaging.task_names import PAGE_STAGES, REPROCESS, REPROCESS_ALL, REPROCESS_STAGES

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from worker.store.reprocessings import ReprocessingProgress


@click.command()
@click.argument("site", metavar="[SITE|URL]", required=False)
@click.option("--all", "all_sites", is_flag=True, help="Reprocess all sites, one after another.")
@click.option(
    "--from",
    "stage",
    type=click.Choice(REPROCESS_STAGES),
    default="extract",
    show_default=True,
    help="First stage to run again.",
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    metavar="PAGES",
    help="With --all: maximum number of pages per minute; unlimited by default.",
)
@click.option("--progress", "action", flag_value="progress", help="Show the progress of --all.")
@click.option("--cancel", "action", flag_value="cancel", help="Stop --all before its next site.")
def reprocess(
    site: str | None, all_sites: bool, stage: str, rate: float | None, action: str | None
) -> None:
    """Process all pages of SITE, or the page at URL, again.

    Each article gets a new revision. With --all, the pages of all sites are reprocessed. A single
    page can be processed from the stages extract and parse.
    """
    if [site is not None, all_sites, action is not None].count(True) != 1:
        raise click.UsageError("give exactly one of SITE, URL, --all, --progress and --cancel")
    if rate is not None and not all_sites:
        raise click.UsageError("--rate requires --all")
    if action is not None:
        from worker.store import reprocessings

        if action == "progress":
            _show_progress(read_database(reprocessings.progress))
        elif with_database(lambda database: database.run(reprocessings.cancel)):
            click.echo("cancelled")
        else:
            raise click.ClickException("no reprocessing of all sites is in progress")
        return
    if site is not None and "://" in site:
        _reprocess_page(site, stage)
        return
    from worker.messaging.broker import broker_connection
    from worker.service.celery_application import create_app
    from worker.settings import load_settings
    from worker.store import pages, reprocessings

    settings = load_settings()
    if site is None:
        latest = read_database(reprocessings.progress)
        if latest is not None and latest.is_running:
            raise click.ClickException(
                "all sites are already being reprocessed: `detourage reprocess --progress` shows"
                " the progress, and `detourage reprocess --cancel` ends it"
            )
        task, arguments = REPROCESS_ALL, {"stage": stage, "pages_per_minute": rate}
    else:
        if not read_database(pages.sites_named, site):
            raise click.ClickException(f"site {site!r} is unknown")
        task, arguments = REPROCESS, {"site": site, "stage": stage}
    with broker_connection(settings) as connection:
        create_app(settings).send_task(task, kwargs=arguments, connection=connection)
    click.echo(f"reprocessing of {site or 'all sites'} from {stage} requested")


def _reprocess_page(url: str, stage: str) -> None:
    from worker.store.articles import page_ids_at
    from worker.workflow.reprocessing import reprocess_page

    if stage not in PAGE_STAGES:
        raise click.UsageError(f"with URL, --from must be {' or '.join(PAGE_STAGES)}")

    def request(session: Session) -> int:
        return sum(reprocess_page(session, page_id, stage) for page_id in page_ids_at(session, url))

    if not with_database(lambda database: database.run(request)):
        raise click.ClickException("no HTML is stored for a page with this URL")
    click.echo(f"reprocessing of {url} from {stage} requested")


def _show_progress(latest: ReprocessingProgress | None) -> None:
    if latest is None:
        click.echo("no reprocessing of all sites: start one with `detourage reprocess --all`")
        return
    rate = latest.pages_per_minute
    limit = "" if rate is None else f", at most {rate:g} a minute"
    state = "running" if latest.is_running else "ended"
    click.echo(
        f"{state}: {latest.sites_done} of {pluralise(latest.sites, 'site')},"
        f" {pluralise(latest.pages, 'page')} from {latest.stage}{limit}"
    )
