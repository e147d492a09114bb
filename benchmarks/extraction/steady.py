"""Speed and memory of the extraction over many pages, one process, knowledge of groups at hand.

    python -m benchmarks.extraction.steady CORPUS… [--pages 10000]

The pages are taken again and again until there are as many. Each is parsed and cut with what is
known of the page that it is compared with, as by a worker that has seen its template before.
"""

import time
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path

import click

from benchmarks.evaluation.methods.grouping import find_neighbours
from benchmarks.evaluation.methods.usage import peak_memory
from benchmarks.evaluation.scores import load_corpus
from worker.extraction import NoArticleError, TemplateKnowledge, extract_article
from worker.pages import PageError, parse_page
from worker.papers.interface import Source
from worker.papers.reading import page_of

LINE_EVERY = 1000


@click.command()
@click.argument("corpora", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--pages", default=10_000, show_default=True)
def main(corpora: tuple[Path, ...], pages: int) -> None:
    """Print pages per CPU second and resident memory, now and at most, as pages go by."""
    work = [each for corpus in corpora for each in _work(corpus)]
    click.echo("| pages | pages/CPU s | MB now | MB at most |")
    click.echo("|---:|---:|---:|---:|")
    started = time.process_time()
    for number, (source, known) in enumerate(islice(cycle(work), pages), start=1):
        with suppress(PageError, NoArticleError):
            page = parse_page(source.html, source.url, content_type=source.content_type)
            extract_article(page, known)
        if number % LINE_EVERY == 0:
            rate = LINE_EVERY / (time.process_time() - started)
            peak = (peak_memory() or 0) / 2**20
            click.echo(f"| {number} | {rate:.0f} | {_resident():.0f} | {peak:.0f} |")
            started = time.process_time()


def _resident() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def _work(corpus: Path) -> list[tuple[Source, TemplateKnowledge | None]]:
    pages = load_corpus(corpus).pages.values()
    sources = [Source(page.html, page.url, page.content_type) for page in pages]
    known: dict[Source, TemplateKnowledge] = {}
    work: list[tuple[Source, TemplateKnowledge | None]] = []
    for source, neighbours in zip(sources, find_neighbours(sources), strict=True):
        pivot = neighbours.pivot
        if pivot is not None and pivot not in known:
            known[pivot] = TemplateKnowledge.from_pages([page_of(pivot)])
        work.append((source, known[pivot] if pivot is not None else None))
    return work


if __name__ == "__main__":
    main()
