"""Average page scores to obtain the figures in a table."""

from collections.abc import Mapping, Sequence

from benchmarks.evaluation.bench.results import LABELS, Mean
from benchmarks.evaluation.scores import (
    Difference,
    PageScores,
    bootstrap_interval,
    macro_average,
    paired_difference,
)


def means(
    rows: Sequence[PageScores], best_peers: Mapping[str, Sequence[PageScores]] | None = None
) -> dict[str, Mean]:
    """Average the scores of a method over pages and over sites, by name of score.

    `best_peers` maps each score to the page scores of its best peer, for the paired difference.
    """
    over_sites = macro_average(rows, over="sites")
    averaged: dict[str, Mean] = {}
    for name in LABELS:
        measured = [row for row in rows if name in row.scores]
        if not measured:
            continue
        averaged[name] = Mean(
            pages=bootstrap_interval(
                [row.scores[name] for row in measured], [row.site for row in measured]
            ),
            sites=over_sites[name],
            against_best_peer=_difference(name, measured, (best_peers or {}).get(name, ())),
        )
    return averaged


def _difference(
    name: str, measured: Sequence[PageScores], peer: Sequence[PageScores]
) -> Difference | None:
    """Compare two methods on the pages with a score of both; None if there is no such page."""
    ours = {row.page: row.scores[name] for row in measured}
    theirs = {row.page: row.scores[name] for row in peer if name in row.scores}
    if ours.keys().isdisjoint(theirs):
        return None
    return paired_difference(ours, theirs, {row.page: row.site for row in measured})


def best_by_score(candidates: Mapping[str, Sequence[PageScores]]) -> dict[str, str]:
    """Return, for each score, the method with the highest mean over pages."""
    averages = {method: macro_average(rows) for method, rows in candidates.items() if rows}
    best: dict[str, str] = {}
    for name in LABELS:
        methods_with_score = [method for method, scores in averages.items() if name in scores]
        if methods_with_score:
            best[name] = max(methods_with_score, key=lambda method: averages[method][name])
    return best
