"""Print how long comments take to find: ``python -m benchmarks.comments.speed CORPUS…``.

CPU time of one process, parsing the page left out: found by the page itself, and by what its
template has shown.
"""

import argparse
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.evaluation.scores import load_corpus
from worker.comments import find_comments
from worker.pages import PageError, parse_page


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora")
    parser.add_argument("--every", type=int, default=1, help="measure every so manieth page")
    options = parser.parse_args()
    print("| | pages | median, ms | 95 % | longest | known pattern, median | 95 % |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for folder in options.corpora:
        alone: list[float] = []
        known: list[float] = []
        for fetched in list(load_corpus(folder).pages.values())[:: options.every]:
            try:
                page = parse_page(fetched.html, fetched.url, content_type=fetched.content_type)
            except PageError:
                continue
            start = process_time()
            found = find_comments(page)
            alone.append(1_000 * (process_time() - start))
            if found.records:
                start = process_time()
                find_comments(page, found.pattern)
                known.append(1_000 * (process_time() - start))
        figures = [
            *np.percentile(alone, [50, 95, 100]),
            *(np.percentile(known, [50, 95]) if known else (np.nan, np.nan)),
        ]
        print(f"| {folder.name} | {len(alone)} | {' | '.join(f'{f:.1f}' for f in figures)} |")


if __name__ == "__main__":
    main()
