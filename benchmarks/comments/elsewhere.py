"""Print references to external comments: ``python -m benchmarks.comments.elsewhere CORPUS…``.

For each corpus and comment service, the table shows the number of pages that refer to the service,
that name an account, and that name a thread. It also shows the number of pages that contain
comments as JSON. ``--list`` prints each reference for inspection.
"""

import argparse
from collections import Counter
from pathlib import Path
from statistics import fmean
from time import process_time

from benchmarks.evaluation.scores import load_corpus
from detourage.comments.elsewhere import find_elsewhere
from detourage.html import PageError, parse_page
from detourage.reader.content import declared_comments


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora")
    parser.add_argument("--list", action="store_true", dest="listed", help="print each reference")
    options = parser.parse_args()
    print("| | service | pages | with account | with thread |")
    print("|---|---|---:|---:|---:|")
    for folder in options.corpora:
        _report(folder, is_listed=options.listed)


def _report(folder: Path, *, is_listed: bool) -> None:
    corpus = load_corpus(folder)
    counts: Counter[tuple[str, str]] = Counter()
    times = []
    for fetched in corpus.pages.values():
        try:
            page = parse_page(fetched.html, fetched.url, content_type=fetched.content_type)
        except PageError:
            continue
        start = process_time()
        found = find_elsewhere(page)
        comments = declared_comments(page)
        times.append(1000 * (process_time() - start))
        for each in found:
            counts[each.vendor, "pages"] += 1
            counts[each.vendor, "account"] += each.account is not None
            counts[each.vendor, "thread"] += each.thread is not None
            if is_listed:
                print(fetched.url, each)
        if comments:
            counts["(JSON in the page)", "pages"] += 1
            if is_listed:
                print(fetched.url, len(comments), comments[0])
    vendors = [(number, vendor) for (vendor, what), number in counts.items() if what == "pages"]
    for number, vendor in sorted(vendors, reverse=True):
        account, thread = counts[vendor, "account"], counts[vendor, "thread"]
        print(f"| {corpus.name} | {vendor} | {number} | {account} | {thread} |")
    longest = max(times)
    print(f"| {corpus.name}, ms per page | {fmean(times):.1f}, at most {longest:.0f} | | | |")


if __name__ == "__main__":
    main()
