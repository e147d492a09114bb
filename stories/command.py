"""The command ``detourage stories``."""

from __future__ import annotations

import gzip
import json
import logging
import sys
from pathlib import Path

import click

from detourage.expected_errors import ExpectedError


@click.group()
def stories() -> None:
    """Group articles that repeat each other into stories.

    `detourage stories work` consumes the service's articles and publishes a message about each.
    """


@stories.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option(
    "--days",
    type=float,
    default=7,
    show_default=True,
    help="Number of days within which articles are compared, as in DETOURAGE_STORIES_DAYS.",
)
def find(files: tuple[Path, ...], days: float) -> None:
    """Print the stories of articles in files.

    The files (.jsonl, .jsonl.gz) are those that `detourage run` and `detourage export` write.
    Articles are ordered by fetched_at, and all are kept in memory.
    """
    from stories.in_memory_grouping import find_stories

    articles: list[dict[str, object]] = []
    for path in files:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    articles.append(json.loads(line))
                except ValueError as error:
                    raise ExpectedError(f"{path}, line {number}: {error}") from error
    for message in find_stories(articles, days):
        click.echo(json.dumps(message.to_json(), ensure_ascii=False))


@stories.command()
def work() -> None:
    """Run the process that groups the articles of a deployment.

    A second process is on standby until the first one ends.
    """
    from stories.service import StoriesWorker
    from stories.settings import load_settings

    settings = load_settings()
    logging.basicConfig(
        level=settings.log_level, format="%(asctime)s [%(levelname)s] %(name)s: %(message)s"
    )
    StoriesWorker(settings).run_until_signalled()


@stories.command()
def migrate() -> None:
    """Create or migrate the tables of the stories."""
    from stories.settings import load_settings
    from stories.store import engine_of
    from stories.store import migrate as migrate_schema

    engine = engine_of(load_settings().psycopg2_url)
    migrate_schema(engine)
    engine.dispose()


@stories.command()
def health() -> None:
    """Check that the process on this host works."""
    from stories.heartbeat import MAX_AGE_SECONDS, Heartbeat
    from stories.settings import load_settings

    age = Heartbeat(load_settings().heartbeat_directory).age_seconds()
    click.echo(f"last confirmed work: {age:.1f} s ago")
    sys.exit(0 if age <= MAX_AGE_SECONDS else 1)
