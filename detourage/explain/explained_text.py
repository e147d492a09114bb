"""Display of an explanation in the terminal."""

from collections.abc import Iterator

from rich import box
from rich.table import Table
from rich.text import Text

from detourage.explain.summary import reason_texts, summary
from detourage.reader import Explanation
from detourage.reader.explanation import Verdict
from detourage.text.plural import cut
from detourage.text.terminal import printable

_STYLES: dict[Verdict, str] = {
    "kept": "green",
    "title": "bold green",
    "comment": "magenta",
    "dropped": "blue",
}


def to_terminal(explanation: Explanation, group_size: int, comments: int = 0) -> Iterator[Table]:
    """Yield a table of facts about a page and a table of its lines with verdicts and reasons."""
    facts = Table(box=None, show_header=False, pad_edge=False)
    facts.add_column(style="bold", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, fact in summary(explanation, group_size, comments):
        facts.add_row(name, Text(printable(fact)))
    yield facts
    lines = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    lines.add_column("verdict", no_wrap=True)
    lines.add_column("prob.", justify="right", no_wrap=True)
    lines.add_column("line", ratio=3, overflow="fold")
    lines.add_column("why", ratio=2, overflow="fold")
    for line in explanation.lines:
        style = _STYLES[line.verdict]
        lines.add_row(
            Text(line.verdict, style=style),
            Text(f"{line.probability:.2f}", style=style),
            Text(cut(printable(line.text), 301), style=style),
            Text("\n".join(map(printable, reason_texts(line)))),
        )
    yield lines
