"""Sections and tables that the benchmarks' reports write into Markdown documents."""

from collections.abc import Iterable, Sequence
from pathlib import Path

FAULTS = Path(__file__).parent / "faults" / "README.md"


def replace_section(document: Path, title: str, lines: Iterable[str]) -> None:
    """Replace the section of a Markdown document with the given title, or append it."""
    heading = f"## {title}"
    before, found, rest = document.read_text().partition(f"{heading}\n")
    if not found:
        before = f"{before.rstrip()}\n\n"
    _, next_heading, after = rest.partition("\n## ")
    body = "\n".join([heading, "", *lines])
    document.write_text(f"{before}{body}\n{next_heading}{after}")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a Markdown table.

    A column whose title ends in a colon, which is removed, is aligned to the right.
    """
    titles = [column.rstrip(":") for column in columns]
    rules = ["---:" if column.endswith(":") else "---" for column in columns]
    return [_line(titles), _line(rules), *map(_line, rows)]


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
