"""Tables and progress that the service's commands show."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column, Table
from rich.text import Text

from detourage.cli.display import LINE_SECONDS
from detourage.outcomes import PageOutcome
from detourage.text.plural import pluralise
from detourage.text.terminal import printable
from worker.outcomes import PENDING
from worker.store.progress import SiteTotals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from worker.local.run import RunSummary
    from worker.store.addresses import JoinedAddress
    from worker.store.progress import RunProgress, SiteHistory, SiteStatus

FILE_COLUMNS = 200  # width of tables that are not written to a terminal, in characters
DEFAULT_SITES_SHOWN = 20  # number of sites in a table, and of notes below it

OWN_COLUMNS = (PageOutcome.ARTICLE, PageOutcome.FAILED, PENDING)  # the other outcomes share one

console = Console(stderr=True)


def wide_output() -> Console:
    """Return a console for standard output, wide enough for tables if it is not a terminal."""
    out = Console()
    if not out.is_terminal:
        out.width = FILE_COLUMNS
    return out


def say(out: Console, text: str) -> None:
    """Print a line, without interpreting any markup or control sequences in it."""
    out.print(Text(printable(text)), soft_wrap=True)


def print_status(
    totals: SiteTotals,
    sites: Sequence[SiteStatus],
    top: int | None,
    history: SiteHistory | None,
    depths: Mapping[str, int],
) -> None:
    """Print the state of a deployment, with the history of a single requested site."""
    out = Console()
    for line in _total_lines(totals):
        say(out, line)
    _print_sites(out, sites, DEFAULT_SITES_SHOWN if top is None else top, "--top")
    if history:
        wide_output().print(_history_table(history))
        for change in history.changes:
            groups = ", ".join(map(str, change.new_groups)) or "none"
            gone = ", ".join(map(str, change.gone_groups)) or "none"
            say(
                out,
                f"design changed with {change.first_url}, fetched {change.since:%Y-%m-%d %H:%M}:"
                f" {change.new_share:.0%} of the newest pages are in new groups or in none;"
                f" new groups: {groups}; groups without new pages: {gone}",
            )
        if history.addresses:
            say(out, f"joined addresses: {_counts_as_text(history.addresses)}")
    print_queues(depths)


def print_queues(depths: Mapping[str, int]) -> None:
    """Print the number of messages in each queue."""
    queues = Table("queue", Column("messages", justify="right"), box=SIMPLE)
    for name, depth in depths.items():
        queues.add_row(Text(printable(name)), str(depth))
    Console().print(queues)


def print_addresses(addresses: Sequence[JoinedAddress]) -> None:
    """Print joined addresses, one per line."""
    out = wide_output()
    table = Table("address", "joined as", "since", "page", box=SIMPLE, padding=0, pad_edge=False)
    for each in addresses:
        since = f" {each.since:%Y-%m-%d %H:%M} "
        shown = [Text(printable(text)) for text in (each.address, f" {each.kind} ", since)]
        table.add_row(*shown, Text(printable(each.canonical)))
    out.print(table)


def print_summary(summary: RunSummary, output: Path, *, all_sites: bool = False) -> None:
    """Print the result of a run: its output files, and its largest sites or all of them."""
    counts = summary.progress
    totals = SiteTotals.of(summary.sites)
    say(
        console,
        f"{pluralise(summary.sent, 'message')}, {pluralise(counts.pages, 'page')} of"
        f" {pluralise(totals.sites, 'site')}, {pluralise(totals.groups, 'group')},"
        f" {pluralise(totals.outliers, 'outlier')}, {summary.seconds:.1f} seconds",
    )
    for title, numbers in (
        ("messages", counts.results),
        ("outcomes", counts.outcomes),
        ("unusable", counts.quarantine_reasons),
    ):
        if numbers:
            say(console, f"{title}: {_counts_as_text(numbers)}")
    say(console, f"{pluralise(summary.articles, 'article')} in {output}")
    sites = sorted(summary.sites, key=lambda site: (-site.pages, site.key))
    shown = len(sites) if all_sites else DEFAULT_SITES_SHOWN
    _print_sites(console, sites, shown, "--all-sites")


def _total_lines(totals: SiteTotals) -> Iterator[str]:
    yield (
        f"{pluralise(totals.sites, 'site')}, {pluralise(totals.pages, 'page')},"
        f" {pluralise(totals.groups, 'group')}, {pluralise(totals.outliers, 'outlier')}"
    )
    if totals.outcomes:
        yield f"outcomes: {_counts_as_text(totals.outcomes)}"
    for name, number, unit in (
        ("being extracted again", totals.again, "page"),
        ("doubtful", totals.doubtful, "article"),
        ("quarantined", totals.not_clustered, "site"),
        ("mostly doubtful in the last day", totals.dark, "site"),
        ("design changed", totals.changed_design, "site"),
    ):
        if number:
            yield f"{name}: {pluralise(number, unit)}"


def _print_sites(out: Console, sites: Sequence[SiteStatus], top: int, option: str) -> None:
    """Print a table of the first ``top`` sites, then notes; refer to ``option`` for more."""
    if shown := sites[:top]:
        out.print(_site_table(shown))
    if len(shown) < len(sites):
        say(out, f"and {pluralise(len(sites) - len(shown), 'more site')} (see {option})")
    for site in shown:
        if site.changed_design:
            say(out, f"{site.key}: new design since {site.changed_design:%Y-%m-%d %H:%M}")
    # Sites with problems are rare, and must be noticed even if they have few pages.
    notes = [
        f"{site.key}: in quarantine since {site.not_clustered_since:%Y-%m-%d %H:%M}:"
        f" {site.not_clustered_because}"
        for site in sites
        if site.not_clustered_since
    ]
    doubtful_keys = [site.key for site in sites if site.dark]
    notes += [f"{key}: most articles from the last day are doubtful" for key in doubtful_keys]
    for note in notes[:DEFAULT_SITES_SHOWN]:
        say(out, note)
    if len(notes) > DEFAULT_SITES_SHOWN:
        say(out, f"and {pluralise(len(notes) - DEFAULT_SITES_SHOWN, 'more site')} like these")


def _site_table(sites: Sequence[SiteStatus]) -> Table:
    columns = {
        "pages": [site.pages for site in sites],
        "articles": [site.outcomes.get(PageOutcome.ARTICLE, 0) for site in sites],
        "other": [
            sum(number for outcome, number in site.outcomes.items() if outcome not in OWN_COLUMNS)
            for site in sites
        ],
        "failed": [site.outcomes.get(PageOutcome.FAILED, 0) for site in sites],
        "pending": [site.pending for site in sites],
        "again": [site.again for site in sites],
        "doubtful": [site.doubtful for site in sites],
        "groups": [len(site.groups) for site in sites],
        "outliers": [site.outliers for site in sites],
    }
    table = Table(Column("site", overflow="fold"), box=SIMPLE, padding=0, pad_edge=False)
    for name in columns:
        if any(columns[name]):
            table.add_column(name, justify="right", no_wrap=True)
    for site, *numbers in zip(sites, *filter(any, columns.values()), strict=True):
        table.add_row(Text(printable(site.key)), *map(str, numbers))
    return table


def _counts_as_text(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


def _history_table(history: SiteHistory) -> Table:
    until = () if all(group.size for group in history.groups) else ("until",)
    example = Column("compared with", overflow="fold")  # URLs may differ only at their ends
    table = Table("group", "pages", "at most", "since", *until, example, box=SIMPLE, padding=0)
    for group in history.groups:
        until_cell = "" if group.size else f"{group.until:%Y-%m-%d %H:%M} "
        table.add_row(
            str(group.number),
            str(group.size) if group.size else "gone",
            str(group.largest),
            f"{group.since:%Y-%m-%d %H:%M} ",
            *([until_cell] if until else []),
            Text(printable(group.example)),
        )
    return table


@contextmanager
def bars_by_stage() -> Iterator[Callable[[int, RunProgress], None]]:
    """Show the progress of a run; the yielded function updates it with new counts.

    Without a terminal, it prints a line at most every `LINE_SECONDS` instead of bars.
    """
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        tasks = {}
        last_line, most_messages = time.monotonic(), 0

        def update(sent: int, counts: RunProgress) -> None:
            nonlocal last_line, most_messages
            most_messages = max(most_messages, counts.outbox)
            pages = counts.pages + max(0, sent - counts.received)  # each message may be a page
            stages = {
                "intake": (counts.received, sent),
                "comparison": (counts.compared, counts.pairs),
                "grouping": (counts.grouped, pages),
                "extraction": (max(0, counts.pages - counts.pending), pages),
                # Articles and tasks wait in the outbox, also after the last extraction.
                "publishing": (most_messages - counts.outbox, most_messages),
            }
            for stage, (done, total) in stages.items():
                if stage not in tasks:
                    tasks[stage] = progress.add_task(stage, total=None)
                progress.update(tasks[stage], completed=done, total=total or None)
            if not console.is_terminal and time.monotonic() - last_line >= LINE_SECONDS:
                last_line = time.monotonic()
                parts = (f"{stage} {done}/{total}" for stage, (done, total) in stages.items())
                say(console, ", ".join(parts))

        yield update
