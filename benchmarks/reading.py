"""CPU time of reading a page whole, on one core.

python -m benchmarks.reading CORPUS… [--sample N] [--peers]

Each page is read once, after some others that load what is loaded once. Its stages are measured
on the page parsed again.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import process_time

import numpy as np

from worker.content import apart_from_article, comments_of, read_content
from worker.evaluation.scores import CorpusPage, load_corpus
from worker.extraction import extract_article
from worker.extraction.classification import judge_lines
from worker.extraction.errors import NoArticleError
from worker.extraction.outline import Outline
from worker.pages import Page, PageError, parse_page

WARMING = 10
"""Pages that are read before any is measured."""

Times = defaultdict[str, list[float]]


@contextmanager
def timed(times: list[float]) -> Iterator[None]:
    """Add the milliseconds of CPU time that a block takes."""
    began = process_time()
    yield
    times.append(1_000 * (process_time() - began))


def parsed(source: CorpusPage) -> Page:
    """Decode and parse a page."""
    return parse_page(source.html, source.url, content_type=source.content_type)


def read(source: CorpusPage) -> None:
    """Read a page whole."""
    try:
        read_content(parsed(source))
    except (PageError, NoArticleError):
        return


def read_in_stages(source: CorpusPage, times: Times) -> None:
    """Read a page stage by stage; those of the article hold those before them, once more."""
    try:
        with timed(times["decoding, parsing and flattening"]):
            page = parsed(source)
        with timed(times["comments found"]):
            found = comments_of(page)
        with timed(times["outline"]):
            outline = Outline.of(page.flat)
        with timed(times["lines judged"]):
            judge_lines(outline, None, page.url)
        with timed(times["article with metadata, outline and lines again"]):
            extract_article(page, None, apart=apart_from_article(page, found))
    except (PageError, NoArticleError):
        return


def by_trafilatura() -> Callable[[CorpusPage], None]:
    """Return what reads a page with trafilatura, comments and metadata too."""
    from trafilatura import bare_extraction

    def extract(source: CorpusPage) -> None:
        bare_extraction(
            source.html, url=source.url or None, include_comments=True, with_metadata=True
        )

    return extract


def measure(
    name: str, pages: Sequence[CorpusPage], sample: int | None, reader: Callable[[CorpusPage], None]
) -> None:
    """Print a row of figures of one reader."""
    step = max(1, len(pages) // sample) if sample else 1
    for source in pages[step // 2 :: step][:WARMING]:
        reader(source)
    times: list[float] = []
    for source in pages[::step][:sample]:
        with timed(times):
            reader(source)
    figures = [float(np.mean(times)), *np.percentile(times, [50, 95]), max(times)]
    print(f"| {name} | {len(times)} | {' | '.join(f'{figure:.1f}' for figure in figures)} |")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora")
    parser.add_argument("--sample", type=int, help="pages of each, evenly over it; all by default")
    parser.add_argument("--peers", action="store_true", help="measure trafilatura too")
    options = parser.parse_args()
    stages: dict[str, Times] = {}
    print("| | pages | mean, ms | median | 95 % | longest |")
    print("|---|---:|---:|---:|---:|---:|")
    for folder in options.corpora:
        pages = list(load_corpus(folder).pages.values())
        measure(folder.name, pages, options.sample, read)
        if options.peers:
            measure(f"{folder.name}, trafilatura", pages, options.sample, by_trafilatura())
        times = stages[folder.name] = defaultdict(list)
        step = max(1, len(pages) // options.sample) if options.sample else 1
        for source in pages[::step][: options.sample]:
            read_in_stages(source, times)
    for name, times in stages.items():
        print()
        for stage, taken in times.items():
            print(f"{name}, {stage}: {np.mean(taken):.2f} ms")


if __name__ == "__main__":
    main()
