"""Reports as a self-contained HTML page."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from benchmarks.evaluation.bench.plots import plot
from benchmarks.evaluation.bench.results import LABELS, CorpusTable, Line, Mean, Report
from benchmarks.evaluation.bench.terminal import (
    SIGNIFICANT,
    STATISTICS,
    TASK_HEADS,
    decisive_score,
    failure_summary,
    task_prfs,
)
from detourage.text.plural import pluralise

_EXPLANATION = (
    "Percent, macro averages over pages. The plots show 95 % bootstrap intervals, for which whole"
    " sites are resampled. A page where a method failed counts as an empty text. Text, author, date"
    " and parent are scored for the comments that match a gold comment. Differences are relative to"
    f" the best peer in the column named, paired by site; a star means p &lt; {SIGNIFICANT}. Hover"
    " over a figure for its interval, its mean over sites and its difference."
)


@dataclass(frozen=True)
class _Cell:
    """A table cell: displayed text, value to sort by, tooltip (`title`) and CSS class (`style`)."""

    shown: str
    value: float | None = None
    title: str = ""
    style: str = ""

    def html(self) -> str:
        value = "" if self.value is None else f' data-value="{self.value:.6g}"'
        title = f' title="{escape(self.title)}"' if self.title else ""
        style = f' class="{self.style}"' if self.style else ""
        return f"<td{style}{value}{title}>{escape(self.shown)}</td>"


def to_html(report: Report) -> str:
    """Render a report as a self-contained page with sortable tables and one plot per score."""
    folder = files("benchmarks.evaluation.bench")
    style = folder.joinpath("report.css").read_text("utf-8")
    script = folder.joinpath("report.js").read_text("utf-8")
    environment = ", ".join(f"{name} {value}" for name, value in report.environment.items())
    body = "".join(_corpus_section(table, report.by) for table in report.tables)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Extraction measured</title><style>\n{style}</style></head><body>"
        f"<h1>Extraction measured</h1><p>{escape(report.created)}; {escape(environment)}.</p>"
        f"<p>{_EXPLANATION}</p>{body}<script>\n{script}</script></body></html>\n"
    )


def _corpus_section(table: CorpusTable, by: str | None) -> str:
    """Render the heading, remarks, tables and plots of a corpus."""
    parts = [f"<h2>{escape(table.corpus)}</h2><p>{escape(table.extent)}"]
    if table.left_out:
        parts.append(
            f"; {pluralise(table.left_out, 'gold record')} left out: without words, or with words"
        )
        parts.append(" that are not on the page")
    parts.append(".</p>")
    parts += [f"<p>{escape(remark)}.</p>" for remark in table.remarks]
    parts.append(_score_table(table))
    parts.append("<h3>Scores with intervals</h3><div class=plots>")
    for name in table.shown_scores:
        parts.append(f"<figure><figcaption>{escape(LABELS[name])}</figcaption>")
        parts.append(f"{plot(name, table.lines)}</figure>")
    parts.append("</div>")
    if by is not None:
        parts.append(_group_table(table, by))
    if any(line.task for line in table.lines):
        parts += [
            "<h3>The downstream system, compared with its results on the gold texts</h3>",
            _task_table(table),
        ]
    if any(line.statistics for line in table.lines):
        parts += ["<h3>Statistics</h3>", _statistics_table(table)]
    return "".join(parts)


def _score_table(table: CorpusTable) -> str:
    """Render all scores, with the speed, memory, failures and version of each method."""
    shown = table.shown_scores
    decisive = decisive_score(table)
    peer = table.best_peers.get(decisive or "")
    heads = ["method", *(LABELS[name] for name in shown)]
    if peer:
        heads.append(f"{LABELS[decisive or '']} less {peer}")
    heads += ["pages per CPU s", "peak MB", "failed pages", "version"]
    best = {
        name: max(
            (line.scores[name].pages.mean for line in table.lines if _is_ranked(line, name)),
            default=None,
        )
        for name in shown
    }
    rows = []
    for line in table.lines:
        cells = [_Cell(line.method)]
        cells += [_mean_cell(line.scores.get(name), best[name], line) for name in shown]
        if peer:
            cells.append(_difference_cell(line.scores.get(decisive or "")))
        speed, memory = line.pages_per_cpu_second, line.peak_memory
        cells.append(_Cell("" if speed is None else f"{speed:.1f}", speed))
        cells.append(_Cell("" if memory is None else f"{memory / 2**20:.0f}", memory))
        cells.append(_Cell(failure_summary(line), title=line.note or "", style="words"))
        cells.append(_Cell(line.version or "", style="words"))
        rows.append((line.kind, cells))
    return _html_table(heads, rows, words=(0, len(heads) - 2, len(heads) - 1))


def _is_ranked(line: Line, name: str) -> bool:
    """Return whether a row may have the best score; upper bounds (limits) may not."""
    return line.kind != "limit" and name in line.scores


def _mean_cell(mean: Mean | None, best: float | None, line: Line) -> _Cell:
    """Render a mean; the tooltip has its interval, the mean over sites and the difference."""
    if mean is None:
        return _Cell("")
    pages = mean.pages
    title = f"{pages.low:.1f} to {pages.high:.1f}; over sites {mean.sites:.1f}"
    if mean.against_best_peer is not None:
        against = mean.against_best_peer
        title += f"; {against.mean:+.2f} to the best peer, p = {against.p_value:.4f}"
    style = "best" if line.kind != "limit" and pages.mean == best else ""
    return _Cell(f"{pages.mean:.1f}", pages.mean, title, style)


def _difference_cell(mean: Mean | None) -> _Cell:
    difference = mean.against_best_peer if mean else None
    if difference is None:
        return _Cell("")
    star = "*" if difference.p_value < SIGNIFICANT else ""
    title = f"{difference.low:+.2f} to {difference.high:+.2f}, p = {difference.p_value:.4f}"
    return _Cell(f"{difference.mean:+.1f}{star}", difference.mean, title)


def _group_table(table: CorpusTable, by: str) -> str:
    """Render the means of one score by site or language."""
    name = decisive_score(table) or ""
    lines = [line for line in table.lines if line.groups]
    groups = sorted({group for line in lines for group in line.groups})
    rows = []
    for line in lines:
        values = [line.groups.get(group, {}).get(name) for group in groups]
        cells = [_Cell("" if value is None else f"{value:.1f}", value) for value in values]
        rows.append((line.kind, [_Cell(line.method), *cells]))
    heads = ["method", *(group or "unknown" for group in groups)]
    return f"<h3>{escape(LABELS.get(name, name))} by {by}</h3>" + _html_table(heads, rows)


def _task_table(table: CorpusTable) -> str:
    heads = ["method", *(f"{head} {part}" for head in TASK_HEADS for part in ("P", "R", "F1"))]
    rows = []
    for line in (*table.references, *table.lines):
        if line.task:
            scores = task_prfs(line.task)
            values = [value for each in scores for value in (each.precision, each.recall, each.f1)]
            cells = [_Cell(f"{value:.1f}", value) for value in values]
            rows.append((line.kind, [_Cell(line.method), *cells]))
    return _html_table(heads, rows)


def _statistics_table(table: CorpusTable) -> str:
    rows = []
    for line in (*table.references, *table.lines):
        for language, counts in line.statistics.items():
            values = [getattr(counts, name) for name in STATISTICS]
            cells = [_Cell(f"{value:,}", value) for value in values]
            rows.append((line.kind, [_Cell(line.method), _Cell(language or "?"), *cells]))
    return _html_table(["text", "language", *STATISTICS], rows, words=(0, 1))


def _html_table(
    heads: Sequence[str], rows: Iterable[tuple[str, Sequence[_Cell]]], words: Sequence[int] = (0,)
) -> str:
    """Render a sortable table; `rows` pairs CSS classes with cells, `words` lists text columns."""

    def markup() -> Iterator[str]:
        yield "<div class=scroll><table><thead><tr>"
        for column, head in enumerate(heads):
            numeric = "" if column in words else " data-numeric"
            yield f"<th{numeric}><button type=button>{escape(head)}</button></th>"
        yield "</tr></thead><tbody>"
        for kind, cells in rows:
            yield f"<tr class={kind}>{''.join(cell.html() for cell in cells)}</tr>"
        yield "</tbody></table></div>"

    return "".join(markup())
