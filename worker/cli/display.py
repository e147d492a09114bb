"""What commands show people: tables and sentences on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from models.tables import DesignChange
    from worker.local.run import RunSummary
    from worker.store.progress import SiteHistory, SiteStatus

FILE_COLUMNS = 200
"""Width of tables that go elsewhere than to a terminal, whose width is its own."""

console = Console(stderr=True)


def wide_output() -> Console:
    """Return standard output, wide enough for tables where it is no terminal."""
    out = Console()
    if not out.is_terminal:
        out.width = FILE_COLUMNS
    return out


def print_status(
    sites: Sequence[SiteStatus], history: SiteHistory | None, depths: Mapping[str, int]
) -> None:
    """Print the state of sites, the history of the one asked for, and the depths of queues."""
    out = Console()
    out.print(_site_table(sites))
    _print_changed_designs(out, sites)
    _print_not_clustered(out, sites)
    if history:
        out.print(_history_table(history))
        for change in history.changes:
            out.print(_change_line(change), soft_wrap=True, highlight=False)
    queues = Table("queue", "messages")
    for name, depth in depths.items():
        queues.add_row(name, str(depth))
    out.print(queues)


def print_summary(summary: RunSummary, output: Path) -> None:
    """Print what a run gave, beside its file of articles."""
    if len(summary.sites) <= 40:
        console.print(_site_table(summary.sites))
    _print_changed_designs(console, summary.sites)
    _print_not_clustered(console, summary.sites)
    counts = summary.progress
    groups = sum(len(site.groups) for site in summary.sites)
    outliers = sum(site.outliers for site in summary.sites)
    console.print(
        f"{summary.sent} messages, {counts.pages} pages of {len(summary.sites)} sites,"
        f" {groups} groups, {outliers} outliers, {summary.seconds:.1f} seconds"
    )
    for title, numbers in (
        ("messages", counts.results),
        ("outcomes", counts.outcomes),
        ("unusable", counts.quarantine_reasons),
    ):
        if numbers:
            console.print(f"{title}: {_listed(numbers)}")
    console.print(f"{summary.articles} articles in {output}", soft_wrap=True)


def _site_table(sites: Sequence[SiteStatus]) -> Table:
    table = Table(
        Column("site", no_wrap=True),
        *(Column(name, justify="right") for name in ("pages", "pending", "generation", "outliers")),
        "groups",
        "outcomes",
        box=SIMPLE,
        padding=0,
        pad_edge=False,
    )
    for site in sites:
        table.add_row(
            site.key,
            str(site.pages),
            str(site.pending),
            str(site.generation),
            str(site.outliers),
            ", ".join(f"{number}: {size}" for number, size in site.groups.items()),
            _listed(site.outcomes),
        )
    return table


def _listed(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


def _print_changed_designs(out: Console, sites: Sequence[SiteStatus]) -> None:
    for site in sites:
        if site.changed_design:
            out.print(
                f"{site.key} has a new design since {site.changed_design:%Y-%m-%d %H:%M}",
                soft_wrap=True,
                highlight=False,
            )


def _print_not_clustered(out: Console, sites: Sequence[SiteStatus]) -> None:
    for site in sites:
        if site.not_clustered_since:
            out.print(
                f"{site.key} is in quarantine since {site.not_clustered_since:%Y-%m-%d %H:%M}:"
                f" {site.not_clustered_because}",
                soft_wrap=True,
                highlight=False,
            )


def _history_table(history: SiteHistory) -> Table:
    table = Table("group", "pages", "at most", "since", "until", "compared with")
    for group in history.groups:
        table.add_row(
            str(group.number),
            str(group.size) if group.size else "gone",
            str(group.largest),
            f"{group.since:%Y-%m-%d %H:%M}",
            "" if group.size else f"{group.until:%Y-%m-%d %H:%M}",
            group.example,
        )
    return table


def _change_line(change: DesignChange) -> str:
    groups = ", ".join(map(str, change.new_groups)) or "none"
    gone = ", ".join(map(str, change.gone_groups)) or "none"
    return (
        f"design changed with {change.first_url}, fetched {change.since:%Y-%m-%d %H:%M}:"
        f" {change.new_share:.0%} of the newest pages are new, groups {groups}; gone: {gone}"
    )
