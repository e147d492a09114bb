"""Print the speed of assigning new pages, and how often it agrees with clustering.

Run with ``python -m benchmarks.templates.assign_pages CORPORA``; it takes a minute on one core.
"""

import argparse
import base64
import gzip
import json
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from detourage.html import PageError, Tree, parse_page
from detourage.template.assignment import assign_tree, representatives
from detourage.template.design_changes import match_groups
from detourage.template.groups import group_site
from detourage.template.matrix import size_tolerant_distances

CORPORA = ("daniel", "dragnet", "cleanportaleval", "msv_big9")
MIN_PAGES = 9  # smaller sites are skipped
HELD_OUT_INTERVAL = 3  # interval at which pages are held out and treated as new

TIMED_NODE_RANGE = (900, 1100)  # minimum and maximum size of a timed page
TIMED_GROUPS = 10
"""Number of representatives with which a page is compared when the time is measured."""


def main() -> None:
    """Print the agreement and the times."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    trees_by_site = read_sites(parser.parse_args().corpora)
    print_agreement(trees_by_site)
    print_times(trees_by_site)


def read_sites(corpora: Path) -> dict[str, dict[str, Tree]]:
    """Return the trees by site and page ID."""
    trees_by_site: defaultdict[str, dict[str, Tree]] = defaultdict(dict)
    for corpus in CORPORA:
        with gzip.open(corpora / corpus / "pages.jsonl.gz", "rt", encoding="utf-8") as lines:
            for message in map(json.loads, lines):
                html = message.get("html") or base64.b64decode(message["html_base64"])
                try:
                    page = parse_page(
                        html, message["url"], content_type=message.get("content_type")
                    )
                except PageError:
                    continue
                trees_by_site[f"{corpus} {message['site']}"][message["id"]] = page.tree
    return trees_by_site


def print_agreement(trees_by_site: dict[str, dict[str, Tree]]) -> None:
    """Cluster two thirds of each site, assign the rest, and compare with clustering all pages."""
    agreed = refused = misplaced = intruders = new = sites = 0
    for site, trees in trees_by_site.items():
        if len(trees) < MIN_PAGES:
            continue
        sites += 1
        names = sorted(trees)
        grouping_of_all = group_site(site, names, [trees[page] for page in names]).grouping
        clustered_pages = [page for index, page in enumerate(names) if index % HELD_OUT_INTERVAL]
        clustering = group_site(site, clustered_pages, [trees[page] for page in clustered_pages])
        former_groups = {
            number: {clustered_pages[member] for member in group.members}
            for number, group in enumerate(clustering.grouping.groups, start=1)
        }
        groups = [{names[member] for member in group.members} for group in grouping_of_all.groups]
        group_of_page = {
            page: identity
            for identity, group in zip(match_groups(former_groups, groups), groups, strict=True)
            for page in group
        }
        distances = size_tolerant_distances(
            clustering.distances, [len(trees[page]) for page in clustered_pages]
        )
        representative_pages = [
            (number, clustered_pages[place])
            for number, group in enumerate(clustering.grouping.groups, start=1)
            for place in representatives(distances, group)
        ]
        for page in names[::HELD_OUT_INTERVAL]:
            assigned = assign_tree(
                trees[page],
                [trees[each] for _, each in representative_pages],
                [each for each, _ in representative_pages],
            ).group
            expected = group_of_page.get(page)
            if expected is not None and expected not in former_groups:
                new += 1
            elif assigned == expected:
                agreed += 1
            elif assigned is None:
                refused += 1
            elif expected is None:
                intruders += 1
            else:
                misplaced += 1
    new_pages = agreed + refused + intruders + misplaced + new
    print(
        f"{sites} sites, {new_pages} new pages, compared with a"
        f" clustering of all pages: {agreed} have the same group or none in both, {refused} have"
        f" no group but are grouped by the clustering, {intruders} have a group but are outliers"
        f" of the clustering, {misplaced} have another group, {new} belong to a group that did not"
        " exist before"
    )


def print_times(trees_by_site: dict[str, dict[str, Tree]]) -> None:
    """Assign pages of 1,000 nodes to ten representatives of that size, and print the times."""
    low, high = TIMED_NODE_RANGE
    trees_in_range = {
        site: [tree for _, tree in sorted(trees.items()) if low <= len(tree) <= high]
        for site, trees in sorted(trees_by_site.items())
    }
    first_trees = [trees[0] for trees in trees_in_range.values() if trees]
    for kind, cases in {
        "one representative from the page's own site, nine from other sites": [
            (trees[1], [trees[0], *(tree for tree in first_trees if tree is not trees[0])])
            for trees in trees_in_range.values()
            if len(trees) > 1
        ],
        "ten representatives from the page's own site": [
            (trees[-1], trees[:TIMED_GROUPS])
            for trees in trees_in_range.values()
            if len(trees) > TIMED_GROUPS
        ],
    }.items():
        times = []
        for tree, representative_trees in cases:
            started = time.process_time()
            assign_tree(
                tree,
                representative_trees[:TIMED_GROUPS],
                range(len(representative_trees[:TIMED_GROUPS])),
            )
            times.append(1000 * (time.process_time() - started))
        print(
            f"{kind}: {len(times)} pages, median {np.median(times):.1f} ms,"
            f" at most {max(times):.1f} ms"
        )


if __name__ == "__main__":
    main()
