"""Commands that bring pages in: a run over files, messages to a deployment, the sample crawl."""

import os
import sys
from pathlib import Path
from uuid import uuid4

import click

from worker.cli.inputs import input_paths, messages_in

EXIT_UNUSABLE_INPUT = 3
"""The run itself went well, but messages were quarantined or pages failed."""


@click.command()
@input_paths
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the articles, one a line; compressed if it ends in .gz.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="one a core",
    help="Processes that run tasks.",
)
def run(inputs: tuple[Path, ...], output: Path, workers: int) -> None:
    """Process pages and write their articles.

    Runs on the configured database and broker; without them it brings up its
    own for the time of the run. Ends when every page has its outcome. Exit code
    0: all went well; 1: the run failed; 3: it was completed, but some messages
    were unusable or some pages failed.
    """
    from worker.cli.display import print_summary
    from worker.cli.progress import bars_by_stage
    from worker.local.run import Run
    from worker.processes.supervisor import termination_as_exit
    from worker.settings import load_settings

    output.parent.mkdir(parents=True, exist_ok=True)
    with termination_as_exit(), bars_by_stage() as bars:
        summary = Run(load_settings(), workers, bars.update).execute(messages_in(inputs), output)
    print_summary(summary, output)
    if summary.quarantined or summary.failed_pages:
        see = f"; see {summary.quarantine_file}" if summary.quarantine_file else ""
        click.echo(
            f"Error: {summary.quarantined} messages were unusable and {summary.failed_pages} pages"
            f" failed{see}",
            err=True,
        )
        sys.exit(EXIT_UNUSABLE_INPUT)


@click.command()
@input_paths
def send(inputs: tuple[Path, ...]) -> None:
    """Publish pages to a deployment, as a crawler does."""
    from worker.messaging.publishing import publish_pages
    from worker.settings import load_settings

    sent = publish_pages(load_settings(), messages_in(inputs), message_prefix=f"send-{uuid4()}-")
    click.echo(f"{sent} messages sent")


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
def sample(directory: Path) -> None:
    """Write the sample crawl, with its gold, into DIRECTORY."""
    from worker.sample import write_crawl

    directory.mkdir(parents=True, exist_ok=True)
    write_crawl(directory)
    click.echo(f"sample crawl written to {directory}")


COMMANDS = (run, send, sample)
