"""Comparison of all implementations on the same pairs in a single run."""

import statistics
from functools import partial

from benchmarks.distance.corpora import Sites, pages_of_different_sites, pairs_of_size
from benchmarks.distance.implementations import (
    OUR_UNITS,
    OURS,
    PEERS,
    WHOLE_TABLES,
    Tool,
    agree,
    count_cells,
)
from benchmarks.distance.measure import cpu_seconds, peak_megabytes, time_call
from detourage.html import Tree


def compare_tools(sites: Sites, nodes: int, count: int, patience: float) -> None:
    """Print a row per pair with this project's time, and each peer's time as a multiple of it.

    A peer is skipped if its time, estimated from its previous pair, exceeds `patience` seconds.
    """
    pairs = pairs_of_size(sites, nodes, count)
    tools = OURS | OUR_UNITS | PEERS
    print(f"\n### Pairs of about {nodes} nodes\n")
    print(f"| site | nodes | distance | ours, ms | {' | '.join(list(tools)[1:])} | agree |")
    print("|---" * (len(tools) + 4) + "|")
    ratios: dict[str, list[float]] = {name: [] for name in tools}
    seconds_per_cell: dict[str, float] = {}
    for site, tree, other in pairs:
        times: dict[str, float] = {}
        distances: dict[str, int] = {}
        cell_count = count_cells(tree, other)
        for name, tool in tools.items():
            pace = seconds_per_cell.get(name, _GUESSED_PACE.get(name, 0.0))
            if name in PEERS and pace * cell_count > patience:
                continue
            distances[name], times[name] = time_call(partial(tool, tree, other))
            seconds_per_cell[name] = times[name] / cell_count
        for name, seconds in times.items():
            ratios[name].append(seconds / times["ours"])
        cells = [f"{times[n] / times['ours']:,.3g}" if n in times else "" for n in list(tools)[1:]]
        print(
            f"| {site} | {len(tree)}, {len(other)} "
            f"| {distances['ours']} | {times['ours'] * 1e3:.2f} | {' | '.join(cells)} "
            f"| {'yes' if agree(distances) else 'NO'} |",
            flush=True,
        )
    medians = [f"{statistics.median(r):,.3g}" if r else "" for r in list(ratios.values())[1:]]
    minima = [f"{min(r):,.3g}" if r else "" for r in list(ratios.values())[1:]]
    print(f"| median | | | | {' | '.join(medians)} | |")
    print(f"| least | | | | {' | '.join(minima)} | |")


_GUESSED_PACE = {"edist": 2e-8, "zss": 3e-5, "apted": 5e-6}
"""Estimated seconds per cell for each peer, used until the peer is first measured."""


def compare_with_edist(sites: Sites, nodes: int, count: int) -> None:
    """Print the speed-up over edist for `count` pairs of the same site and of different sites."""
    related = pairs_of_size(sites, nodes, count)
    pages = pages_of_different_sites(sites, nodes)
    kinds = {
        "one site": [(tree, other) for _, tree, other in related],
        "different sites": list(zip(pages[::2], pages[1::2], strict=False))[:count],
    }
    for kind, pairs in kinds.items():
        ratios: dict[str, list[float]] = {name: [] for name in OUR_UNITS}
        agreed = 0
        for tree, other in pairs:
            distance, seconds = time_call(partial(_EDIST, tree, other))
            distances = {"edist": distance}
            for name, tool in OUR_UNITS.items():
                distances[name], our_seconds = time_call(partial(tool, tree, other))
                ratios[name].append(seconds / our_seconds)
            agreed += agree(distances)
        cells = [f"{statistics.median(r):.0f} ({min(r):.0f})" for r in ratios.values()]
        print(f"| {nodes} | {kind} | {len(pairs)} | {' | '.join(cells)} | {agreed} |", flush=True)


def print_edist_head() -> None:
    """Print the header of the table whose rows `compare_with_edist` prints."""
    print("\n### Speed-up over edist: median over the pairs (minimum)\n")
    print(f"| nodes | pages of | pairs | {' | '.join(OUR_UNITS)} | agree |")
    print("|---" * (len(OUR_UNITS) + 4) + "|")


_EDIST = PEERS["edist"]  # the fastest peer


def time_per_cell(sites: Sites, sizes: list[int], count: int) -> None:
    """Print the time per cell for completely computed tables, and the growth of time with size."""
    print("\n### A cell of the whole tables, and growth\n")
    print("| nodes | million cells | ours, ms | " + " | ".join(WHOLE_TABLES) + " (ns a cell) |")
    print("|---" * (len(WHOLE_TABLES) + 3) + "|")
    for nodes in sizes:
        pairs = [(tree, other) for _, tree, other in pairs_of_size(sites, nodes, count)]
        mean_cells = statistics.mean(count_cells(*trees) for trees in pairs)
        ours = statistics.mean(_cpu_seconds(OURS["ours"], *trees) for trees in pairs)
        nanoseconds = [
            1e9
            * statistics.median(_cpu_seconds(tool, *trees) / count_cells(*trees) for trees in pairs)
            for tool in WHOLE_TABLES.values()
        ]
        print(
            f"| {nodes} | {mean_cells / 1e6:.1f} | {ours * 1e3:.2f} | "
            + " | ".join(f"{pace:.2f}" for pace in nanoseconds)
            + " |",
            flush=True,
        )


def _cpu_seconds(tool: Tool, tree: Tree, other: Tree) -> float:
    return cpu_seconds(partial(tool, tree, other))


def measure_memory(sites: Sites, nodes: int, patience: float) -> None:
    """Print by how much each tool raises the peak memory when it compares a pair."""
    _, tree, other = pairs_of_size(sites, nodes, 1)[0]
    print(f"\n### Peak memory, a pair of {len(tree)} and {len(other)} nodes, MB\n")
    for name, tool in (OURS | WHOLE_TABLES | PEERS).items():
        if name in PEERS and _GUESSED_PACE[name] * count_cells(tree, other) > patience:
            continue
        print(f"- {name}: {peak_megabytes(partial(tool, tree, other)):.1f}", flush=True)
