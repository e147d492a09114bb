"""The command that explains, without a deployment, why lines are kept."""

import json
import os
from dataclasses import replace
from pathlib import Path

import click

from detourage.cli.options import (
    OutputFile,
    messages_in,
    refuse_inputs,
    show_input_log,
    site_pages_option,
    url_option,
)
from detourage.expected_errors import require_groups
from detourage.export.output_files import open_replacement
from detourage.text.terminal import printable


@click.command()
@click.argument("page", metavar="URL|FILE|-")
@site_pages_option
@url_option
@click.option(
    "--html",
    "html_file",
    type=OutputFile(is_replaced=True),
    help="Output file for the page with kept lines in green and the template in blue.",
)
@click.option(
    "--json",
    "json_file",
    type=OutputFile(is_replaced=True),
    help="Output file for the article and every line, or for the groups.",
)
@click.option(
    "--groups", is_flag=True, help="Show instead how the pages of each site in FILE are grouped."
)
@click.option("--method", help="With --groups: grouping method; by default, the service's.")
def explain(
    page: str,
    site_pages: Path | None,
    url: str | None,
    html_file: Path | None,
    json_file: Path | None,
    groups: bool,
    method: str | None,
) -> None:
    """Show why lines are kept or left out, or the groups of pages.

    A URL is fetched; FILE or standard input (-) contains HTML, a page message, or several messages,
    one of which --url selects. Each line is shown with its most probable role, and the probability
    that the line belongs to the text.
    """
    refuse_inputs([page, site_pages or page], html_file, json_file)
    show_input_log()
    if groups:
        if site_pages or url or html_file:
            raise click.UsageError("--groups can only be combined with --method and --json")
        _explain_groups(page, method, json_file)
        return
    if method is not None:
        raise click.UsageError("--method can only be combined with --groups")
    from detourage.explain.explanation_formats import to_json, to_terminal
    from detourage.explain.input_pages import load_subject
    from detourage.explain.marked_page import to_html
    from detourage.reader.article_and_comments import explain_content

    subject = load_subject(page, site_pages, url, threads=os.cpu_count() or 1)
    explanation = explain_content(subject.page, subject.template, subject.group_pattern)
    if subject.template_page is not None:
        explanation = replace(explanation, template_url=subject.template_page.url)
    comments = explanation.article.comments if explanation.article is not None else ()
    if json_file:
        values = to_json(explanation, subject.group_size, comments)
        _write(json_file, json.dumps(values, ensure_ascii=False, indent=1) + "\n")
    if html_file:
        _write(html_file, to_html(explanation, subject.page, subject.group_size, len(comments)))
    for line in to_terminal(explanation, subject.group_size, len(comments)):
        click.echo(line)


def _explain_groups(source: str, method: str | None, json_file: Path | None) -> None:
    from detourage.cli.display import measurement_bar

    require_groups()
    from detourage.explain.cluster_report import cluster_pages
    from detourage.template.clusterer import DEFAULT_METHOD

    messages = messages_in((Path(source),))
    threads = os.cpu_count() or 1
    with measurement_bar() as bar:
        report = cluster_pages(messages, method or DEFAULT_METHOD, threads=threads, progress=bar)
    click.echo("\n".join(map(printable, report.to_lines())))
    if json_file:
        _write(json_file, json.dumps(report.to_json(), ensure_ascii=False, indent=1) + "\n")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_replacement(path) as stream:
        stream.write(text)
