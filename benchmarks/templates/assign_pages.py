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
from detourage.template.continuity import match_groups
from detourage.template.groups import group_site
from detourage.template.matrix import size_tolerant_distances

CORPORA = ("daniel", "dragnet", "cleanportaleval", "msv_big9")
FEWEST_PAGES = 9
HELD_OUT = 3
"""Interval at which pages are held out and treated as new."""

TIMED_NODES = (900, 1100)
TIMED_GROUPS = 10


def main() -> None:
    """Print the agreement and the times."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    trees_of = read_sites(parser.parse_args().corpora)
    print_agreement(trees_of)
    print_times(trees_of)


def read_sites(corpora: Path) -> dict[str, dict[str, Tree]]:
    """Return the trees by site and page ID."""
    trees_of: defaultdict[str, dict[str, Tree]] = defaultdict(dict)
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
                trees_of[f"{corpus} {message['site']}"][message["id"]] = page.tree
    return trees_of


def print_agreement(trees_of: dict[str, dict[str, Tree]]) -> None:
    """Cluster two thirds of each site, assign the rest, and compare with clustering all pages."""
    agreed = refused = elsewhere = joined = new = sites = 0
    for site, trees in trees_of.items():
        if len(trees) < FEWEST_PAGES:
            continue
        sites += 1
        names = sorted(trees)
        whole = group_site(site, names, [trees[name] for name in names]).grouping
        old = [name for place, name in enumerate(names) if place % HELD_OUT]
        found = group_site(site, old, [trees[name] for name in old])
        former = {
            number: {old[member] for member in group.members}
            for number, group in enumerate(found.grouping.groups, start=1)
        }
        groups = [{names[member] for member in group.members} for group in whole.groups]
        identity_of = {
            name: identity
            for identity, group in zip(match_groups(former, groups), groups, strict=True)
            for name in group
        }
        distances = size_tolerant_distances(found.distances, [len(trees[name]) for name in old])
        standing = [
            (number, old[place])
            for number, group in enumerate(found.grouping.groups, start=1)
            for place in representatives(distances, group)
        ]
        for name in names[::HELD_OUT]:
            assigned = assign_tree(
                trees[name], [trees[each] for _, each in standing], [each for each, _ in standing]
            ).group
            expected = identity_of.get(name)
            if expected is not None and expected not in former:
                new += 1
            elif assigned == expected:
                agreed += 1
            elif assigned is None:
                refused += 1
            elif expected is None:
                joined += 1
            else:
                elsewhere += 1
    print(
        f"{sites} sites, {agreed + refused + joined + elsewhere + new} new pages, compared with a"
        f" clustering of all pages: {agreed} have the same group or likewise none, {refused} have"
        f"  no group but are grouped by the clustering, {joined} have a group but are outliers of"
        f" the clustering, {elsewhere} have another group, {new} belong to a group that did not"
        " exist before"
    )


def print_times(trees_of: dict[str, dict[str, Tree]]) -> None:
    """Assign pages of 1,000 nodes to ten representatives of that size, and print the times."""
    low, high = TIMED_NODES
    large = {
        site: [tree for _, tree in sorted(trees.items()) if low <= len(tree) <= high]
        for site, trees in sorted(trees_of.items())
    }
    first = [trees[0] for trees in large.values() if trees]
    for kind, cases in {
        "one representative from the page's own site, nine from other sites": [
            (trees[1], [trees[0], *(tree for tree in first if tree is not trees[0])])
            for trees in large.values()
            if len(trees) > 1
        ],
        "ten representatives from the page's own site": [
            (trees[-1], trees[:TIMED_GROUPS])
            for trees in large.values()
            if len(trees) > TIMED_GROUPS
        ],
    }.items():
        times = []
        for tree, standing in cases:
            started = time.process_time()
            assign_tree(tree, standing[:TIMED_GROUPS], range(len(standing[:TIMED_GROUPS])))
            times.append(1000 * (time.process_time() - started))
        print(
            f"{kind}: {len(times)} pages, median {np.median(times):.1f} ms,"
            f" at most {max(times):.1f} ms"
        )


if __name__ == "__main__":
    main()
