"""Reports as tables on a terminal."""

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from worker.bench.results import LABELS, CorpusTable, Line, Mean, Task
from worker.evaluation import PRF

_SHORT = (
    *("exact", "equal", "to_p", "to_r", "to_f", "tm_f", "char_f", "rouge_f"),
    *("title_exact", "date_exact", "snippets_accuracy", "names_f", "comments_f"),
)
"""Scores on a terminal, which is narrower than a page."""

_DECISIVE = ("to_f", "snippets_accuracy", "comments_f", "title_exact")
"""The first of these that there is shows its interval and its difference."""

SIGNIFICANT = 0.05


def tables_of(table: CorpusTable, by: str | None) -> Iterator[Table]:
    """Draw a corpus: scores, then groups, task and statistics where they were asked for."""
    yield _scores(table)
    if by is not None:
        yield _groups(table, by)
    if any(line.task for line in table.lines):
        yield _task(table)
    if any(line.statistics for line in table.lines):
        yield _statistics(table)


def what_happened(line: Line) -> str:
    """Tell failures and why, in a few words."""
    failed = ", ".join(f"{count} {kind}" for kind, count in line.failures.items())
    if not line.scores:
        return line.note or failed
    return failed


def decisive_score(table: CorpusTable) -> str | None:
    """Return the name of the score that is shown with its interval."""
    shown = table.shown_scores
    return next((name for name in _DECISIVE if name in shown), shown[0] if shown else None)


def against(mean: Mean) -> str:
    """Tell the difference to the best peer, with a star where it is significant."""
    difference = mean.against_best_peer
    if difference is None:
        return ""
    star = "*" if difference.p_value < SIGNIFICANT else ""
    return f"{difference.mean:+.1f}{star}"


def _scores(table: CorpusTable) -> Table:
    shown = [name for name in table.shown_scores if name in _SHORT]
    decisive = decisive_score(table)
    drawn = Table(title=f"{table.corpus}: {table.extent}", title_justify="left")
    drawn.add_column("method", overflow="fold")
    for name in shown:
        drawn.add_column(LABELS[name], justify="right")
    if decisive:
        drawn.add_column(f"{LABELS[decisive]} interval", justify="right")
        peer = table.best_peers.get(decisive)
        if peer:
            drawn.add_column(f"− {peer}", justify="right")
    for head in ("pages/CPU s", "MB"):
        drawn.add_column(head, justify="right")
    drawn.add_column("failed")
    for line in table.lines:
        cells = [line.method]
        cells += [
            f"{line.scores[name].pages.mean:.1f}" if name in line.scores else "" for name in shown
        ]
        if decisive:
            mean = line.scores.get(decisive)
            cells.append(f"{mean.pages.low:.1f} – {mean.pages.high:.1f}" if mean else "")
            if table.best_peers.get(decisive):
                cells.append(against(mean) if mean else "")
        speed, memory = line.pages_per_cpu_second, line.peak_memory
        cells.append(f"{speed:.0f}" if speed is not None else "")
        cells.append(f"{memory / 2**20:.0f}" if memory is not None else "")
        cells.append(what_happened(line))
        drawn.add_row(*map(Text, cells))
    return drawn


def _groups(table: CorpusTable, by: str) -> Table:
    name = decisive_score(table) or ""
    groups = sorted({group for line in table.lines for group in line.groups})
    lines = [line for line in table.lines if line.groups]
    drawn = Table(title=f"{LABELS.get(name, name)} by {by}", title_justify="left")
    drawn.add_column(by)
    for line in lines:
        drawn.add_column(line.method, justify="right", overflow="fold")
    for group in groups:
        values = [line.groups.get(group, {}).get(name) for line in lines]
        drawn.add_row(
            group or "?", *(f"{value:.1f}" if value is not None else "" for value in values)
        )
    return drawn


def _task(table: CorpusTable) -> Table:
    drawn = Table(
        title="downstream: precision, recall, F1 against the gold's", title_justify="left"
    )
    drawn.add_column("method", overflow="fold")
    for head in ("documents", "pairs", "documents, unmarked", "pairs, unmarked"):
        drawn.add_column(head, justify="right")
    for line in (*table.references, *table.lines):
        if line.task:
            drawn.add_row(Text(line.method), *map(prf_cell, task_prfs(line.task)))
    return drawn


def task_prfs(task: Task) -> tuple[PRF, PRF, PRF, PRF]:
    """Return the four scores of a task: documents and pairs, with marks and without."""
    return task.marked.documents, task.marked.pairs, task.unmarked.documents, task.unmarked.pairs


def prf_cell(score: PRF) -> str:
    """Write precision, recall and F1."""
    return f"{score.precision:.1f} {score.recall:.1f} {score.f1:.1f}"


def _statistics(table: CorpusTable) -> Table:
    heads = ("files", "paragraphs", "lines", "words", "tokens", "characters", "size")
    drawn = Table(title="statistics", title_justify="left")
    drawn.add_column("text", overflow="fold")
    drawn.add_column("language")
    for head in heads:
        drawn.add_column(head, justify="right")
    for line in (*table.references, *table.lines):
        for language, counts in line.statistics.items():
            values: Sequence[int] = [getattr(counts, head) for head in heads]
            drawn.add_row(Text(line.method), language or "?", *(f"{value:,}" for value in values))
    return drawn
