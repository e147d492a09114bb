"""Commands for a site."""

from __future__ import annotations

from datetime import timedelta

import click

from detourage.text.plural import counted
from worker.cli.process import with_database


@click.group()
def site() -> None:
    """Delete a site."""


@site.command("delete")
@click.argument("site")
@click.confirmation_option(prompt="Delete the site with its pages and articles permanently?")
def site_delete(site: str) -> None:
    """Delete SITE with its pages, articles and groups.

    An interrupted deletion can be repeated.
    """
    from worker.settings import load_settings
    from worker.workflow.site_deletion import delete_site

    window = timedelta(days=load_settings().story_days)
    deleted = with_database(lambda database: delete_site(database, site, window))
    click.echo(f"{counted(deleted, 'page')} of {site} deleted")
