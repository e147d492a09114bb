"""Commands that show what is decided and why, and the contracts, without any service."""

import json
import os
from pathlib import Path

import click

from worker.cli.inputs import input_paths, messages_in


@click.command()
@input_paths
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for a picture, .png or .svg.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the groups with all their pages.",
)
@click.option("--method", help="How the pages are grouped; the service's method unless given.")
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="one a core",
    help="Threads that compare.",
)
def cluster(
    inputs: tuple[Path, ...],
    plot: Path | None,
    json_file: Path | None,
    method: str | None,
    threads: int,
) -> None:
    """Show the template groups of the pages of each site, without any service."""
    from worker.cli.progress import measurement_bar
    from worker.inspection.cluster_report import check_drawable, cluster_pages, draw_clustering
    from worker.terminal import printable

    if plot:
        check_drawable(plot)
    with measurement_bar() as progress:
        found = cluster_pages(messages_in(inputs), method, threads=threads, progress=progress)
    click.echo("\n".join(map(printable, found.to_lines())))
    if json_file:
        groups = json.dumps(found.to_json(), ensure_ascii=False, indent=1)
        json_file.write_text(groups + "\n", encoding="utf-8")
    if plot and (drawn := draw_clustering(found, plot)) < len(found.sites):
        click.echo(f"{plot} shows the largest {drawn} sites", err=True)


@click.command()
@click.argument("page", metavar="URL|FILE")
@click.option(
    "--site-pages",
    type=click.Path(exists=True, path_type=Path),
    help="File or folder with other pages of the site, to compare the page with.",
)
@click.option("--url", help="Address of the page: which one of a FILE of several, or its own.")
@click.option(
    "--html",
    "html_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the page itself, what was kept in green and the template in blue.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for every line with all its reasons.",
)
def explain(
    page: str,
    site_pages: Path | None,
    url: str | None,
    html_file: Path | None,
    json_file: Path | None,
) -> None:
    """Show which lines of one page were kept and dropped, and why.

    URL is fetched; FILE holds the page: HTML, a page message, or several with
    --url to name one. Reasons are in log odds, compared with the page's mean line.
    """
    from worker.cli.display import wide_output
    from worker.content import explain_content
    from worker.inspection import load_subject, to_html, to_json, to_terminal

    subject = load_subject(page, site_pages, url, threads=os.cpu_count() or 1)
    explained = explain_content(subject.page, subject.pivot, subject.patterns)
    explanation, comments = explained.explanation, explained.comments
    if json_file:
        values = json.dumps(
            to_json(explanation, subject.group_size, comments), ensure_ascii=False, indent=1
        )
        json_file.write_text(values + "\n", encoding="utf-8")
    if html_file:
        overlay = to_html(explanation, subject.page, subject.group_size, len(comments))
        html_file.write_text(overlay, encoding="utf-8")
    out = wide_output()
    for table in to_terminal(explanation, subject.group_size, len(comments)):
        out.print(table)


@click.command()
@click.argument("message", type=click.Choice(("page", "article")))
def schema(message: str) -> None:
    """Print the JSON Schema of a message contract."""
    from models.messages import ArticleMessage, PageMessage

    model = PageMessage if message == "page" else ArticleMessage
    mode = "validation" if message == "page" else "serialization"
    click.echo(json.dumps(model.model_json_schema(mode=mode), indent=2))  # type: ignore[arg-type]


COMMANDS = (cluster, explain, schema)
