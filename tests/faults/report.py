"""Try every fault and write down what it did.

python -m tests.faults.report [PAGES]
"""

import sys
import tempfile
from pathlib import Path

import click

from tests.faults.documents import FAULTS as DOCUMENT
from tests.faults.documents import replace_section, table
from tests.faults.proving_ground import ProvingGround, Servers
from tests.faults.scenarios import FAULTS, PAGES_OF_FLOOD, Trial, flood, try_fault

DEFAULT_PAGES = 40

PAGE_SECONDS = 4
"""Time limit of a page: the one that hangs is to be given up soon."""

COLUMNS = (
    *("fault", "how", "pages:", "outcomes", "lost:", "doubled:", "repeats:"),
    *("in quarantine:", "recovery, s:"),
)

Row = list[object]


def main(pages: int) -> int:
    """Write the table; return the number of pages that were lost or doubled."""
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
            trial = try_fault(ground, name, PAGES_OF_FLOOD if fault is flood else pages)
            quarantined = len(ground.quarantined())
            rows.append(_row(name, fault.__doc__ or "", trial, quarantined - before))
            click.echo(rows[-1], err=True)
            wrong += len(trial.balance.lost) + len(trial.balance.doubled)
            before = quarantined
    replace_section(DOCUMENT, "One fault at a time", table(COLUMNS, rows))
    return wrong


def _row(name: str, how: str, trial: Trial, quarantined: int) -> Row:
    found = trial.balance
    outcomes = ", ".join(f"{outcome} {number}" for outcome, number in found.outcomes.items())
    counts = (trial.pages, outcomes, len(found.lost), len(found.doubled), found.repeats)
    return [name, how.strip().rstrip("."), *counts, quarantined, f"{trial.recovery_seconds:.0f}"]


if __name__ == "__main__":
    sys.exit(min(1, main(int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_PAGES)))
