"""The figures of a measurement, ready for display or JSON."""

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
"""Scores in the order of reports, with their column heads."""


@dataclass(frozen=True)
class Mean:
    """A score of a method over a corpus.

    `pages` is the macro average over pages with its bootstrap interval over sites, `sites` the one
    over sites. `against_best_peer` is this method minus the best peer, paired by site; None for
    that peer itself, for a limit, and if no peer was measured.
    """

    pages: Interval
    sites: float
    against_best_peer: Difference | None = None


@dataclass(frozen=True)
class Task:
    """Scores of the downstream system on a method's texts, compared with the gold's.

    With paragraph marks (`marked`) and without (`unmarked`), and both by language.
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
        Its name or chain of names.
    kind
        ``method`` (ours or a paper's), ``peer``, ``limit``, or ``gold`` (in the tables of
        the task and of statistics).
    version
        None if it is not installed or has none.
    note
        Why there are no scores, or the most frequent failure.
    failures
        Number of pages by kind of failure; they are scored as empty texts.
    pages_per_cpu_second
        None if unknown.
    peak_memory
        Largest resident memory of a process, in bytes; None if unknown.
    scores
        By name of score; empty if the method could not run.
    groups
        Macro averages by site or language, then by name of score.
    task
        None if not requested.
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
    """All methods on a corpus.

    Attributes
    ----------
    corpus
        Its name.
    pages, sites
        Numbers of pages and sites averaged over.
    of_pages
        Number of pages before sampling.
    left_out
        Golds without words, or with words that their pages do not hold.
    best_peers
        The peer with the highest mean, by name of score.
    lines
        The methods in the order given.
    references
        Raw pages and golds, for the tables of the task and of statistics.
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
        """Why there are no scores, by name of a method that could not run."""
        return {line.method: line.note or "no reason" for line in self.lines if not line.scores}

    @property
    def shown_scores(self) -> list[str]:
        """Names of the scores that at least one method has, in the order of `LABELS`."""
        return [name for name in LABELS if any(name in line.scores for line in self.lines)]

    @property
    def extent(self) -> str:
        """A short description of what was measured."""
        shown = f"{counted(self.pages, 'page')} of {counted(self.sites, 'site')}"
        if self.pages < self.of_pages:
            shown += f" (a sample, of {counted(self.of_pages, 'page')})"
        return shown


@dataclass(frozen=True)
class Report:
    """A measurement.

    Attributes
    ----------
    created
        End of the measurement, ISO 8601.
    environment
        Versions of the software and hardware.
    by
        Meaning of the groups of its lines, None for no groups.
    tables
        One for each corpus.
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
        """Return JSON values."""
        return asdict(self)
