"""Tables of Lejeune, Brixtel and Lecluze (2015) for a corpus with several languages.

``python -m benchmarks.extraction.lejeune CORPUS --task diseases.json`` prints the scores of their
tools and chains over all languages (their table 2), the downstream task by language (table 3), and
the best tool for each measure and language (table 4). NCleaner is trained on five pages per
language, as in section 4.3. These pages are selected by a digest and not scored for any tool.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from statistics import fmean

from benchmarks.evaluation.bench.memo import Memo, scorer_version
from benchmarks.evaluation.bench.scoring import Target, events, prepare, score
from benchmarks.evaluation.methods import Extractor, Job, Runner, Source, TrainingPair, parse_chain
from benchmarks.evaluation.scores import Corpus, Event, Prediction, load_corpus, load_diseases
from benchmarks.evaluation.scores.daniel import score_task
from benchmarks.training.ngrams import PAIRS_PER_LANGUAGE

TOOLS = {
    "BP": "{boilerpipe}",
    "BP-JTA": "{boilerpipe}>justext",
    "BP-JTS": "{boilerpipe}>justext_nostop",
    "JTA": "justext",
    "JTA-BP": "justext>{boilerpipe}",
    "JTS": "justext_nostop",
    "JTS-BP": "justext_nostop>{boilerpipe}",
    "NC": "ncleaner",
    "NCNL": "ncleaner_nonlexical",
    "NCT5": "nct5",
    "NCT25": "nct25",
}
"""Methods by their names in the paper (JTA uses stop lists, JTS does not)."""

TRAINED_BY_LANGUAGE = frozenset({"NCT5"})
"""Tools that are trained for each language; all other tools are the same for all languages."""

MEASURES = {"TO": "to", "CAR": "char", "TM": "tm"}  # scores by their names in the paper

PARTS = {"P": "p", "R": "r", "F1": "f"}
"""Precision, recall and F1, with the suffixes of our scores (``to_p``)."""

TASK = "task"  # the measure of the downstream task


@dataclass(frozen=True)
class Page:
    """A page to score."""

    source: Source
    target: Target

    @property
    def language(self) -> str:
        """Language of the page's gold text."""
        return self.target.gold.language


@dataclass(frozen=True)
class Row:
    """A tool's scores on a page, in percent, and the events in its text and in the gold text."""

    page: str
    language: str
    scores: Mapping[str, float]
    found: Event | None
    wanted: Event | None


Figures = dict[tuple[str, str], float]  # figures by measure and by part (precision, recall and F1)


class Tools:
    """The tools of the paper with the pages on which they are trained and scored.

    `diseases` maps languages to diseases by name. `boilerpipe` is the method used for Boilerpipe,
    and `sample` the number of pages scored per language.
    """

    def __init__(
        self,
        corpus: Corpus,
        diseases: Mapping[str, Mapping[str, str]],
        runner: Runner,
        boilerpipe: str,
        sample: int | None = None,
    ) -> None:
        self._diseases = diseases
        self._runner = runner
        self._memo = Memo(runner.cache, scorer_version())
        self._boilerpipe = boilerpipe
        self._pages, self._pairs = self._divide(corpus, sample)

    @property
    def languages(self) -> list[str]:
        """Languages of the pages."""
        return sorted({page.language for page in self._pages})

    @property
    def count(self) -> int:
        """Number of scored pages."""
        return len(self._pages)

    def figures(self, tool: str) -> dict[str, Figures]:
        """Score a tool in each language, and in all languages together (under ``""``)."""
        rows = self._score_pages(self._extractor(tool, self._pairs), self._pages)
        by_language = {"": average_figures(rows)}
        for language in self.languages:
            language_rows = [row for row in rows if row.language == language]
            if tool in TRAINED_BY_LANGUAGE:
                pairs = [pair for pair in self._pairs if pair.language == language]
                pages = [page for page in self._pages if page.language == language]
                language_rows = self._score_pages(self._extractor(tool, pairs), pages)
            by_language[language] = average_figures(language_rows)
        return by_language

    def _divide(self, corpus: Corpus, sample: int | None) -> tuple[list[Page], list[TrainingPair]]:
        """Divide the corpus into pages to score and pairs with which NCleaner is trained."""
        pages: list[Page] = []
        pairs: list[TrainingPair] = []
        golds = sorted(corpus.scorable(), key=lambda gold: sha256(gold.id.encode()).digest())
        for language in sorted({gold.language for gold in golds}):
            chosen = [gold for gold in golds if gold.language == language]
            if sample is not None:
                del chosen[PAIRS_PER_LANGUAGE + sample :]
            for place, gold in enumerate(chosen):
                page = corpus.pages[gold.id]
                source = Source(page.html, page.url, page.content_type)
                if place < PAIRS_PER_LANGUAGE:
                    pairs.append(TrainingPair(source, gold.text or "", language))
                else:
                    pages.append(Page(source, prepare(self._memo, source, gold)[0]))
        return pages, pairs

    def _extractor(self, tool: str, pairs: Sequence[TrainingPair]) -> Extractor:
        return parse_chain(TOOLS[tool].format(boilerpipe=self._boilerpipe), pairs=pairs)

    def _score_pages(self, extractor: Extractor, pages: Sequence[Page]) -> list[Row]:
        texts = [Prediction()] * len(pages)
        for result in self._runner.run(extractor, [Job(page.source) for page in pages]):
            if result.outcome.extracted is not None:
                texts[result.index] = Prediction.of(result.outcome.extracted)
        return [self._score_page(page, text) for page, text in zip(pages, texts, strict=True)]

    def _score_page(self, page: Page, text: Prediction) -> Row:
        """Score a text, and find DAnIEL's events in it and in the gold text."""
        gold = page.target.gold
        scores, _ = score(self._memo, text, page.target)
        diseases = dict(self._diseases[gold.language])
        found, _ = events(self._memo, page.target.given(text).paragraphs, diseases)
        wanted, _ = events(self._memo, gold.paragraphs, diseases)
        return Row(gold.id, gold.language, scores, found, wanted)


def average_figures(rows: Sequence[Row]) -> Figures:
    """Average the text scores over the pages, and score the downstream task over documents."""
    figures = {
        (measure, part): fmean(row.scores[f"{name}_{suffix}"] for row in rows)
        for measure, name in MEASURES.items()
        for part, suffix in PARTS.items()
    }
    task = score_task({row.page: row.found for row in rows}, {row.page: row.wanted for row in rows})
    scores = task.documents
    for part, value in zip(PARTS, (scores.precision, scores.recall, scores.f1), strict=True):
        figures[TASK, part] = value
    return figures


def best_tools(
    figures: Mapping[str, Mapping[str, Figures]], language: str, key: tuple[str, str]
) -> str:
    """Return the tools with the highest figure (after rounding), followed by this figure."""
    rounded = {tool: f"{by_language[language][key]:.1f}" for tool, by_language in figures.items()}
    highest = max(rounded.values(), key=float)
    tools = [tool for tool, value in rounded.items() if value == highest]
    return f"{', '.join(tools)} ({highest})"


def table(heads: Sequence[str], rows: Iterator[Sequence[str]], align: str) -> Iterator[str]:
    """Yield the lines of a table; `align`, such as ``---:``, is for all columns but the first."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join(['---'] + [align] * (len(heads) - 1))}|"
    for cells in rows:
        yield f"| {' | '.join(cells)} |"
    yield ""


def all_tables(
    figures: Mapping[str, Mapping[str, Figures]], languages: Sequence[str]
) -> Iterator[str]:
    """Yield the lines of all three tables."""
    text_keys = [(measure, part) for measure in MEASURES for part in PARTS]
    task_keys = [(TASK, part) for part in PARTS]
    yield from table(
        ["", *(" ".join(key) for key in text_keys)],
        ([tool, *(f"{by[''][key]:.1f}" for key in text_keys)] for tool, by in figures.items()),
        "---:",
    )
    scopes = [*languages, ""]  # the empty string represents all languages together
    yield from table(
        ["task", *(f"{scope or 'all'} {part}" for scope in scopes for part in PARTS)],
        (
            [tool, *(f"{by[scope][key]:.1f}" for scope in scopes for key in task_keys)]
            for tool, by in figures.items()
        ),
        "---:",
    )
    keys = [*text_keys, *task_keys]
    yield from table(
        ["best", *(" ".join(key) for key in keys)],
        ([scope or "all", *(best_tools(figures, scope, key) for key in keys)] for scope in scopes),
        "---",
    )


def main() -> None:
    """Score the tools of the paper on a corpus, and print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--task", type=Path, required=True, help="names of diseases by language")
    parser.add_argument("--boilerpipe", default="boilerpipe_java", help="method for Boilerpipe")
    parser.add_argument("--sample", type=int, help="maximum number of pages per language")
    parser.add_argument("--cache", type=Path, help="folder in which results are cached")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    runner = Runner(processes=options.jobs, cache=options.cache)
    corpus = load_corpus(options.corpus)
    diseases = load_diseases(options.task)
    tools = Tools(corpus, diseases, runner, options.boilerpipe, options.sample)
    figures = {tool: tools.figures(tool) for tool in TOOLS}
    print(f"{tools.count} pages of {corpus.name}, {options.boilerpipe}\n")
    print("\n".join(all_tables(figures, tools.languages)))


if __name__ == "__main__":
    main()
