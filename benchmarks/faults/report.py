"""Try every fault and record the results.

python -m benchmarks.faults.report [PAGES] [FAULT…]

Without FAULT, all faults are tried, and their tables are written to benchmarks/faults/README.md. If
faults are named, their tables are only printed. `availability` names all faults of a highly
available deployment.
"""

import sys
import tempfile
from collections.abc import Collection
from pathlib import Path

import click

from benchmarks.documents import FAULTS as DOCUMENT
from benchmarks.documents import replace_section, table
from tests.faults.availability import AVAILABILITY
from tests.faults.proving_ground import ProvingGround, Servers
from tests.faults.scenarios import FAULTS, PAGES_OF_FLOOD, Trial, flood, try_fault

DEFAULT_PAGES = 40  # number of pages sent during each fault

PAGE_SECONDS = 4
"""Time limit per page, in seconds. It is short, so that pages that hang are soon abandoned."""

COLUMNS = (
    *("fault", "how", "pages:", "outcomes", "lost:", "duplicated:", "reordered:", "repeats:"),
    *("in quarantine:", "recovery, s:", "still stalled"),
)

ALL_AVAILABILITY_FAULTS = "availability"  # value of FAULT

PROCESS_COUNTS = {"relay": 2, "beat": 2}  # all other processes run once

Row = list[object]


def main(pages: int, names: Collection[str]) -> int:
    """Write or print the tables; return the number of losses, duplicates and stalled stages."""
    total_errors = 0
    sections = {
        "One fault at a time": (_try_one_by_one, COLUMNS),
        "High availability": (
            _try_on_available_deployment,
            (*COLUMNS, "restarts:", "durations, s"),
        ),
    }
    for title, (attempt, columns) in sections.items():
        rows, errors = attempt(pages, names)
        total_errors += errors
        lines = table(columns, rows)
        if not names:
            replace_section(DOCUMENT, title, lines)
        elif rows:
            click.echo("\n".join(lines))
    return total_errors


def _try_one_by_one(pages: int, names: Collection[str]) -> tuple[list[Row], int]:
    """Return a row for each fault, and the number of losses, duplicates and stalled stages."""
    faults = {name: fault for name, fault in FAULTS.items() if not names or name in names}
    rows: list[Row] = []
    errors = 0
    if not faults:
        return rows, errors
    home = Path(tempfile.mkdtemp(prefix="detourage-faults-"))
    with (
        Servers(home) as servers,
        ProvingGround(servers, home, PROCESS_COUNTS, page_seconds=PAGE_SECONDS) as ground,
    ):
        quarantined_before = 0
        for name, fault in faults.items():
            trial = try_fault(ground, name, fault, PAGES_OF_FLOOD if fault is flood else pages)
            quarantined = len(ground.quarantined())
            # A fault that destroys the broker also destroys the quarantined messages.
            newly_quarantined = max(0, quarantined - quarantined_before)
            rows.append(_table_row(name, fault.__doc__ or "", trial, newly_quarantined))
            click.echo(rows[-1], err=True)
            errors += trial.wrong
            quarantined_before = quarantined
    return rows, errors


def _try_on_available_deployment(pages: int, names: Collection[str]) -> tuple[list[Row], int]:
    """Try faults of a highly available deployment, each on new servers; return rows and errors."""
    rows: list[Row] = []
    errors = 0
    for name, (kind, fault) in AVAILABILITY.items():
        if names and not {name, ALL_AVAILABILITY_FAULTS} & set(names):
            continue
        home = Path(tempfile.mkdtemp(prefix="detourage-faults-"))
        with kind(home) as servers, ProvingGround(servers, home, PROCESS_COUNTS) as ground:
            trial = try_fault(ground, name, fault, pages)
            row = _table_row(name, fault.__doc__ or "", trial, len(ground.quarantined()))
            seconds = ", ".join(f"{what} {took:.1f}" for what, took in trial.seconds.items())
            rows.append([*row, ground.restarts(), seconds])
        click.echo(rows[-1], err=True)
        errors += trial.wrong
    return rows, errors


def _table_row(name: str, how: str, trial: Trial, quarantined: int) -> Row:
    report = trial.report
    outcomes = ", ".join(f"{outcome} {number}" for outcome, number in report.outcomes.items())
    wrong = len(report.lost), len(report.duplicated)
    counts = (trial.pages, outcomes, *wrong, report.reordered, report.repeats, quarantined)
    unfinished = ", ".join(trial.unfinished_work) or "nothing"
    recovery = f"{trial.recovery_seconds:.0f}"
    return [name, " ".join(how.split()).rstrip("."), *counts, recovery, unfinished]


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(min(1, main(int(arguments[0]) if arguments else DEFAULT_PAGES, arguments[1:])))
