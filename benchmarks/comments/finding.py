"""Print how well comments are found: ``python -m benchmarks.comments.finding CORPORA``.

Cross-validated: no page is scored by a classifier that has seen its site. Records are scored as
they are found, author, date and buttons included, and as they are read.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from lxml.html import HtmlElement

from benchmarks.comments.examples import Example
from benchmarks.comments.labels import is_good
from benchmarks.comments.train import read_corpora, train
from benchmarks.extraction.examples import fold_of
from worker.boosting import BoostedTrees
from worker.comments.commentsminer import mine_comments
from worker.comments.elements import PageElements
from worker.comments.finding import MIN_CONFIDENCE
from worker.comments.reading import read_comments
from worker.evaluation.agreement import bag_of_words
from worker.evaluation.comments import GOOD_PAGE_F1, CommentScore, score_comments
from worker.evaluation.records import Comment
from worker.evaluation.words import words

FOLDS = 4

MARKED = ("reader_comments", "forum_threads")
"""Corpora whose comments were marked one by one."""

AGREES = 0.7
"""F1 of the words of all comments from which a page's were found, where no more is marked."""


@dataclass(frozen=True)
class Result:
    """What was found on a page.

    Attributes
    ----------
    example
        The page.
    confidence
        Probability of the likeliest candidate; 0 where there is none.
    page_f1
        How well its records agree with the gold's comments, in percent; None where these are
        not marked one by one.
    score
        The same of what is read from the records.
    agreement
        F1 of all their words, from 0 to 1, where the gold's are marked together.
    """

    example: Example
    confidence: float
    page_f1: float | None
    score: CommentScore | None
    agreement: float | None

    @property
    def is_found(self) -> bool:
        """Whether the service would take the candidate for comments."""
        return self.confidence >= MIN_CONFIDENCE


def cross_validate(examples: Sequence[Example], folds: int) -> Iterator[Result]:
    """Find the comments of pages whose sites the classifier has not seen."""
    for fold in range(folds):
        model = train([each for each in examples if fold_of(each.gold.site, folds) != fold])
        for example in examples:
            if fold_of(example.gold.site, folds) == fold:
                yield find(example, model)


def find(example: Example, model: BoostedTrees) -> Result:
    """Find and read the comments of the likeliest candidate."""
    if not example.candidates:
        return Result(example, 0.0, None, None, None if example.is_bare else 0.0)
    probabilities = model.probabilities(example.rows)
    best = int(probabilities.argmax())
    elements = PageElements.of(example.page.document).elements
    records = [elements[index] for index in example.candidates[best].members]
    return Result(
        example,
        float(probabilities[best]),
        None if example.page_f1 is None else float(example.page_f1[best]),
        _score(example, records),
        None if example.agreement is None else float(example.agreement[best]),
    )


def _score(example: Example, records: Sequence[HtmlElement]) -> CommentScore | None:
    if example.gold.comments is None:
        return None
    found = read_comments(records, example.page.url)
    return score_comments(
        [Comment(each.text, each.author, parent=each.parent) for each in found],
        example.gold.comments,
    )


def table(results: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of a table of the corpora whose comments were marked one by one.

    P@1 is of the likeliest candidate whatever its probability, all else of what the service
    takes for comments.
    """
    yield (
        "| | pages | among the candidates | P@1 | P@1, read | taken for comments "
        "| comment F1 | comment F1, read | text F1, read |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for name in (*MARKED, "both"):
        scored = [
            (each, each.page_f1, each.score)
            for each in results
            if each.page_f1 is not None
            and each.score is not None
            and (each.example.corpus == name or name == "both")
        ]
        figures = (
            [
                100.0
                * bool(each.example.page_f1 is not None and is_good(each.example.page_f1).any())
                for each, _, _ in scored
            ],
            [100.0 * (page_f1 >= GOOD_PAGE_F1) for _, page_f1, _ in scored],
            [100.0 * score.good for _, _, score in scored],
            [100.0 * each.is_found for each, _, _ in scored],
            [page_f1 if each.is_found else 0.0 for each, page_f1, _ in scored],
            [score.records.f1 if each.is_found else 0.0 for each, _, score in scored],
            [score.text_f1 for each, _, score in scored if each.is_found and score.text_f1],
        )
        means = " | ".join(f"{fmean(values):.1f}" for values in figures)
        yield f"| {name} | {len(scored)} | {means} |"


def table_of_pages(results: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of a table of corpora of articles: comments found, and false alarms."""
    yield "| | pages with comments | found | rightly | pages without | false alarms |"
    yield "|---|---:|---:|---:|---:|---:|"
    names = dict.fromkeys(each.example.corpus for each in results if each.example.page_f1 is None)
    for name in names:
        of_corpus = [each for each in results if each.example.corpus == name]
        bare = [each for each in of_corpus if each.example.is_bare]
        commented = [each for each in of_corpus if not each.example.is_bare]
        found = [each for each in commented if each.is_found]
        rightly = [(each.agreement or 0.0) >= AGREES for each in found]
        yield (
            f"| {name} | {len(commented)} | {_percent([each.is_found for each in commented])} "
            f"| {_percent(rightly)} | {len(bare)} | {_percent([each.is_found for each in bare])} |"
        )


def without_threads(examples: Sequence[Example]) -> Iterator[str]:
    """Yield what a classifier makes of threads that has seen none."""
    model = train([each for each in examples if each.corpus != "forum_threads"])
    results = [find(each, model) for each in examples if each.corpus == "forum_threads"]
    good = [each.page_f1 >= GOOD_PAGE_F1 for each in results if each.page_f1 is not None]
    read = [each.score.good for each in results if each.score is not None]
    yield f"P@1 on threads, trained without: {_percent(good)} %, read {_percent(read)} %"


def beside(examples: Sequence[Example]) -> Iterator[str]:
    """Yield the lines of a table of other methods on the same pages."""
    yield "| | corpus | P@1, read | comment F1, read | F1 of all words |"
    yield "|---|---|---:|---:|---:|"
    for corpus in MARKED:
        of_corpus = [each for each in examples if each.corpus == corpus]
        scores = [_score(each, mine_comments(each.page)) for each in of_corpus]
        known = [score for score in scores if score is not None]
        f1 = fmean(score.records.f1 for score in known)
        good = _percent([score.good for score in known])
        yield f"| commentsminer (has seen the pages) | {corpus} | {good} | {f1:.1f} | |"
        together = [_together(each, _trafilatura(each)) for each in of_corpus]
        yield f"| trafilatura's comments | {corpus} | | | {fmean(together):.1f} |"


def _trafilatura(example: Example) -> str:
    from trafilatura import bare_extraction

    found = bare_extraction(deepcopy(example.page.document), include_comments=True)
    return (found.comments or "") if found is not None else ""


def _together(example: Example, text: str) -> float:
    wanted = " ".join(comment.text for comment in example.gold.comments or ())
    return bag_of_words(words(text), words(wanted)).f1


def _percent(flags: Sequence[bool]) -> str:
    return f"{100 * fmean(flags):.1f}" if flags else "–"


def print_scores(results: Sequence[Result], thresholds: Mapping[str, float]) -> None:
    """Print what other thresholds than the service's would give."""
    for name, threshold in thresholds.items():
        marked = [each.confidence >= threshold for each in results if each.page_f1 is not None]
        bare = [each.confidence >= threshold for each in results if each.example.is_bare]
        print(f"{name}: {_percent(marked)} % of comments taken, {_percent(bare)} % false alarms")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    options = parser.parse_args()
    examples = list(read_corpora(options.corpora))
    print("\n".join(beside(examples)), end="\n\n", flush=True)
    results = list(cross_validate(examples, FOLDS))
    print("\n".join(table(results)), end="\n\n", flush=True)
    print("\n".join(table_of_pages(results)), end="\n\n", flush=True)
    print_scores(results, {f"from {each:.1f}": each for each in np.arange(0.2, 0.9, 0.1)})
    print("\n".join(without_threads(examples)))


if __name__ == "__main__":
    main()
