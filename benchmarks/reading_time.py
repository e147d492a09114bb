"""CPU time for reading a page (text, comments and metadata), compared with trafilatura.

python -m benchmarks.reading_time CORPUS… [--sample N] [--stages]

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
from detourage.reader.article_and_comments import comments_of, read_content
from detourage.reader.body import judge_page
from detourage.reader.comment_exclusion import comments_to_exclude
from detourage.reader.no_article_errors import NoArticleError
from detourage.reader.outline import Outline

SAMPLED_PAGES = 150  # number of pages per corpus to measure

WARM_UP_PAGES = 10  # number of warm-up pages that are read before measuring

Reader = Callable[[CorpusPage], None]
Timings = defaultdict[str, list[float]]  # milliseconds by reader or stage


@contextmanager
def timed(times: list[float]) -> Iterator[None]:
    """Append the CPU time of the ``with`` block to `times`, in milliseconds over all threads."""
    began = process_time()
    yield
    times.append(1_000 * (process_time() - began))


def parse_source(source: CorpusPage) -> Page:
    """Decode and parse a page."""
    return parse_page(source.html, source.url, content_type=source.content_type)


def read(source: CorpusPage) -> None:
    """Extract text, comments and metadata as the service does; ignore pages without an article."""
    try:
        read_content(parse_source(source))
    except (PageError, NoArticleError):
        return


def read_in_stages(source: CorpusPage, times: Timings) -> None:
    """Time each stage of reading a page; the last one computes outline and lines again."""
    try:
        with timed(times["decoding, parsing and flattening"]):
            page = parse_source(source)
        with timed(times["comments found"]):
            comments = comments_of(page)
        with timed(times["outline"]):
            outline = Outline.of(page.flat)
        with timed(times["lines judged"]):
            judge_page(outline, None, page.url)
        with timed(times["article with metadata, outline and lines again"]):
            extract_article(page, None, comments=comments_to_exclude(page, comments))
    except (PageError, NoArticleError):
        return


def trafilatura_reader() -> Reader:
    """Return a function that extracts text, comments and metadata of a page with trafilatura."""
    try:
        from trafilatura import bare_extraction
    except ImportError as error:
        raise SystemExit(f"{error}: install the benchmarks extra (make benchmarks)") from error

    def extract(source: CorpusPage) -> None:
        bare_extraction(
            source.html, url=source.url or None, include_comments=True, with_metadata=True
        )

    return extract


def measure_readers(
    pages: Sequence[CorpusPage], sample: int, readers: Mapping[str, Reader]
) -> Timings:
    """Return the CPU times of each reader, in milliseconds, for evenly spaced pages."""
    step = max(1, len(pages) // sample)
    for source in pages[step // 2 :: step][:WARM_UP_PAGES]:
        for reader in readers.values():
            reader(source)
    times: Timings = defaultdict(list)
    for source in pages[::step][:sample]:
        for name, reader in readers.items():
            with timed(times[name]):
                reader(source)
    return times


def main() -> None:
    """Print a table of the CPU times per corpus and reader, and on request those of our stages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora")
    parser.add_argument(
        "--sample", type=int, default=SAMPLED_PAGES, help="pages per corpus (%(default)s)"
    )
    parser.add_argument("--stages", action="store_true", help="also measure our stages")
    options = parser.parse_args()
    readers = {"détourage": read, "trafilatura": trafilatura_reader()}
    heads = ("mean, ms", "median", "95 %", "longest", "mean, trafilatura's = 1")
    print(f"| corpus | pages | reader | {' | '.join(heads)} |")
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    stages: dict[str, Timings] = {}
    for folder in options.corpora:
        pages = list(load_corpus(folder).pages.values())
        times = measure_readers(pages, options.sample, readers)
        trafilatura_mean = np.mean(times["trafilatura"])
        for name, milliseconds in times.items():
            figures = [
                np.mean(milliseconds),
                *np.percentile(milliseconds, [50, 95]),
                max(milliseconds),
            ]
            cells = " | ".join(f"{figure:.1f}" for figure in figures)
            ratio = f"{figures[0] / trafilatura_mean:.2f}"
            print(
                f"| {folder.name} | {len(milliseconds)} | {name} | {cells} | {ratio} |", flush=True
            )
        if options.stages:
            times = stages[folder.name] = defaultdict(list)
            step = max(1, len(pages) // options.sample)
            for source in pages[::step][: options.sample]:
                read_in_stages(source, times)
    for corpus, times in stages.items():
        print()
        for stage, milliseconds in times.items():
            print(f"{corpus}, {stage}: {np.mean(milliseconds):.2f} ms")


if __name__ == "__main__":
    main()
