"""Commands of ``python -m benchmarks``."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from detourage.cli.options import OutputFile, OutputFolder
from detourage.expected_errors import require_extra

if TYPE_CHECKING:
    from benchmarks.evaluation.bench.measuring import Grouping
    from benchmarks.evaluation.bench.results import CorpusTable

FILE_COLUMNS = 200  # width of tables that are not written to a terminal, in characters
ALL_EXTRACTORS = "all"  # value of --extractors

EXIT_CODE_NOT_RUN = 1
"""Exit code if a requested extractor could not run, so that only the others were measured."""

by_option = click.option(
    "--by", type=click.Choice(("site", "language")), help="Also average by site or language."
)
json_option = click.option(
    "--json", "json_file", type=OutputFile(), help="Write all figures to this file."
)
html_option = click.option(
    "--html",
    "html_file",
    type=OutputFile(),
    help="Write a report with sortable tables and plots to this file.",
)


@click.command()
@click.argument("gold", type=click.Path(exists=True, path_type=Path))
@click.argument(
    "articles",
    nargs=-1,
    required=True,
    metavar="ARTICLES…",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@by_option
@click.option(
    "--title/--no-title",
    "title_in_text",
    default=None,
    help="Whether the gold texts begin with the headline; by default, as stated for the corpus.",
)
@json_option
@html_option
def evaluate(
    gold: Path,
    articles: tuple[Path, ...],
    by: Grouping | None,
    title_in_text: bool | None,
    json_file: Path | None,
    html_file: Path | None,
) -> None:
    """Score files of articles against GOLD.

    GOLD is a folder with pages.jsonl.gz and gold.jsonl.gz, or a file of gold
    records. ARTICLES are files of article messages.
    """
    _check_installed()
    from benchmarks.evaluation.bench import evaluate as evaluate_articles
    from detourage.cli.display import measurement_bar

    with measurement_bar() as progress:
        table = evaluate_articles(
            gold, articles, by=by, title_in_text=title_in_text, progress=progress
        )
    _report([table], by, json_file, html_file)


@click.command()
@click.argument(
    "corpora",
    nargs=-1,
    required=True,
    metavar="CORPUS…",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.option(
    "--extractors",
    default=ALL_EXTRACTORS,
    show_default=True,
    metavar="A,B,C>D",
    help="Names of extractors, or chains in which each extractor gets the previous one's result.",
)
@by_option
@click.option("--limits", is_flag=True, help="Add upper bounds: best subtree and best blocks.")
@click.option(
    "--task",
    "diseases",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of disease names by language; adds the effect on the downstream system.",
)
@click.option(
    "--train",
    "training",
    metavar="CORPUS",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Train nclean on this corpus, except the measured sites.",
)
@click.option("--statistics", is_flag=True, help="Count paragraphs, lines, words and characters.")
@click.option("--cache", type=OutputFolder(), help="Folder in which results are cached.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="one per core",
    help="Number of pages processed in parallel.",
)
@click.option("--sample", type=click.IntRange(min=1), help="Maximum number of pages per corpus.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="Time limit per page, in seconds.",
)
@json_option
@html_option
def bench(
    corpora: tuple[Path, ...],
    extractors: str,
    by: Grouping | None,
    limits: bool,
    diseases: Path | None,
    training: Path | None,
    statistics: bool,
    cache: Path | None,
    jobs: int,
    sample: int | None,
    seconds: float,
    json_file: Path | None,
    html_file: Path | None,
) -> None:
    """Run extractors over corpora and score them.

    Exit code 1 if a named extractor could not run because a library or a program is missing.
    With "all", only the extractors that can run are measured.
    """
    _check_installed()
    from benchmarks.evaluation.bench import Bench
    from benchmarks.evaluation.methods import Runner, extractor_names
    from benchmarks.evaluation.scores import load_diseases
    from detourage.cli.display import measurement_bar
    from detourage.text.terminal import printable

    names = extractor_names() if extractors == ALL_EXTRACTORS else extractors.split(",")
    with measurement_bar() as progress:
        measurement = Bench(
            methods=[name.strip() for name in names],
            with_limits=limits,
            with_statistics=statistics,
            by=by,
            diseases=load_diseases(diseases) if diseases else None,
            training=training,
            sample=sample,
            runner=Runner(processes=jobs, seconds_per_page=seconds, cache=cache),
            progress=progress,
        )
        tables = list(measurement.measure(corpora))
    _report(tables, by, json_file, html_file)
    not_run = {name: reason for table in tables for name, reason in table.not_run.items()}
    if not_run:
        reasons = "; ".join(f"{name} ({reason})" for name, reason in not_run.items())
        click.echo(f"Error: not run: {printable(reasons)}", err=True)
        if extractors != ALL_EXTRACTORS:
            sys.exit(EXIT_CODE_NOT_RUN)


def _check_installed() -> None:
    require_extra("benchmarks", "measuring", "regex", "cydifflib")


def _report(
    tables: list[CorpusTable], by: str | None, json_file: Path | None, html_file: Path | None
) -> None:
    """Write the requested JSON and HTML files, and print the tables with their remarks."""
    from rich.console import Console
    from rich.text import Text

    from benchmarks.evaluation.bench import Report, tables_of, to_html
    from detourage.text.terminal import printable

    report = Report.now(tables, by)
    if json_file:
        figures = json.dumps(report.to_json(), ensure_ascii=False, indent=1)
        json_file.write_text(figures + "\n", encoding="utf-8")
    if html_file:
        html_file.write_text(to_html(report), encoding="utf-8")
    out = Console()
    if not out.is_terminal:
        out.width = FILE_COLUMNS
    for table in tables:
        for terminal_table in tables_of(table, by):
            out.print(terminal_table)
        for remark in table.remarks:
            out.print(Text(printable(remark)), soft_wrap=True)
