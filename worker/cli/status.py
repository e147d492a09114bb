"""The command that shows the status of sites and queues, and the history of articles."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from detourage.text.terminal import json_text
from worker.cli.deployment_access import (
    process_settings,
    read_database,
    stop_on_signals,
    with_database,
)

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


@click.command()
@click.argument("site", metavar="[SITE|URL]", required=False)
@click.option(
    "--pending",
    is_flag=True,
    help="Show only sites with pages that are pending or being extracted again, most first.",
)
@click.option(
    "--top",
    type=click.IntRange(min=0),
    metavar="N",
    help="Show only this many sites, those with the most pages; by default 20, or all with --json.",
)
@click.option("--queues", "only_queues", is_flag=True, help="Show only the queues.")
@click.option(
    "--addresses", "only_addresses", is_flag=True, help="Show only the joined addresses of SITE."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--prometheus", is_flag=True, help="Print the metrics instead, in the Prometheus text format."
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="With --prometheus: serve the metrics over HTTP on this port until stopped.",
)
@click.option("--host", help="With --port: address to serve on; by default, 127.0.0.1.")
def status(
    site: str | None,
    pending: bool,
    top: int | None,
    only_queues: bool,
    only_addresses: bool,
    as_json: bool,
    prometheus: bool,
    port: int | None,
    host: str | None,
) -> None:
    """Show the sites and queues of a deployment.

    For a single SITE, also show its groups, design changes and joined addresses. For a URL, show
    the history of its article instead, oldest first: the fetches of the page and the revisions. Old
    entries may have been pruned.

    Each page counts in one of four columns: articles, other outcomes, failed, or pending (no
    outcome yet). Further columns show how many of these pages are being extracted again, and how
    many articles are doubtful (confidence below 0.8). Columns of zeros are omitted.
    """
    is_url = site is not None and "://" in site
    values = {
        "URL" if is_url else "SITE": site,
        "--pending": pending,
        "--top": top is not None,
        "--queues": only_queues,
        "--addresses": only_addresses,
        "--json": as_json,
        "--prometheus": prometheus,
        "--port": port,
        "--host": host,
    }
    given = {name for name, value in values.items() if value}
    for name, allowed in COMBINABLE.items():
        if name in given and given - allowed - {name}:
            raise click.UsageError(f"{name} can only be combined with {' and '.join(allowed)}")
    for name, needed in REQUIRED.items():
        if name in given and needed not in given:
            raise click.UsageError(f"{name} requires {needed}")
    if prometheus:
        _show_metrics(port, host or "127.0.0.1")
    elif is_url:
        _show_history(str(site), as_json=as_json)
    elif only_queues:
        _show_queues(as_json=as_json)
    else:
        _show_sites(site, pending, top, as_json=as_json, only_addresses=only_addresses)


COMBINABLE = {
    "URL": {"--json"},
    "--queues": {"--json"},
    "--addresses": {"SITE", "--json"},
    "--prometheus": {"--port", "--host"},
}
"""For each of these arguments and options, those that may be combined with it."""

REQUIRED = {"--addresses": "SITE", "--port": "--prometheus", "--host": "--port"}
"""For each of these options, the option or argument that it requires."""


def _show_queues(*, as_json: bool) -> None:
    from worker.cli.status_tables import print_queues
    from worker.messaging.broker import queue_depths
    from worker.settings import load_settings

    depths = queue_depths(load_settings())
    if as_json:
        _print_json({"queues": depths})
    else:
        print_queues(depths)


def _show_sites(
    name: str | None, pending: bool, top: int | None, *, as_json: bool, only_addresses: bool
) -> None:
    from worker.cli.status_tables import print_addresses, print_status
    from worker.messaging.broker import queue_depths
    from worker.settings import load_settings
    from worker.store import progress

    def read(session: Session) -> list[progress.SiteStatus]:
        if name is None:
            return progress.site_statuses(session, None)
        from worker.store.pages import sites_named

        return progress.site_statuses(session, [*sites_named(session, name).values()])

    sites = read_database(read)
    if name and not sites:
        raise click.ClickException(f"site {name!r} is unknown")
    if only_addresses:
        from worker.store.addresses import list_joined

        joined = read_database(
            lambda session: [found for site in sites for found in list_joined(session, site.key)]
        )
        if as_json:
            _print_json({"addresses": [each._asdict() for each in joined]})
        else:
            print_addresses(joined)
        return
    depths = queue_depths(load_settings())
    is_single = name and len(sites) == 1
    history = read_database(progress.site_history, sites[0].key) if is_single else None
    totals = progress.SiteTotals.of(sites)
    if pending:
        chosen = [each for each in sites if each.pending or each.again]
        chosen.sort(key=lambda each: (-each.pending - each.again, each.key))
    else:
        chosen = sorted(sites, key=lambda each: (-each.pages, each.key))
    if not as_json:
        print_status(totals, chosen, top, history, depths)
        return
    values: dict[str, Any] = {
        "totals": totals._asdict(),
        "sites": [vars(each) for each in chosen[:top]],
        "queues": depths,
    }
    if history:
        values["groups"] = [group._asdict() for group in history.groups]
        values["design_changes"] = [
            {
                column.name: getattr(change, column.name)
                for column in change.__table__.columns
                if column.name != "site_id"
            }
            for change in history.changes
        ]
        values["addresses"] = history.addresses
    _print_json(values)


def _show_metrics(port: int | None, host: str) -> None:
    from worker.service.metrics import metrics_text, serve_metrics

    settings = process_settings("metrics" if port else None)
    with_database(lambda _: None)
    if port is None:
        click.echo(metrics_text(settings), nl=False)
    else:
        serve_metrics(settings, host, port, stop_on_signals())


def _print_json(values: object) -> None:
    click.echo(json_text(values, default=datetime.isoformat))


def _show_history(url: str, *, as_json: bool) -> None:
    from worker.cli.status_tables import say, wide_output
    from worker.store.articles import article_events

    events = read_database(article_events, url)
    if not events:
        raise click.ClickException("no page with this URL is stored")
    out = wide_output()
    for event in events:
        if as_json:
            click.echo(event.model_dump_json())
        else:
            say(out, f"{event.at:%Y-%m-%d %H:%M:%S}  page {event.page_id}  {event.what}")
