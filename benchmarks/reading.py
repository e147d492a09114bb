"""CPU time for reading a page (text, comments and metadata), compared with trafilatura.

python -m benchmarks.reading CORPUS… [--sample N] [--stages]

After some warm-up pages, the service and trafilatura read each page in turn, so that other load on
the machine affects them equally. The stages of our reading are measured on a second parse of each
page. The script needs the ``benchmarks`` extra.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.evaluation.scores import CorpusPage, load_corpus
from detourage.html import Page, PageError, parse_page
from detourage.reader import extract_article
from detourage.reader.body import judge_page
from detourage.reader.comment_exclusion import comments_to_exclude
from detourage.reader.content import comments_of, read_content
from detourage.reader.errors import NoArticleError
from detourage.reader.outline import Outline

SAMPLE = 150
"""Number of pages per corpus to measure."""

WARMING = 10
"""Number of warm-up pages that are read before measuring."""

Reader = Callable[[CorpusPage], None]
Times = defaultdict[str, list[float]]


@contextmanager
def timed(times: list[float]) -> Iterator[None]:
    """Append the CPU time of a block, including all threads, to `times`, in milliseconds."""
    began = process_time()
    yield
    times.append(1_000 * (process_time() - began))


def parsed(source: CorpusPage) -> Page:
    """Decode and parse a page."""
    return parse_page(source.html, source.url, content_type=source.content_type)


def read(source: CorpusPage) -> None:
    """Read a page completely."""
    try:
        read_content(parsed(source))
    except (PageError, NoArticleError):
        return


def read_in_stages(source: CorpusPage, times: Times) -> None:
    """Read a page stage by stage; the article stage repeats the previous stages."""
    try:
        with timed(times["decoding, parsing and flattening"]):
            page = parsed(source)
        with timed(times["comments found"]):
            found = comments_of(page)
        with timed(times["outline"]):
            outline = Outline.of(page.flat)
        with timed(times["lines judged"]):
            judge_page(outline, None, page.url)
        with timed(times["article with metadata, outline and lines again"]):
            extract_article(page, None, comments=comments_to_exclude(page, found))
    except (PageError, NoArticleError):
        return


def by_trafilatura() -> Reader:
    """Return a reader that uses trafilatura and extracts comments and metadata, too."""
    try:
        from trafilatura import bare_extraction
    except ImportError as error:
        raise SystemExit(f"{error}: install the benchmarks extra (make benchmarks)") from error

    def extract(source: CorpusPage) -> None:
        bare_extraction(
            source.html, url=source.url or None, include_comments=True, with_metadata=True
        )

    return extract


def measured(pages: Sequence[CorpusPage], sample: int, readers: Mapping[str, Reader]) -> Times:
    """Return the times of each reader for evenly spaced pages."""
    step = max(1, len(pages) // sample)
    for source in pages[step // 2 :: step][:WARMING]:
        for reader in readers.values():
            reader(source)
    times: Times = defaultdict(list)
    for source in pages[::step][:sample]:
        for name, reader in readers.items():
            with timed(times[name]):
                reader(source)
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="pages per corpus (%(default)s)")
    parser.add_argument("--stages", action="store_true", help="also measure our stages")
    options = parser.parse_args()
    readers = {"détourage": read, "trafilatura": by_trafilatura()}
    print(
        "| corpus | pages | reader | mean, ms | median | 95 % | longest | mean, trafilatura's = 1 |"
    )
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    stages: dict[str, Times] = {}
    for folder in options.corpora:
        pages = list(load_corpus(folder).pages.values())
        times = measured(pages, options.sample, readers)
        peer = np.mean(times["trafilatura"])
        for name, taken in times.items():
            figures = [np.mean(taken), *np.percentile(taken, [50, 95]), max(taken)]
            shown = " | ".join(f"{figure:.1f}" for figure in figures)
            ratio = f"{figures[0] / peer:.2f}"
            print(f"| {folder.name} | {len(taken)} | {name} | {shown} | {ratio} |", flush=True)
        if options.stages:
            times = stages[folder.name] = defaultdict(list)
            step = max(1, len(pages) // options.sample)
            for source in pages[::step][: options.sample]:
                read_in_stages(source, times)
    for corpus, times in stages.items():
        print()
        for stage, taken in times.items():
            print(f"{corpus}, {stage}: {np.mean(taken):.2f} ms")


if __name__ == "__main__":
    main()
