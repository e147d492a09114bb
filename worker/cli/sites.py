"""Commands that move a site from one deployment to another."""

from __future__ import annotations

import gzip
import sys
from datetime import timedelta
from pathlib import Path

import click

from detourage.text.plural import counted
from worker.cli.process import with_database


@click.group()
def site() -> None:
    """Export, import or delete a site, to move it elsewhere."""


@site.command("export")
@click.argument("site")
def site_export(site: str) -> None:
    """Write SITE to standard output, for `detourage site import`.

    The gzipped file contains the pages with their HTML, addresses, outcomes and latest articles.
    Fails if pages are pending.
    """
    from worker.processes.supervisor import termination_as_exit
    from worker.store.database import Database
    from worker.workflow.moved_sites import export_site

    if sys.stdout.isatty():
        raise click.UsageError("the file is binary: redirect the output, as in > site.jsonl.gz")

    def write(database: Database) -> int:
        # A single snapshot, which must not be retried, because part of the file has been written.
        with (
            database.transaction() as session,
            gzip.open(sys.stdout.buffer, "wb", compresslevel=6) as packed,
        ):
            session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            return sum(packed.write(line) > 0 for line in export_site(session, site))

    with termination_as_exit():
        lines = with_database(write)
    click.echo(f"{counted(lines - 1, 'page')} of {site} exported", err=True)


@site.command("import")
@click.argument(
    "file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
)
def site_import(file: Path) -> None:
    """Store the site of FILE, made by `detourage site export`.

    Later revisions of its articles continue the numbering. The site is clustered again. An
    interrupted import can be repeated. It is an error if a page is newer here than in the file.
    """
    from detourage.inputs.streams import open_source
    from worker.settings import load_settings
    from worker.store.page_objects import page_objects
    from worker.workflow.moved_sites import import_site

    objects = page_objects(load_settings().pages)

    with open_source(file) as stream:
        key, total, new = with_database(lambda database: import_site(database, stream, objects))
    click.echo(f"{counted(total, 'page')} of {key} imported, {new} of them new")


@site.command("delete")
@click.argument("site")
@click.confirmation_option(prompt="Delete the site with its pages and articles permanently?")
def site_delete(site: str) -> None:
    """Delete SITE with its pages, articles and groups.

    An interrupted deletion can be repeated.
    """
    from worker.settings import load_settings
    from worker.workflow.moved_sites import delete_site

    window = timedelta(days=load_settings().story_days)
    deleted = with_database(lambda database: delete_site(database, site, window))
    click.echo(f"{counted(deleted, 'page')} of {site} deleted")
