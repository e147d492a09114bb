"""Run with ``python -m benchmarks.distance CORPORA``; the results are Markdown."""

import argparse
from pathlib import Path

from benchmarks.distance import against_peers, matrices
from benchmarks.distance.corpora import read_sites

PARTS = ("pairs", "cells", "memory", "matrices", "threads")
SIZES = (300, 1_000, 2_500)


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.distance", description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of folders with a pages.jsonl.gz each")
    parser.add_argument("--pairs", type=int, default=6, help="pairs of each size")
    parser.add_argument(
        "--patience",
        type=float,
        default=60,
        help="seconds that a peer may take for one pair; apted needs 150 for 1,000 nodes",
    )
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS)
    options = parser.parse_args()
    sites = read_sites(options.corpora)
    if "pairs" in options.only:
        for nodes in SIZES:
            against_peers.compare(sites, nodes, options.pairs, options.patience)
    if "cells" in options.only:
        against_peers.nanoseconds_per_cell(sites, [150, 300, 600, 1_200, 2_500], options.pairs)
    if "memory" in options.only:
        for nodes in SIZES:
            against_peers.memory(sites, nodes, options.patience)
    if "matrices" in options.only:
        matrices.matrices(sites)
    if "threads" in options.only:
        matrices.scaling(sites)


if __name__ == "__main__":
    main()
