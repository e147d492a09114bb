"""Try every fault and write down what it did.

python -m tests.faults.report [PAGES] > docs/faults.md
"""

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import click

from tests.faults.proving_ground import ProvingGround, Servers
from tests.faults.scenarios import FAULTS, Trial, try_fault

DEFAULT_PAGES = 60

HEAD = """# Faults

Each fault is produced while {pages} pages of a site, each published twice, are on their way
through real processes (two relays, one intake, one worker of two processes, one beat) with a
RabbitMQ and a PostgreSQL of their own. What ends by itself is started again, as a container
manager does. The counts are those of the database and of the queue of articles. `make faults`
makes this table.

- *lost*: pages without an outcome, or revisions without an article.
- *doubled*: revisions that came under two ids.
- *repeats*: articles that came again under their own id, which a consumer recognises.
- *recovery*: from the end of the fault, or of the publishing where that was later, to the last
  outcome.
"""

COLUMNS = (
    *("fault", "how", "messages", "pages", "outcomes", "lost", "doubled", "repeats"),
    *("in quarantine", "recovery, s"),
)


def main(pages: int) -> None:
    """Print the table."""
    home = Path(tempfile.mkdtemp(prefix="detourage-faults-"))
    click.echo(HEAD.format(pages=pages))
    click.echo(_line(COLUMNS))
    click.echo(_line(["---"] * len(COLUMNS)))
    with Servers(home) as servers, ProvingGround(servers, home, {"relay": 2}) as ground:
        before = 0
        for name, fault in FAULTS.items():
            trial = try_fault(ground, name, pages)
            quarantined = len(ground.quarantined())
            click.echo(_row(name, fault.__doc__ or "", trial, quarantined - before))
            before = quarantined


def _row(name: str, how: str, trial: Trial, quarantined: int) -> str:
    found = trial.balance
    outcomes = ", ".join(f"{outcome} {number}" for outcome, number in found.outcomes.items())
    counts = (trial.sent, trial.pages, outcomes, len(found.lost), len(found.doubled))
    end = (found.repeats, quarantined, f"{trial.recovery_seconds:.0f}")
    return _line([name, how.strip().rstrip("."), *counts, *end])


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_PAGES)
