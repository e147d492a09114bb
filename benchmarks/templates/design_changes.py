"""Count the design changes reported for sites; without a redesign, they are false alarms.

    python -m benchmarks.templates.design_changes CORPORA

In every folder with a pages.jsonl.gz, the order of the pages counts as the order in which they were
fetched. daniel and dragnet contain no redesigns; msv_big9 contains four years of each site in
order.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

from detourage.explain.cluster_report import cluster_pages
from detourage.inputs import read_messages
from detourage.template.clusterer import DEFAULT_METHOD
from detourage.template.design_changes import MIN_PAGES, design_change

MIN_SITE_PAGES = 2 * MIN_PAGES
"""Minimum number of pages of a site; no change is ever reported for smaller sites."""


def main(corpora: Path) -> None:
    """Print for each corpus the number of sites with a reported change."""
    print("| corpus | sites | reported |")
    print("|---|---:|---:|")
    for path in sorted(corpora.glob("*/pages.jsonl.gz")):
        messages = list(read_messages(path))
        urls_in_order = defaultdict[str, list[str]](list)
        for message in map(json.loads, messages):
            urls_in_order[message["site"]].append(message["url"])
        clustering = cluster_pages(messages, DEFAULT_METHOD, threads=1, progress=lambda *_: None)
        reported = []
        for site in clustering.sites:
            if len(site.urls) < MIN_SITE_PAGES:
                continue
            group_of: dict[str, int | None] = dict.fromkeys(site.urls)
            for number, group in enumerate(site.grouping.groups):
                group_of.update((site.urls[member], number) for member in group.members)
            ordered_urls = [
                url for url in dict.fromkeys(urls_in_order[site.site]) if url in group_of
            ]
            reported.append(design_change([group_of[url] for url in ordered_urls]) is not None)
        print(f"| {path.parent.name} | {len(reported)} | {sum(reported)} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
