"""The command that extracts articles without a deployment."""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import closing, nullcontext
from itertools import chain, islice
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING

import click

from detourage.cli.display import measurement_bar, say
from detourage.cli.options import (
    OutputFile,
    OutputFolder,
    base_url_option,
    refuse_inputs,
    show_input_log,
    site_pages_option,
    text_roles_option,
    url_option,
)
from detourage.export.output_files import open_replacement
from detourage.text.plural import pluralise
from detourage.text.terminal import json_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from detourage.explain.batch_extraction import ExtractionOutcome
    from detourage.roles import Favor, LineRole

DOCUMENT_SUFFIXES = {"text": "txt", "markdown": "md", "html": "html", "json": "json"}  # by format
LINES = (".jsonl", ".ndjson")  # suffixes of output files with one line per article
FORMATS = {f".{suffix}": form for form, suffix in DOCUMENT_SUFFIXES.items()}  # by output suffix
FORMATS |= {".markdown": "markdown", ".htm": "html", **dict.fromkeys(LINES, "json")}


def _check_method(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    del context, parameter
    if value is not None:
        from detourage.papers.interface import UnknownExtractorError
        from detourage.papers.registry import get_method

        try:
            get_method(value)
        except UnknownExtractorError as error:
            raise click.BadParameter(str(error)) from error
    return value


@click.command()
@click.argument(
    "pages",
    metavar="URL|FILE|FOLDER|-…",
    nargs=-1,
    required=True,
    default=lambda: () if sys.stdin.isatty() else ("-",),
)
@site_pages_option
@url_option
@base_url_option
@click.option(
    "--format",
    "form",
    type=click.Choice(tuple(DOCUMENT_SUFFIXES)),
    help="Output format; by default, the one that the ending of --output implies, such as .md or"
    " .jsonl, or else text for a single page and JSON lines for several.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(is_replaced=True),
    callback=lambda _context, _option, path: None if path == Path("-") else path,
    help="Output file, compressed if its name ends in .gz; by default, standard output.",
)
@click.option(
    "--output-dir",
    type=OutputFolder(),
    metavar="FOLDER",
    help="Write each article to a separate file in this folder.",
)
@click.option(
    "--keep-dirs",
    is_flag=True,
    help="With --output-dir: use the names and subfolders of the HTML files in a folder.",
)
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="one per core",
    help="Number of processes, if there are several pages.",
)
@text_roles_option("an unknown role prints the list")
@click.option(
    "--favor",
    type=click.Choice(("precision", "recall")),
    help="Leave out more boilerplate (precision), or miss less of the text (recall).",
)
@click.option("--no-comments", is_flag=True, help="Leave out the readers' comments.")
@click.option("--no-links", is_flag=True, help="Leave out the links in the text.")
@click.option("--no-images", is_flag=True, help="Leave out the images.")
@click.option(
    "--method",
    callback=_check_method,
    help="Use the method of a paper instead of the service's own, or a chain of methods (A>B).",
)
def extract(
    pages: tuple[str, ...],
    site_pages: Path | None,
    url: str | None,
    base_url: str | None,
    form: str | None,
    output: Path | None,
    output_dir: Path | None,
    keep_dirs: bool,
    processes: int,
    text_roles: tuple[LineRole, ...] | None,
    favor: Favor | None,
    no_comments: bool,
    no_links: bool,
    no_images: bool,
    method: str | None,
) -> None:
    """Extract the articles from pages, without a deployment.

    URLs are fetched, as far as robots.txt permits; files, folders and standard input (-) contain
    HTML, page messages, WARC archives or a list of URLs, one per line. Several pages are written as
    JSON lines, in input order; if a page has no article, its line has url, outcome and reason. Exit
    code 0: every page has an article; 1: some have none or could not be read.
    """
    has_page_options = site_pages is not None or url is not None
    if has_page_options and len(pages) > 1:
        raise click.UsageError("--site-pages and --url accept only one input")
    if output is not None and output_dir is not None:
        raise click.UsageError("--output and --output-dir are mutually exclusive")
    if keep_dirs and output_dir is None:
        raise click.UsageError("--keep-dirs requires --output-dir")
    refuse_inputs(pages, output, output_dir)
    show_input_log()
    ending = PurePath(output.name.lower().removesuffix(".gz")).suffix if output else ""
    if form is None and ending == ".parquet":
        raise click.UsageError("`detourage run` writes Parquet; extract writes .jsonl, for example")
    if form is None and ending and ending not in FORMATS:
        known = ", ".join(FORMATS)
        raise click.UsageError(f"no format ends in {ending}: give --format, or one of {known}")
    form = form or FORMATS.get(ending)
    from detourage.explain.batch_extraction import Extraction, all_input_pages
    from detourage.page_extraction import ReadingOptions

    options = ReadingOptions(
        text_roles=text_roles or (),
        favor=favor,
        include_comments=not no_comments,
        include_links=not no_links,
        include_images=not no_images,
    )
    if has_page_options:
        form, is_single = form or "text", True
        results = Extraction(form, options, method).extract_chosen(pages[0], site_pages, url)
    else:
        remaining = all_input_pages(pages, base_url)
        first_two = list(islice(remaining, 2))
        is_single = len(pages) == len(first_two) == 1
        form = form or ("text" if is_single else "json")
        results = Extraction(form, options, method).extract_all(
            chain(first_two, remaining), 1 if is_single else processes
        )
    with closing(results):
        if output_dir is not None:
            output_dir.mkdir(parents=True, exist_ok=True)
            files = _write_files(results, output_dir, form, keep_dirs=keep_dirs)
            error = _consume(files, is_counted=True)
        elif is_single and not (form == "json" and ending in LINES):
            result = next(results)
            if result.document is None:
                raise click.ClickException(printable(str(result)))
            with _open_output(output) as stream:
                click.echo(_safe_for(stream, result.document), stream, nl=False)
            return
        else:
            with _open_output(output) as stream:
                lines = _write_several(results, form, stream)
                error = _consume(lines, is_counted=output is not None)
    # Raised only now, because an error within the blocks above would discard the output file.
    if error is not None:
        raise click.ClickException(error)


def _open_output(output: Path | None) -> AbstractContextManager[IO[str]]:
    """Open standard output or the output file, which appears only when it is complete."""
    if output is None:
        return nullcontext(sys.stdout)
    output.parent.mkdir(parents=True, exist_ok=True)
    return open_replacement(output)


def _write_files(
    results: Iterator[ExtractionOutcome], folder: Path, form: str, *, keep_dirs: bool
) -> Iterator[ExtractionOutcome]:
    """Write each article to a file (with `keep_dirs`, named after its HTML file); yield all."""
    written: set[Path] = set()
    for number, result in enumerate(results, start=1):
        yield result
        if result.document is None:
            continue
        address = re.sub(r"[^a-z0-9.]+", "-", result.url.lower().partition("://")[2])
        slug = address[:80].strip("-.")
        names = [folder / f"{number:06}-{slug}.{DOCUMENT_SUFFIXES[form]}"]
        if keep_dirs and result.path is not None:
            page = folder / re.sub(r"(?i)\.gz$", "", str(result.path))
            # Files from another input folder, or with another suffix, may have the same name.
            long_name = page.with_name(f"{page.name}.{DOCUMENT_SUFFIXES[form]}")
            names = [page.with_suffix(f".{DOCUMENT_SUFFIXES[form]}"), long_name, *names]
        path = next((name for name in names if name not in written), names[-1])
        written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_replacement(path) as stream:
            stream.write(result.document)


def _write_several(
    results: Iterator[ExtractionOutcome], form: str, stream: IO[str]
) -> Iterator[ExtractionOutcome]:
    """Write articles to one stream, as JSON lines or below headings, and yield all results."""
    separator = ""
    for result in results:
        yield result
        if form == "json":
            missing = {"url": result.url, "outcome": result.outcome, "reason": result.reason}
            values = missing if result.document is None else json.loads(result.document)
            click.echo(json_line(values), stream)
        elif result.document is not None:
            click.echo(f"{separator}==> {printable(result.url)} <==", stream)
            click.echo(_safe_for(stream, result.document), stream, nl=False)
            separator = "\n"


def _consume(results: Iterator[ExtractionOutcome], *, is_counted: bool) -> str | None:
    """Report progress and pages without an article; return an error if there are such pages."""
    done = missing = 0
    with measurement_bar() as show:
        for done, result in enumerate(results, start=1):
            if result.document is None:
                missing += 1
                say(str(result))
            if is_counted:
                show("pages", done, None)
    return f"{missing} of {pluralise(done, 'page')} without an article" if missing else None


def _safe_for(stream: IO[str], text: str) -> str:
    """Return a text without control sequences if the stream is a terminal, otherwise unchanged."""
    if not stream.isatty():
        return text
    return "\n".join(map(printable, text.split("\n")))
