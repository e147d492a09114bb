"""Reports as tables for a terminal."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from benchmarks.evaluation.bench.results import LABELS, CorpusTable, Line, Mean, Task
from benchmarks.evaluation.scores import PRF
from detourage.text.terminal import printable

_MAIN_SCORES = ("exact", "equal", "to_p", "to_r", "to_f")
"""Scores in the first table: those used in the papers."""

_OTHER_SCORES = (
    *("tm_f", "rouge_f", "own_f", "own_equal", "title_exact", "authors_f", "date_exact"),
    *("snippets_accuracy", "names_f", "entities_f"),
)
"""Scores in the second table; the HTML report contains all scores."""

_COMMENT_SCORES = tuple(name for name in LABELS if name.startswith("comments_"))
"""Scores in the third table."""

_DECISIVE_SCORES = ("to_f", "snippets_accuracy", "comments_f", "title_exact")
"""The first of these scores that was measured is shown with its interval and difference."""

SIGNIFICANT = 0.05  # P-value below which a difference is marked with a star as significant

STATISTICS = ("files", "paragraphs", "lines", "words", "tokens", "characters", "size")
# The terminal has room for only some of the counts.
_COUNTS = ("files", "paragraphs", "lines", "words", "characters")
TASK_HEADS = ("documents", "pairs", "documents, unmarked", "pairs, unmarked")


def tables_of(table: CorpusTable, by: str | None) -> Iterator[Table]:
    """Yield the tables of a corpus: scores and, on request, groups, task and statistics."""
    yield _score_table(table)
    for title, names in (("other scores", _OTHER_SCORES), ("comments", _COMMENT_SCORES)):
        if any(name in names for name in table.shown_scores):
            yield _further_scores(table, title, names)
    if any(line.version or line.note for line in table.lines):
        yield _resource_usage(table)
    if by is not None:
        yield _group_table(table, by)
    if any(line.task for line in table.lines):
        yield _task_table(table)
    if any(line.statistics for line in table.lines):
        yield _statistics_table(table)


def failure_summary(line: Line) -> str:
    """Describe the failures of a method, as in ``3 timeout``, or why it could not run at all."""
    failed = ", ".join(f"{count} {kind}" for kind, count in line.failures.items())
    if not line.scores:
        return line.note or failed
    return failed


def decisive_score(table: CorpusTable) -> str | None:
    """Return the name of the score that is displayed with its interval."""
    shown = table.shown_scores
    return next((name for name in _DECISIVE_SCORES if name in shown), shown[0] if shown else None)


def difference_cell(mean: Mean) -> str:
    """Format the difference from the best peer, with a star if it is significant."""
    difference = mean.against_best_peer
    if difference is None:
        return ""
    star = "*" if difference.p_value < SIGNIFICANT else ""
    return f"{difference.mean:+.1f}{star}"


def _score_table(table: CorpusTable) -> Table:
    """Return the table of main scores; one of them is shown with its interval."""
    shown = [name for name in table.shown_scores if name in _MAIN_SCORES]
    decisive = decisive_score(table)
    peer = table.best_peers.get(decisive or "")
    table_view = _new_table(f"{table.corpus}: {table.extent}", "method")
    for head in (LABELS[name] for name in shown):
        table_view.add_column(_one_word_per_line(head), justify="right", no_wrap=True)
    if decisive:
        table_view.add_column(
            _one_word_per_line(f"{LABELS[decisive]} interval"), justify="right", no_wrap=True
        )
    if peer:
        table_view.add_column(f"less\n{peer}", justify="right")
    for line in table.lines:
        cells = [_mean_cell(line, name) for name in shown]
        mean = line.scores.get(decisive or "")
        if decisive:
            cells.append(f"{mean.pages.low:.1f}–{mean.pages.high:.1f}" if mean else "")
        if peer:
            cells.append(difference_cell(mean) if mean else "")
        table_view.add_row(Text(line.method), *cells)
    return table_view


def _further_scores(table: CorpusTable, title: str, names: Sequence[str]) -> Table:
    table_view = _new_table(title, "method")
    shown = [name for name in table.shown_scores if name in names]
    for head in (LABELS[name] for name in shown):
        table_view.add_column(_one_word_per_line(head), justify="right", no_wrap=True)
    lines = [line for line in table.lines if any(name in line.scores for name in shown)]
    for line in lines:
        table_view.add_row(Text(line.method), *(_mean_cell(line, name) for name in shown))
    return table_view


def _resource_usage(table: CorpusTable) -> Table:
    """Return the table of speed, memory and failures."""
    table_view = _new_table("time, memory, failures", "method")
    for head in ("pages per\nCPU second", "peak\nMB"):
        table_view.add_column(head, justify="right", no_wrap=True)
    table_view.add_column("failed pages")
    for line in table.lines:
        if line.kind != "limit":
            speed, memory = line.pages_per_cpu_second, line.peak_memory
            table_view.add_row(
                Text(line.method),
                f"{speed:.1f}" if speed is not None else "",
                f"{memory / 2**20:.0f}" if memory is not None else "",
                Text(failure_summary(line)),
            )
    return table_view


def _new_table(title: str, first: str) -> Table:
    """Return an empty table whose first column is named."""
    table_view = Table(
        title=Text(printable(title)), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    table_view.add_column(first, no_wrap=True)
    return table_view


def _one_word_per_line(head: str) -> str:
    return head.replace(" ", "\n")  # narrower columns


def _mean_cell(line: Line, name: str) -> str:
    return f"{line.scores[name].pages.mean:.1f}" if name in line.scores else ""


def _group_table(table: CorpusTable, by: str) -> Table:
    """Return the table of one score by site or language."""
    name = decisive_score(table) or ""
    groups = sorted({group for line in table.lines for group in line.groups})
    lines = [line for line in table.lines if line.groups]
    table_view = _new_table(f"{LABELS.get(name, name)} by {by}", by)
    for line in lines:
        table_view.add_column(Text(line.method), justify="right", overflow="fold")
    for group in groups:
        values = [line.groups.get(group, {}).get(name) for line in lines]
        table_view.add_row(
            Text(printable(group or "?")),
            *(f"{value:.1f}" if value is not None else "" for value in values),
        )
    return table_view


def _task_table(table: CorpusTable) -> Table:
    """Return the table of the downstream task."""
    table_view = _new_table("downstream: F1 against what is found in the gold", "method")
    for head in TASK_HEADS:
        table_view.add_column(_one_word_per_line(head), justify="right", no_wrap=True)
    for line in (*table.references, *table.lines):
        if line.task:
            table_view.add_row(
                Text(line.method), *(f"{score.f1:.1f}" for score in task_prfs(line.task))
            )
    return table_view


def task_prfs(task: Task) -> tuple[PRF, PRF, PRF, PRF]:
    """Return the four scores of a task (documents and pairs, with and without marks)."""
    return task.marked.documents, task.marked.pairs, task.unmarked.documents, task.unmarked.pairs


def _statistics_table(table: CorpusTable) -> Table:
    table_view = _new_table("statistics", "text")
    table_view.add_column("language")
    for head in _COUNTS:
        table_view.add_column(head, justify="right", no_wrap=True)
    for line in (*table.references, *table.lines):
        for language, counts in line.statistics.items():
            values: Sequence[int] = [getattr(counts, head) for head in _COUNTS]
            named = Text(printable(language or "?"))
            table_view.add_row(Text(line.method), named, *(f"{value:,}" for value in values))
    return table_view
