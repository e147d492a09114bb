"""Try every fault and record the results.

python -m tests.faults.report [PAGES] [FAULT…]

Without FAULT, all faults are tried, and their table is written to docs/explanation/faults.md. If
faults are named, their table is only printed.
"""

import sys
import tempfile
from collections.abc import Collection
from pathlib import Path

import click

from tests.faults.documents import FAULTS as DOCUMENT
from tests.faults.documents import replace_section, table
from tests.faults.proving_ground import ProvingGround, Servers
from tests.faults.scenarios import FAULTS, PAGES_OF_FLOOD, Trial, flood, try_fault

DEFAULT_PAGES = 40

PAGE_SECONDS = 4
"""Time limit per page, in seconds. It is short, so that pages that hang are soon abandoned."""

COLUMNS = (
    *("fault", "how", "pages:", "outcomes", "lost:", "doubled:", "reordered:", "repeats:"),
    *("in quarantine:", "recovery, s:"),
)

Row = list[object]


def main(pages: int, names: Collection[str]) -> int:
    """Write the table; return the total number of lost pages and doubled revisions."""
    home = Path(tempfile.mkdtemp(prefix="detourage-faults-"))
    rows: list[Row] = []
    wrong = 0
    counts = {"relay": 2, "beat": 2}
    with (
        Servers(home) as servers,
        ProvingGround(servers, home, counts, page_seconds=PAGE_SECONDS) as ground,
    ):
        before = 0
        for name, fault in FAULTS.items():
            if names and name not in names:
                continue
            trial = try_fault(ground, name, PAGES_OF_FLOOD if fault is flood else pages)
            quarantined = len(ground.quarantined())
            # A fault that destroys the broker also destroys the quarantined messages.
            new = max(0, quarantined - before)
            rows.append(_row(name, fault.__doc__ or "", trial, new))
            click.echo(rows[-1], err=True)
            wrong += len(trial.balance.lost) + len(trial.balance.doubled)
            before = quarantined
    lines = table(COLUMNS, rows)
    if names:
        click.echo("\n".join(lines))
    else:
        replace_section(DOCUMENT, "One fault at a time", lines)
    return wrong


def _row(name: str, how: str, trial: Trial, quarantined: int) -> Row:
    found = trial.balance
    outcomes = ", ".join(f"{outcome} {number}" for outcome, number in found.outcomes.items())
    wrong = len(found.lost), len(found.doubled)
    counts = (trial.pages, outcomes, *wrong, found.reordered, found.repeats, quarantined)
    return [name, " ".join(how.split()).rstrip("."), *counts, f"{trial.recovery_seconds:.0f}"]


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(min(1, main(int(arguments[0]) if arguments else DEFAULT_PAGES, arguments[1:])))
