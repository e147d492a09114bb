"""Run the campaign of hostile messages and record the results.

python -m benchmarks.faults.hostile.report [SEED] [SHARE]

With a share below 1, fewer messages are sent in less time, and the results are only printed.
"""

import os
import sys
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click

from benchmarks.documents import FAULTS as DOCUMENT
from benchmarks.documents import replace_section, table
from benchmarks.faults.hostile.campaign import MAX_WAIT_RATIO, Report, run
from benchmarks.faults.hostile.sent import Kind
from benchmarks.faults.hostile.waits import Phase

TITLE = "Hostile messages"  # heading of the section in the README
PHASE_COLUMNS = (
    *("phase", "hostile pages:", "all done after, s:", "good pages of", "number:"),
    *("wait, median, s:", "95 %, s:", "maximum, s:"),
)


def main(seed: int = 1, share: float = 1) -> int:
    """Run the campaign, and write the section if it is complete; return 1 if there are problems."""
    home = Path(tempfile.mkdtemp(prefix="detourage-hostile-"))
    report = run(home, seed=seed, share=share)
    lines = _section_lines(report, seed)
    click.echo("\n".join(lines))
    for problem in report.problems:
        click.echo(f"PROBLEM {problem[:500]}", err=True)
    click.echo(f"logs: {home}", err=True)
    if share == 1:
        replace_section(DOCUMENT, TITLE, lines)
    return min(1, len(report.problems))


def _section_lines(report: Report, seed: int) -> list[str]:
    """Return the section of the README as Markdown lines."""
    totals: Counter[str] = Counter()
    for results in report.results.values():
        totals.update(results)
    return [
        *textwrap.wrap(_describe_campaign(report, seed), 98),
        "",
        f"All messages: {_counts(totals)}. Good pages: {_counts(report.good)}.",
        f"Problems: {len(report.problems)}.",
        *(f"- {problem}" for problem in report.problems),
        "",
        *textwrap.wrap(_describe_waits(report), 98),
        "",
        *table(PHASE_COLUMNS, chain.from_iterable(map(_wait_rows, report.phases))),
        "",
        *table(
            ("hostile part", "kind", "messages:", "outcomes or reasons"),
            (
                (kind.part, kind.name, results.total(), _counts(results))
                for kind, results in sorted(report.results.items(), key=_part_and_name)
            ),
        ),
        "",
        *table(
            ("process", "maximum memory, MiB:"),
            ((name, size >> 20) for name, size in sorted(report.memory.items())),
        ),
        "",
        *table(
            ("work", "pieces:", "maximum CPU time of one, s:"),
            (
                (work, number, f"{most:.1f}")
                for work, (number, most) in sorted(report.slowest.items())
            ),
        ),
    ]


def _describe_campaign(report: Report, seed: int) -> str:
    return (
        f"{report.messages} hostile messages of {len(report.results)} kinds were sent together with"
        f" {report.good.total()} good pages (seed {seed}), through one process of each kind and a"
        f" pool of two, in {report.seconds:.0f} seconds. The messages are hostile in every field,"
        " header and property, in the page itself, or as crowds of pages; some of them claim the"
        " sites of the good pages as their own. Each message must end in exactly one way, and each"
        " good"
        " page must produce its article. Nothing may be delivered twice, no process may exit or use"
        " a gibibyte of memory, no piece of work may take ten seconds of CPU time, and no log may"
        " contain a password, a traceback or a line forged by a message. An operator's commands"
        " must work on the result. `make hostile` generates this section."
    )


def _describe_waits(report: Report) -> str:
    calm, _ = report.phases
    return (
        "Good pages of the sample crawl are sent at an even pace: first on their own, then again"
        " from the same sites, alongside crowds of pages that make harmful claims about each other."
        f" Sending takes {calm.sending_seconds:.0f} seconds in each phase. The tables show how long"
        " each page waits, from just before it is published until its article is delivered."
        " Pages of new sites, which are sent before their site has an article, wait for its first"
        f" clustering. Neither kind may wait more than {MAX_WAIT_RATIO:g} times as long alongside"
        " the crowds (median, 95 %)."
        " The load average of"
        f" the minute before was {report.load:.1f} on {os.cpu_count()} CPUs."
    )


def _wait_rows(phase: Phase) -> Iterator[tuple[object, ...]]:
    """Yield a row of waiting times for known sites, and one for new sites."""
    for sites, spread in phase.spreads.items():
        waits = (f"{seconds:.1f}" for seconds in spread)
        number = len(phase.waits[sites])
        yield (phase.name, phase.hostile, f"{phase.seconds:.0f}", sites, number, *waits)


def _part_and_name(counted: tuple[Kind, Counter[str]]) -> tuple[str, str]:
    kind, _ = counted
    return kind.part, kind.name


def _counts(results: Counter[str]) -> str:
    return ", ".join(f"{ending} {number}" for ending, number in results.most_common())


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(main(int(arguments[0]) if arguments else 1, float((arguments[1:] or ["1"])[0])))
