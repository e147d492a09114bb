"""Comparison of all implementations on the same pairs in a single run."""

import statistics
from functools import partial

from benchmarks.distance.corpora import Sites, pairs_of_size, strangers
from benchmarks.distance.measure import cpu_seconds, peak_megabytes, timed
from benchmarks.distance.tools import OURS, PEERS, UNITS, WHOLE_TABLES, Tool, agree, cells
from detourage.html import Tree


def compare(sites: Sites, nodes: int, count: int, patience: float) -> None:
    """Print a row per pair with our time and the peers' times relative to it.

    A peer is skipped if its time, estimated from its previous pair, exceeds `patience` seconds.
    """
    pairs = pairs_of_size(sites, nodes, count)
    tools = OURS | UNITS | PEERS
    print(f"\n### Pairs of about {nodes} nodes\n")
    print(f"| site | nodes | distance | ours, ms | {' | '.join(list(tools)[1:])} | agree |")
    print("|---" * (len(tools) + 4) + "|")
    ratios: dict[str, list[float]] = {name: [] for name in tools}
    pace: dict[str, float] = {}
    for site, a, b in pairs:
        times: dict[str, float] = {}
        distances: dict[str, int] = {}
        size = cells(a, b)
        for name, tool in tools.items():
            if name in PEERS and pace.get(name, _GUESS[name]) * size > patience:
                continue
            distances[name], times[name] = timed(partial(tool, a, b))
            pace[name] = times[name] / size
        for name, seconds in times.items():
            ratios[name].append(seconds / times["ours"])
        shown = [f"{times[n] / times['ours']:,.3g}" if n in times else "" for n in list(tools)[1:]]
        print(
            f"| {site} | {len(a)}, {len(b)} | {distances['ours']} | {times['ours'] * 1e3:.2f} "
            f"| {' | '.join(shown)} | {'yes' if agree(distances) else 'NO'} |",
            flush=True,
        )
    medians = [f"{statistics.median(r):,.3g}" if r else "" for r in list(ratios.values())[1:]]
    least = [f"{min(r):,.3g}" if r else "" for r in list(ratios.values())[1:]]
    print(f"| median | | | | {' | '.join(medians)} | |")
    print(f"| least | | | | {' | '.join(least)} | |")


_GUESS = {"edist": 2e-8, "zss": 3e-5, "apted": 5e-6}
"""Estimated seconds per cell for each peer, used until the peer is first measured."""


def against_edist(sites: Sites, nodes: int, count: int) -> None:
    """Print the speed-up over edist for `count` pairs of the same site and of different sites."""
    related = pairs_of_size(sites, nodes, count)
    pages = strangers(sites, nodes)
    kinds = {
        "one site": [(a, b) for _, a, b in related],
        "different sites": list(zip(pages[::2], pages[1::2], strict=False))[:count],
    }
    for kind, pairs in kinds.items():
        ratios: dict[str, list[float]] = {name: [] for name in UNITS}
        agreed = 0
        for a, b in pairs:
            distance, seconds = timed(partial(_EDIST, a, b))
            distances = {"edist": distance}
            for name, tool in UNITS.items():
                distances[name], ours = timed(partial(tool, a, b))
                ratios[name].append(seconds / ours)
            agreed += agree(distances)
        shown = [f"{statistics.median(r):.0f} ({min(r):.0f})" for r in ratios.values()]
        print(f"| {nodes} | {kind} | {len(pairs)} | {' | '.join(shown)} | {agreed} |", flush=True)


def print_edist_head() -> None:
    """Print the head of the table of `against_edist`."""
    print("\n### Speed-up over edist: median over the pairs (minimum)\n")
    print(f"| nodes | pages of | pairs | {' | '.join(UNITS)} | agree |")
    print("|---" * (len(UNITS) + 4) + "|")


_EDIST = PEERS["edist"]


def nanoseconds_per_cell(sites: Sites, sizes: list[int], count: int) -> None:
    """Print the time per cell for completely computed tables, and the growth of time with size."""
    print("\n### A cell of the whole tables, and growth\n")
    print("| nodes | million cells | ours, ms | " + " | ".join(WHOLE_TABLES) + " (ns a cell) |")
    print("|---" * (len(WHOLE_TABLES) + 3) + "|")
    for nodes in sizes:
        pairs = pairs_of_size(sites, nodes, count)
        number = statistics.mean(cells(a, b) for _, a, b in pairs)
        usual = statistics.mean(_seconds(OURS["ours"], a, b) for _, a, b in pairs)
        paces = [
            statistics.median(_seconds(tool, a, b) / cells(a, b) * 1e9 for _, a, b in pairs)
            for tool in WHOLE_TABLES.values()
        ]
        print(
            f"| {nodes} | {number / 1e6:.1f} | {usual * 1e3:.2f} | "
            + " | ".join(f"{pace:.2f}" for pace in paces)
            + " |",
            flush=True,
        )


def _seconds(tool: Tool, a: Tree, b: Tree) -> float:
    return cpu_seconds(partial(tool, a, b))


def memory(sites: Sites, nodes: int, patience: float) -> None:
    """Print the peak memory of one pair."""
    _, a, b = pairs_of_size(sites, nodes, 1)[0]
    print(f"\n### Peak memory, a pair of {len(a)} and {len(b)} nodes, MB\n")
    for name, tool in (OURS | WHOLE_TABLES | PEERS).items():
        if name in PEERS and _GUESS[name] * cells(a, b) > patience:
            continue
        print(f"- {name}: {peak_megabytes(partial(tool, a, b)):.1f}", flush=True)
