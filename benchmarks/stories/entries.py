"""Print pages with live-report entries: ``python -m benchmarks.stories.entries CORPUS…``.

The script prints the number of pages with an article for each corpus. For inspection, it also
prints each page with entries: their number, how many have a time or a title, and how many the page
declares.
"""

import argparse
from pathlib import Path
from statistics import fmean
from time import process_time

from benchmarks.evaluation.scores import load_corpus
from worker.article import NoArticleError
from worker.article.declared_entries import declared_entries
from worker.article.entries import entries_of
from worker.article.reader import Content, read_content
from worker.html import Page, PageError, parse_page


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora")
    parser.add_argument("--show", type=int, default=0, help="number of entries printed per page")
    options = parser.parse_args()
    print("| corpus | pages | with entries | ms per page |")
    print("|---|---:|---:|---:|")
    for folder in options.corpora:
        _report(folder, options.show)


def _report(folder: Path, shown: int) -> None:
    corpus = load_corpus(folder)
    times: list[float] = []
    with_entries = []
    for fetched in corpus.pages.values():
        try:
            page = parse_page(fetched.html, fetched.url, content_type=fetched.content_type)
            content = read_content(page)
        except (PageError, NoArticleError):
            continue
        start = process_time()
        entries_of(page, content.article, content.comments)
        times.append(1000 * (process_time() - start))
        if content.entries:
            with_entries.append((page, content))
    mean = f"{fmean(times):.2f}" if times else ""
    print(f"| {corpus.name} | {len(times)} | {len(with_entries)} | {mean} |")
    for page, content in with_entries:
        _show(page, content, shown)


def _show(page: Page, content: Content, number: int) -> None:
    entries = content.entries
    dated = sum(entry.time is not None or entry.written_time is not None for entry in entries)
    titled = sum(entry.title is not None for entry in entries)
    counts = f"{len(entries)} entries, {dated} with a time, {titled} with a title"
    print(f"{page.url}: {counts}, {len(declared_entries(page))} declared")
    for entry in entries[:number]:
        print("   ", entry.id, entry.time or entry.written_time, entry.title, entry.text[:100])


if __name__ == "__main__":
    main()
