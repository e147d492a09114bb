"""Execution and scoring of methods on corpora."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal, TypeVar

from benchmarks.evaluation.bench.averaging import best_by_score, means
from benchmarks.evaluation.bench.downstream import Downstream
from benchmarks.evaluation.bench.errors import BenchError
from benchmarks.evaluation.bench.memo import Memo, scorer_version
from benchmarks.evaluation.bench.results import CorpusTable, Kind, Line
from benchmarks.evaluation.bench.scoring import LIMITS, limits, prepare, score
from benchmarks.evaluation.methods import (
    Extractor,
    Gives,
    Job,
    Needs,
    Outcome,
    Runner,
    Source,
    Summary,
    TrainingPair,
    UnavailableError,
    UnknownExtractorError,
    is_peer,
    parse_chain,
)
from benchmarks.evaluation.methods.grouping import find_neighbours
from benchmarks.evaluation.scores import (
    Corpus,
    CorpusError,
    Gold,
    PageScores,
    Prediction,
    TextStatistics,
    load_corpus,
    macro_average_by_language,
    macro_average_by_site,
)

Grouping = Literal["site", "language"]  # groups for which means are also computed
Progress = Callable[[str, int, int], None]
"""Callback that receives a description of the work, the number of finished steps, and the total."""

_PAGES_PER_TASK = 8  # number of pages sent to a scoring process at a time

_Result = TypeVar("_Result")
_Item = TypeVar("_Item")

_MapFunction = Callable[..., Iterator[Any]]  # `map`, or an equivalent that uses other processes


@dataclass(frozen=True)
class Bench:
    """The settings of a measurement.

    `diseases` maps languages to diseases by name; without it, the downstream task and names are not
    scored. NCleaner is trained on the corpus in the folder `training`, without the sites that are
    measured. `sample` limits the number of pages measured per corpus; they are still compared with
    pages of the whole corpus.
    """

    methods: Sequence[Extractor | str]
    with_limits: bool = False
    with_statistics: bool = False
    by: Grouping | None = None
    diseases: Mapping[str, Mapping[str, str]] | None = None
    training: Path | None = None
    sample: int | None = None
    runner: Runner = field(default_factory=Runner)
    progress: Progress = lambda _what, _done, _total: None

    def measure(self, folders: Sequence[Path]) -> Iterator[CorpusTable]:
        """Measure each corpus; raise BenchError if a method or corpus cannot be used."""
        for method in self.methods:
            kind_of(method)
        training = _load_or_abort(self.training) if self.training is not None else None
        memo = Memo(self.runner.cache, scorer_version())
        with _open_pool(self.runner.processes) as map_function:
            for folder in folders:
                yield _Measurement(
                    self, map_function, memo, _load_or_abort(folder), training
                ).table()


def kind_of(method: Extractor | str) -> Kind:
    """Return whether a method is a peer (or chain of peers); raise BenchError if it is unknown."""
    if isinstance(method, Extractor):
        return "method"
    try:
        return "peer" if all(is_peer(name.strip()) for name in method.split(">")) else "method"
    except UnknownExtractorError as error:
        raise BenchError(str(error)) from error


def name_of(method: Extractor | str) -> str:
    """Return the name of a method in reports."""
    return method.name if isinstance(method, Extractor) else method


def measurable(corpus: Corpus) -> list[Gold]:
    """Return the gold records to be averaged over.

    These are records whose text is on the page, and records that have no text but do have a
    headline, authors, a date, comments or snippets.
    """
    with_text = {gold.id for gold in corpus.scorable()}
    return [
        gold
        for gold in corpus.golds.values()
        if gold.id in with_text
        or (
            gold.text is None
            and any(
                (gold.title, gold.authors, gold.date, gold.comments, gold.wanted, gold.unwanted)
            )
        )
    ]


def even_sample(items: Sequence[_Item], count: int | None) -> list[_Item]:
    """Return the given number of evenly spaced items."""
    if count is None or count >= len(items):
        return list(items)
    return [items[index * len(items) // count] for index in range(count)]


class _Measurement:
    """The measurement of one corpus."""

    def __init__(
        self,
        bench: Bench,
        map_function: _MapFunction,
        memo: Memo,
        corpus: Corpus,
        training: Corpus | None,
    ) -> None:
        self._bench = bench
        self._map_function = map_function
        self._memo = memo
        self._corpus = corpus
        self._training_pairs = _training_pairs(
            training, without={page.site for page in corpus.pages.values()}
        )
        self._all_golds = measurable(corpus)
        self._golds = even_sample(self._all_golds, bench.sample)
        if not self._golds:
            raise BenchError(f"{corpus.name}: no page has a gold record to score against")

    def table(self) -> CorpusTable:
        """Run and score all methods."""
        sources = {
            page.id: Source(page.html, page.url, page.content_type)
            for page in self._corpus.pages.values()
        }
        self._sources = [sources[gold.id] for gold in self._golds]
        prepared = self._map("pages", partial(prepare, self._memo), self._sources, self._golds)
        self._targets = [target for target, _ in prepared]
        raw_statistics = [counts for _, counts in prepared]
        self._downstream = Downstream(
            self._bench.diseases or {}, self._corpus, self._targets, self._memo, self._map
        )
        self._jobs = self._make_jobs(sources)

        lines: list[Line] = []
        rows: dict[str, list[PageScores]] = {}
        for method in self._bench.methods:
            line, found = self._run_method(method)
            lines.append(line)
            if found is not None:
                rows[line.method] = found
        if self._bench.with_limits:
            for line, found in self._measure_limits():
                lines.append(line)
                rows[line.method] = found
        peers = {line.method: rows[line.method] for line in lines if self._is_candidate(line, rows)}
        best = best_by_score(peers)
        return CorpusTable(
            corpus=self._corpus.name,
            pages=len(self._golds),
            sites=len({gold.site for gold in self._golds}),
            of_pages=len(self._all_golds),
            left_out=len(self._corpus.golds) - len(self._all_golds),
            best_peers=best,
            lines=self._average_lines(lines, rows, best),
            references=self._reference_lines(raw_statistics),
        )

    def _map(
        self, what: str, function: Callable[..., _Result], *columns: Sequence[object]
    ) -> list[_Result]:
        """Call a function for each row of arguments in the processes, and report the progress."""
        answers: list[_Result] = []
        total = len(columns[0])
        what = f"{self._corpus.name}: {what}"
        for answer in self._map_function(function, *columns):
            answers.append(answer)
            self._bench.progress(what, len(answers), total)
        return answers

    def _make_jobs(self, sources: Mapping[str, Source]) -> list[Job]:
        """Return the pages to extract, with pages of the same template if a method needs them."""
        if all(self._needs(method) is Needs.PAGE for method in self._bench.methods):
            return [Job(source) for source in self._sources]
        what = f"{self._corpus.name}: groups"
        self._bench.progress(what, 0, 1)
        pages = list(self._corpus.pages.values())
        neighbours = find_neighbours(
            [sources[page.id] for page in pages],
            [page.site for page in pages],
            threads=self._bench.runner.processes,
        )
        self._bench.progress(what, 1, 1)
        by_id = {page.id: found for page, found in zip(pages, neighbours, strict=True)}
        return [Job(sources[gold.id], by_id[gold.id]) for gold in self._golds]

    def _run_method(self, method: Extractor | str) -> tuple[Line, list[PageScores] | None]:
        """Run a method; return its row without means, and page scores (None if it cannot run)."""
        name = name_of(method)
        line = Line(name, kind_of(method))
        try:
            extractor = self._resolve(method)
        except UnavailableError as error:
            return replace(line, note=str(error)), None
        outcomes: list[Outcome | None] = [None] * len(self._jobs)
        what = f"{self._corpus.name}: {name}"
        for done, result in enumerate(self._bench.runner.run(extractor, self._jobs), 1):
            outcomes[result.index] = result.outcome
            self._bench.progress(what, done, len(self._jobs))
        finished = [outcome for outcome in outcomes if outcome is not None]
        summary = Summary.of(finished)
        line = replace(
            line,
            version=extractor.version,
            note=summary.detail,
            failures=dict(sorted(summary.failures.items())),
            pages_per_cpu_second=summary.pages_per_cpu_second,
            peak_memory=summary.peak_memory,
        )
        if summary.failures["unavailable"] == len(finished):
            return line, None
        texts = [
            Prediction() if outcome.extracted is None else Prediction.of(outcome.extracted)
            for outcome in finished
        ]
        return self._score_texts(line, texts, extractor.gives)

    def _resolve(self, method: Extractor | str) -> Extractor:
        """Return the method with the given name, or the method itself."""
        if isinstance(method, Extractor):
            return method
        return parse_chain(method, tools=self._bench.runner.tools, pairs=self._training_pairs)

    def _needs(self, method: Extractor | str) -> Needs:
        """Return which other pages a method needs; a method that cannot run needs none."""
        try:
            return self._resolve(method).needs
        except UnavailableError:
            return Needs.PAGE

    def _measure_limits(self) -> Iterator[tuple[Line, list[PageScores]]]:
        """Yield the row and page scores of each upper bound."""
        found = self._map("limits", partial(limits, self._memo), self._sources, self._targets)
        for name, texts in zip(LIMITS, zip(*found, strict=True), strict=True):
            line, rows = self._score_texts(Line(name, "limit"), list(texts), Gives.TEXT)
            yield line, [replace(row, scores=_text_scores(row.scores)) for row in rows]

    def _score_texts(
        self, line: Line, texts: Sequence[Prediction], gives: Gives
    ) -> tuple[Line, list[PageScores]]:
        """Score a method's texts, in the fields that the method gives, and the downstream task."""
        scored = self._map(
            f"{line.method}, scores", partial(score, self._memo), texts, self._targets
        )
        scores = [_given_scores(gives, found) for found, _ in scored]
        for row, names in zip(scores, self._downstream.names(line.method, texts), strict=True):
            row |= names
        rows = [
            PageScores(gold.id, gold.site, gold.language, found)
            for gold, found in zip(self._golds, scores, strict=True)
        ]
        return (
            replace(
                line,
                task=self._downstream.task(line.method, texts),
                statistics=self._sum_by_language([counts for _, counts in scored]),
            ),
            rows,
        )

    def _average_lines(
        self,
        lines: Sequence[Line],
        rows: Mapping[str, Sequence[PageScores]],
        best: Mapping[str, str],
    ) -> list[Line]:
        """Add means to the rows, and differences from the `best` peer in each score."""
        compared = []
        for line in lines:
            others = None
            if line.kind != "limit":
                others = {name: rows[peer] for name, peer in best.items() if peer != line.method}
            compared.append(others)
        averages = self._map_function(
            means, [rows.get(line.method, ()) for line in lines], compared
        )
        return [
            replace(line, scores=scores, groups=self._averages_by_group(rows.get(line.method, ())))
            for line, scores in zip(lines, averages, strict=True)
        ]

    def _averages_by_group(self, rows: Sequence[PageScores]) -> dict[str, dict[str, float]]:
        """Return the mean scores of each site or language, if they were requested."""
        if self._bench.by == "site":
            return macro_average_by_site(rows)
        return macro_average_by_language(rows) if self._bench.by == "language" else {}

    @staticmethod
    def _is_candidate(line: Line, rows: Mapping[str, Sequence[PageScores]]) -> bool:
        return line.kind == "peer" and line.method in rows

    def _sum_by_language(self, counts: Sequence[TextStatistics]) -> dict[str, TextStatistics]:
        """Add up the statistics of texts by language, if they were requested."""
        if not self._bench.with_statistics:
            return {}
        sums: defaultdict[str, TextStatistics] = defaultdict(TextStatistics)
        for gold, each in zip(self._golds, counts, strict=True):
            sums[gold.language] += each
        return dict(sorted(sums.items()))

    def _reference_lines(self, raw: Sequence[TextStatistics]) -> list[Line]:
        """Return rows for the raw pages and for the gold texts, to compare the methods with."""
        golds = [TextStatistics.of_text(gold.text or "", gold.blocks) for gold in self._golds]
        return [
            Line("raw pages", "gold", statistics=self._sum_by_language(raw)),
            Line(
                "gold",
                "gold",
                statistics=self._sum_by_language(golds),
                task=self._downstream.task_of_gold(),
            ),
        ]


def _given_scores(gives: Gives, scores: Mapping[str, float]) -> dict[str, float]:
    """Return only the scores of what a method gives: its text, comments or both."""
    return {
        name: value
        for name, value in scores.items()
        if (Gives.COMMENTS if name.startswith("comments_") else Gives.TEXT) in gives
    }


def _text_scores(scores: Mapping[str, float]) -> dict[str, float]:
    """Return the scores except those of metadata, which an upper bound on the text lacks."""
    return {
        name: value
        for name, value in scores.items()
        if not name.startswith(("title_", "authors_", "date_"))
    }


def _training_pairs(corpus: Corpus | None, *, without: Set[str]) -> list[TrainingPair]:
    """Return pages with their gold texts for training, except pages of the sites `without`."""
    if corpus is None:
        return []
    return [
        TrainingPair(Source(page.html, page.url, page.content_type), gold.text or "", gold.language)
        for gold in corpus.scorable()
        if (page := corpus.pages[gold.id]).site not in without
    ]


def _load_or_abort(folder: Path) -> Corpus:
    try:
        return load_corpus(folder)
    except CorpusError as error:
        raise BenchError(str(error)) from error


@contextmanager
def _open_pool(processes: int) -> Iterator[_MapFunction]:
    """Yield a function like `map` that uses the given number of processes."""
    if processes == 1:
        yield map
        return
    executor = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    try:
        yield partial(executor.map, chunksize=_PAGES_PER_TASK)
    finally:
        executor.shutdown(cancel_futures=True)
