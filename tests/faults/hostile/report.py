"""Run the campaign of hostile messages and write down what became of it.

python -m tests.faults.hostile.report [SEED] [MESSAGES OF EACH KIND AT MOST]
"""

import sys
import tempfile
import textwrap
from collections import Counter
from pathlib import Path

import click

from tests.faults.documents import FAULTS as DOCUMENT
from tests.faults.documents import replace_section, table
from tests.faults.hostile.campaign import GOOD_SITES, Report, run
from tests.faults.hostile.sent import Kind

TITLE = "Hostile messages"


def main(seed: int, most: int | None) -> int:
    """Write the section, of a whole campaign; return the number of problems."""
    home = Path(tempfile.mkdtemp(prefix="detourage-hostile-"))
    report = run(home, seed=seed) if most is None else run(home, seed=seed, most=most)
    lines = _lines(report, seed)
    click.echo("\n".join(lines))
    for problem in report.problems:
        click.echo(f"PROBLEM {problem[:500]}", err=True)
    click.echo(f"logs: {home}", err=True)
    if most is None:
        replace_section(DOCUMENT, TITLE, lines)
    return len(report.problems)


def _lines(report: Report, seed: int) -> list[str]:
    ended: Counter[str] = Counter()
    for results in report.results.values():
        ended.update(results)
    return [
        *textwrap.wrap(_what_was_done(report, seed), 98),
        "",
        f"All messages: {_counts(ended)}. Good pages: {_counts(report.good)}.",
        f"Problems: {len(report.problems)}.",
        "",
        *table(
            ("what", "kind", "messages:", "ended as"),
            (
                (kind.part, kind.name.replace("|", "\\|"), results.total(), _counts(results))
                for kind, results in sorted(report.results.items(), key=_by_part)
            ),
        ),
        "",
        *table(
            ("process", "most memory, MiB:"),
            ((name, size >> 20) for name, size in sorted(report.memory.items())),
        ),
        "",
        *table(
            ("work", "pieces:", "most CPU for one, s:"),
            (
                (work, number, f"{most:.1f}")
                for work, (number, most) in sorted(report.slowest.items())
            ),
        ),
    ]


def _what_was_done(report: Report, seed: int) -> str:
    return (
        f"{report.messages} messages of {len(report.results)} kinds, hostile in every field, header"
        f" and property and as pages, and {report.good.total()} good pages of {len(GOOD_SITES)}"
        " sites, which a part of the hostile pages claims to be of, shuffled"
        f" (seed {seed}), through one process of each kind and a pool of two, in"
        f" {report.seconds:.0f} seconds. Each message must end in one way, each good page as its"
        " article; nothing may come twice, no process may end or hold a gibibyte, no piece of work"
        " may take ten seconds of the processor, no log may hold a password, a trace or a line that"
        " a message forged, and an operator's commands must work on what is left."
        " `make hostile` makes this section."
    )


def _by_part(counted: tuple[Kind, Counter[str]]) -> tuple[str, str]:
    kind, _ = counted
    return kind.part, kind.name


def _counts(results: Counter[str]) -> str:
    return ", ".join(f"{ending} {number}" for ending, number in results.most_common())


if __name__ == "__main__":
    arguments = [int(each) for each in sys.argv[1:]]
    sys.exit(
        min(
            1,
            main(arguments[0] if arguments else 1, arguments[1] if len(arguments) > 1 else None),
        )
    )
