"""Figures of a measurement, in a form suitable for display and JSON."""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Self

from benchmarks.evaluation.methods.provenance import own_release
from benchmarks.evaluation.scores import Difference, Interval, TaskScore, TextStatistics
from worker.text.plural import counted

Kind = Literal["method", "peer", "limit", "gold"]

LABELS = {
    "exact": "exactitude",
    "equal": "equal",
    "cosine": "cosine",
    "to_p": "text P",
    "to_r": "text R",
    "to_f": "text F1",
    "tm_f": "markup F1",
    "tmu_f": "unlabelled F1",
    "mark_f": "marks F1",
    "char_f": "characters F1",
    "bag_f": "bag F1",
    "rouge_f": "ROUGE-LSum",
    "own_f": "text F1, own title",
    "own_equal": "equal, own title",
    "title_exact": "title",
    "title_f": "title F1",
    "authors_f": "authors F1",
    "date_exact": "date",
    "snippets_p": "snippets P",
    "snippets_r": "snippets R",
    "snippets_f": "snippets F1",
    "snippets_accuracy": "snippets accuracy",
    "names_f": "names F1",
    "entities_f": "entities F1",
    "comments_p": "comments P",
    "comments_r": "comments R",
    "comments_f": "comments F1",
    "comments_good": "comments P@1",
    "comments_words_f": "comments' words F1",
    "comments_none": "no false comments",
    "comments_text": "comment text",
    "comments_authors": "comment authors",
    "comments_dates": "comment dates",
    "comments_parents": "comment parents",
    "comments_replies": "comment replies",
}
"""Column heads of the scores, in the order of reports."""


@dataclass(frozen=True)
class Mean:
    """A method's mean score over a corpus.

    `pages` is the macro average over pages with its bootstrap interval over sites, and `sites` the
    macro average over sites. `against_best_peer` is the difference between this method and the best
    peer, paired by site. It is None for the best peer itself, for an upper bound, and if no peer
    was measured.
    """

    pages: Interval
    sites: float
    against_best_peer: Difference | None = None


@dataclass(frozen=True)
class Task:
    """Scores of the downstream system on a method's texts, relative to its results on gold texts.

    There are scores with paragraph marks (`marked`), without them (`unmarked`), and by language.
    """

    marked: TaskScore
    unmarked: TaskScore
    by_language: Mapping[str, tuple[TaskScore, TaskScore]]


@dataclass(frozen=True)
class Line:
    """The results of a method on a corpus.

    Attributes
    ----------
    method
        Name of the method or chain.
    kind
        ``method`` (ours or a paper's), ``peer``, ``limit``, or ``gold`` (in the tables of
        the task and of statistics).
    version
        Version of the method; None if it is not installed or has no version.
    note
        Reason why there are no scores, or the most frequent failure.
    failures
        Number of pages by kind of failure; these pages are scored as empty texts.
    pages_per_cpu_second
        Pages per second of CPU time; None if unknown.
    peak_memory
        Largest resident memory of a process, in bytes; None if unknown.
    scores
        Means by name of score; empty if the method could not run.
    groups
        Macro averages by site or language, then by name of score.
    task
        Scores of the downstream task; None if not requested.
    statistics
        Counts of the texts, by language.
    """

    method: str
    kind: Kind
    version: str | None = None
    note: str | None = None
    failures: Mapping[str, int] = field(default_factory=dict)
    pages_per_cpu_second: float | None = None
    peak_memory: int | None = None
    scores: Mapping[str, Mean] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    task: Task | None = None
    statistics: Mapping[str, TextStatistics] = field(default_factory=dict)


@dataclass(frozen=True)
class CorpusTable:
    """Results of all methods on a corpus.

    Attributes
    ----------
    corpus
        Name of the corpus.
    pages, sites
        Numbers of pages and sites over which scores are averaged.
    of_pages
        Number of pages before sampling.
    left_out
        Number of gold records whose text has no words, or whose words are not on the page.
    best_peers
        Peer with the highest mean, by name of score.
    lines
        Results of the methods, in the given order.
    references
        Rows for the raw pages and the gold texts, for the tables of the task and of statistics.
    remarks
        Further remarks for the reader.
    """

    corpus: str
    pages: int
    sites: int
    of_pages: int
    left_out: int
    best_peers: Mapping[str, str]
    lines: Sequence[Line]
    references: Sequence[Line] = ()
    remarks: Sequence[str] = ()

    @property
    def not_run(self) -> Mapping[str, str]:
        """Reasons why methods could not run, by name of the method."""
        return {line.method: line.note or "no reason" for line in self.lines if not line.scores}

    @property
    def shown_scores(self) -> list[str]:
        """Names of the scores that at least one method has, in the order of `LABELS`."""
        return [name for name in LABELS if any(name in line.scores for line in self.lines)]

    @property
    def extent(self) -> str:
        """Short description of the measured pages."""
        shown = f"{counted(self.pages, 'page')} of {counted(self.sites, 'site')}"
        if self.pages < self.of_pages:
            shown += f" (a sample, of {counted(self.of_pages, 'page')})"
        return shown


@dataclass(frozen=True)
class Report:
    """Report of a measurement.

    Attributes
    ----------
    created
        Time at which the measurement ended, in ISO 8601.
    environment
        Versions of the software and hardware.
    by
        Unit of the groups in each line (site or language); None if there are no groups.
    tables
        One table per corpus.
    """

    created: str
    environment: Mapping[str, str]
    by: str | None
    tables: Sequence[CorpusTable]

    @classmethod
    def now(cls, tables: Sequence[CorpusTable], by: str | None) -> Self:
        """Create the report of a measurement that has just ended."""
        environment = {
            "detourage": own_release(),
            "Python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
            "cores": str(os.cpu_count()),
        }
        created = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(created, environment, by, tables)

    def to_json(self) -> dict[str, Any]:
        """Convert the report to JSON values."""
        return asdict(self)
