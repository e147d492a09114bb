"""Reports as tables for a terminal."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from benchmarks.evaluation.bench.results import LABELS, CorpusTable, Line, Mean, Task
from benchmarks.evaluation.scores import PRF
from detourage.text.terminal import printable

_MAIN = ("exact", "equal", "to_p", "to_r", "to_f")
"""Scores in the first table: those used in the papers."""

_OTHERS = (
    *("tm_f", "rouge_f", "own_f", "own_equal", "title_exact", "authors_f", "date_exact"),
    *("snippets_accuracy", "names_f", "entities_f"),
)
"""Scores in the second table; the HTML report contains all scores."""

_COMMENTS = tuple(name for name in LABELS if name.startswith("comments_"))
"""Scores in the third table."""

_DECISIVE = ("to_f", "snippets_accuracy", "comments_f", "title_exact")
"""Scores that may be shown with interval and difference; the first available one is used."""

SIGNIFICANT = 0.05
"""P-value below which a difference is marked with a star as significant."""

STATISTICS = ("files", "paragraphs", "lines", "words", "tokens", "characters", "size")
_COUNTS = ("files", "paragraphs", "lines", "words", "characters")
TASK_HEADS = ("documents", "pairs", "documents, unmarked", "pairs, unmarked")


def tables_of(table: CorpusTable, by: str | None) -> Iterator[Table]:
    """Yield the tables of a corpus: scores and, on request, groups, task and statistics."""
    yield _scores(table)
    for title, names in (("other scores", _OTHERS), ("comments", _COMMENTS)):
        if any(name in names for name in table.shown_scores):
            yield _further_scores(table, title, names)
    if any(line.version or line.note for line in table.lines):
        yield _use(table)
    if by is not None:
        yield _groups(table, by)
    if any(line.task for line in table.lines):
        yield _task(table)
    if any(line.statistics for line in table.lines):
        yield _statistics(table)


def what_happened(line: Line) -> str:
    """Briefly describe the failures of a method and their reason."""
    failed = ", ".join(f"{count} {kind}" for kind, count in line.failures.items())
    if not line.scores:
        return line.note or failed
    return failed


def decisive_score(table: CorpusTable) -> str | None:
    """Return the name of the score that is displayed with its interval."""
    shown = table.shown_scores
    return next((name for name in _DECISIVE if name in shown), shown[0] if shown else None)


def against(mean: Mean) -> str:
    """Format the difference from the best peer, with a star if it is significant."""
    difference = mean.against_best_peer
    if difference is None:
        return ""
    star = "*" if difference.p_value < SIGNIFICANT else ""
    return f"{difference.mean:+.1f}{star}"


def _scores(table: CorpusTable) -> Table:
    shown = [name for name in table.shown_scores if name in _MAIN]
    decisive = decisive_score(table)
    peer = table.best_peers.get(decisive or "")
    drawn = _new(f"{table.corpus}: {table.extent}", "method")
    for head in (LABELS[name] for name in shown):
        drawn.add_column(_broken(head), justify="right", no_wrap=True)
    if decisive:
        drawn.add_column(_broken(f"{LABELS[decisive]} interval"), justify="right", no_wrap=True)
    if peer:
        drawn.add_column(f"less\n{peer}", justify="right")
    for line in table.lines:
        cells = [_figure(line, name) for name in shown]
        mean = line.scores.get(decisive or "")
        if decisive:
            cells.append(f"{mean.pages.low:.1f}–{mean.pages.high:.1f}" if mean else "")
        if peer:
            cells.append(against(mean) if mean else "")
        drawn.add_row(Text(line.method), *cells)
    return drawn


def _further_scores(table: CorpusTable, title: str, names: Sequence[str]) -> Table:
    drawn = _new(title, "method")
    shown = [name for name in table.shown_scores if name in names]
    for head in (LABELS[name] for name in shown):
        drawn.add_column(_broken(head), justify="right", no_wrap=True)
    lines = [line for line in table.lines if any(name in line.scores for name in shown)]
    for line in lines:
        drawn.add_row(Text(line.method), *(_figure(line, name) for name in shown))
    return drawn


def _use(table: CorpusTable) -> Table:
    drawn = _new("time, memory, failures", "method")
    for head in ("pages per\nCPU second", "peak\nMB"):
        drawn.add_column(head, justify="right", no_wrap=True)
    drawn.add_column("failed pages")
    for line in table.lines:
        if line.kind != "limit":
            speed, memory = line.pages_per_cpu_second, line.peak_memory
            drawn.add_row(
                Text(line.method),
                f"{speed:.1f}" if speed is not None else "",
                f"{memory / 2**20:.0f}" if memory is not None else "",
                Text(what_happened(line)),
            )
    return drawn


def _new(title: str, first: str) -> Table:
    drawn = Table(
        title=Text(printable(title)), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    drawn.add_column(first, no_wrap=True)
    return drawn


def _broken(head: str) -> str:
    return head.replace(" ", "\n")


def _figure(line: Line, name: str) -> str:
    return f"{line.scores[name].pages.mean:.1f}" if name in line.scores else ""


def _groups(table: CorpusTable, by: str) -> Table:
    name = decisive_score(table) or ""
    groups = sorted({group for line in table.lines for group in line.groups})
    lines = [line for line in table.lines if line.groups]
    drawn = _new(f"{LABELS.get(name, name)} by {by}", by)
    for line in lines:
        drawn.add_column(Text(line.method), justify="right", overflow="fold")
    for group in groups:
        values = [line.groups.get(group, {}).get(name) for line in lines]
        drawn.add_row(
            Text(printable(group or "?")),
            *(f"{value:.1f}" if value is not None else "" for value in values),
        )
    return drawn


def _task(table: CorpusTable) -> Table:
    drawn = _new("downstream: F1 against what is found in the gold", "method")
    for head in TASK_HEADS:
        drawn.add_column(_broken(head), justify="right", no_wrap=True)
    for line in (*table.references, *table.lines):
        if line.task:
            drawn.add_row(Text(line.method), *(f"{score.f1:.1f}" for score in task_prfs(line.task)))
    return drawn


def task_prfs(task: Task) -> tuple[PRF, PRF, PRF, PRF]:
    """Return the four scores of a task (documents and pairs, with and without marks)."""
    return task.marked.documents, task.marked.pairs, task.unmarked.documents, task.unmarked.pairs


def _statistics(table: CorpusTable) -> Table:
    drawn = _new("statistics", "text")
    drawn.add_column("language")
    for head in _COUNTS:
        drawn.add_column(head, justify="right", no_wrap=True)
    for line in (*table.references, *table.lines):
        for language, counts in line.statistics.items():
            values: Sequence[int] = [getattr(counts, head) for head in _COUNTS]
            named = Text(printable(language or "?"))
            drawn.add_row(Text(line.method), named, *(f"{value:,}" for value in values))
    return drawn
