"""Figures of a measurement, in a form suitable for display and JSON."""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Self

from benchmarks.evaluation.methods.provenance import own_release
from benchmarks.evaluation.scores import Difference, Interval, TaskScore, TextStatistics
from detourage.text.plural import pluralise

Kind = Literal["method", "peer", "limit", "gold"]  # kind of a row; a "limit" is an upper bound

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
    """A method's mean score over a corpus, as a macro average over pages and one over sites.

    `against_best_peer` is paired by site. It is None for the best peer itself, for upper bounds,
    and if no peer was measured.
    """

    pages: Interval
    sites: float
    against_best_peer: Difference | None = None


@dataclass(frozen=True)
class Task:
    """Scores of DAnIEL (the downstream task) on a method's texts against its results on gold texts.

    `marked` and `unmarked` are the scores on texts with and without paragraph marks; each pair in
    `by_language` contains both, in this order.
    """

    marked: TaskScore
    unmarked: TaskScore
    by_language: Mapping[str, tuple[TaskScore, TaskScore]]


@dataclass(frozen=True)
class Line:
    """The results of a method on a corpus.

    `note` is the reason why there are no scores, or else the most frequent failure. `failures` has
    the number of pages that are scored as empty texts, by kind of failure. `peak_memory` is in
    bytes. `groups` maps each site or language to its macro averages by name of score.
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

    `of_pages` is the number of pages before sampling, and `left_out` the number of gold records
    that cannot be scored. `best_peers` maps each score to the peer with the highest mean.
    `references` contains rows for the raw pages and the gold texts.
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
        """Reasons why methods could not run, by method name."""
        return {line.method: line.note or "no reason" for line in self.lines if not line.scores}

    @property
    def shown_scores(self) -> list[str]:
        """Names of the scores that at least one method has, in the order of `LABELS`."""
        return [name for name in LABELS if any(name in line.scores for line in self.lines)]

    @property
    def extent(self) -> str:
        """Short description of the measured pages."""
        shown = f"{pluralise(self.pages, 'page')} of {pluralise(self.sites, 'site')}"
        if self.pages < self.of_pages:
            shown += f" (a sample, of {pluralise(self.of_pages, 'page')})"
        return shown


@dataclass(frozen=True)
class Report:
    """Report of a measurement that ended at `created` (ISO 8601); `by` is the grouping, if any."""

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
