"""Measurement of tree distances: ``python -m benchmarks.distance CORPORA`` prints Markdown."""

import argparse
from pathlib import Path

from benchmarks.distance import against_peers, large_sites, matrices
from benchmarks.distance.corpora import read_sites

MEASUREMENTS = ("pairs", "edist", "cells", "memory", "matrices", "threads", "references")
NODE_COUNTS = (300, 1_000, 2_500)  # default sizes of the compared trees


def main() -> None:
    """Run the measurements selected by ``--only``, and print a table of each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.distance", description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of corpora with pages.jsonl.gz")
    parser.add_argument(
        "--nodes", type=int, nargs="+", default=NODE_COUNTS, help="sizes of the compared trees"
    )
    parser.add_argument("--pairs", type=int, default=6, help="number of pairs per size")
    parser.add_argument(
        "--patience",
        type=float,
        default=60,
        help="time limit of peers per pair, in seconds; apted needs 150 for 1,000 nodes",
    )
    parser.add_argument(
        "--generated", type=int, nargs="+", default=[1_000], help="pages per generated site"
    )
    parser.add_argument("--only", choices=MEASUREMENTS, nargs="+", default=MEASUREMENTS)
    options = parser.parse_args()
    sites = read_sites(options.corpora)
    if "pairs" in options.only:
        for nodes in options.nodes:
            against_peers.compare_tools(sites, nodes, options.pairs, options.patience)
    if "edist" in options.only:
        against_peers.print_edist_head()
        for nodes in options.nodes:
            against_peers.compare_with_edist(sites, nodes, 4 * options.pairs)
    if "cells" in options.only:
        against_peers.time_per_cell(sites, [150, 300, 600, 1_200, 2_500], options.pairs)
    if "memory" in options.only:
        for nodes in options.nodes:
            against_peers.measure_memory(sites, nodes, options.patience)
    if "matrices" in options.only:
        matrices.time_matrices(sites)
    if "threads" in options.only:
        matrices.compare_threads(sites)
    if "references" in options.only:
        large_sites.measure_real(sites)
        for pages in options.generated:
            large_sites.measure_generated(pages)


if __name__ == "__main__":
    main()
