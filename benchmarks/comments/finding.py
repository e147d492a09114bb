"""Print how well comments are found: ``python -m benchmarks.comments.finding CORPORA``.

Cross-validated: no page is scored by a classifier that has seen its site. Texts are compared as
they are read from the records.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
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
from worker.evaluation.comments import CommentScore, score_comments
from worker.evaluation.records import Comment
from worker.evaluation.words import words

FOLDS = 5

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
    score
        How well the comments of that candidate agree with the gold's; None where the gold's
        are not marked one by one.
    agreement
        F1 of all their words, from 0 to 1, where the gold's are marked together.
    """

    example: Example
    confidence: float
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
        return Result(example, 0.0, _score(example, ()), None if example.is_bare else 0.0)
    probabilities = model.probabilities(example.rows)
    best = int(probabilities.argmax())
    elements = PageElements.of(example.page.document).elements
    records = [elements[index] for index in example.candidates[best].members]
    agreement = None if example.agreement is None else float(example.agreement[best])
    return Result(example, float(probabilities[best]), _score(example, records), agreement)


def _score(example: Example, records: Sequence[HtmlElement]) -> CommentScore | None:
    if example.gold.comments is None:
        return None
    found = read_comments(records, example.page.url)
    return score_comments(
        [Comment(each.text, each.author, parent=each.parent) for each in found],
        example.gold.comments,
    )


def table(results: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of a table of the corpora whose comments were marked one by one."""
    yield "| | pages | among the candidates | P@1 | taken for comments | comment F1 | text F1 |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for name in (*MARKED, "both"):
        scored = [
            (each, each.score)
            for each in results
            if each.score is not None and (each.example.corpus == name or name == "both")
        ]
        recall = [
            each.example.page_f1 is not None and bool(is_good(each.example.page_f1).any())
            for each, _ in scored
        ]
        texts = [score.text_f1 for each, score in scored if each.is_found and score.text_f1]
        yield (
            f"| {name} | {len(scored)} | {_percent(recall)} "
            f"| {_percent([score.good for _, score in scored])} "
            f"| {_percent([each.is_found for each, _ in scored])} "
            f"| {fmean(score.records.f1 if each.is_found else 0.0 for each, score in scored):.1f} "
            f"| {fmean(texts):.1f} |"
        )


def table_of_pages(results: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of a table of corpora of articles: comments found, and false alarms."""
    yield "| | pages with comments | found | rightly | pages without | false alarms |"
    yield "|---|---:|---:|---:|---:|---:|"
    names = dict.fromkeys(each.example.corpus for each in results if each.score is None)
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
    scores = [each.score for each in results if each.score is not None]
    yield f"P@1 on threads, trained without: {_percent([score.good for score in scores])} %"


def beside(examples: Sequence[Example]) -> Iterator[str]:
    """Yield the lines of a table of other methods on the same pages."""
    yield "| | corpus | good pages | comment F1 | F1 of all words together |"
    yield "|---|---|---:|---:|---:|"
    for corpus in MARKED:
        of_corpus = [each for each in examples if each.corpus == corpus]
        scores = [_score(each, mine_comments(each.page)) for each in of_corpus]
        known = [score for score in scores if score is not None]
        f1 = fmean(score.records.f1 for score in known)
        yield f"| commentsminer | {corpus} | {_percent([s.good for s in known])} | {f1:.1f} | |"
        together = [_together(each, _trafilatura(each)) for each in of_corpus]
        yield f"| trafilatura's comments | {corpus} | | | {fmean(together):.1f} |"


def _trafilatura(example: Example) -> str:
    from trafilatura import bare_extraction

    found = bare_extraction(example.page.document, include_comments=True)
    return (found.comments or "") if found is not None else ""


def _together(example: Example, text: str) -> float:
    wanted = " ".join(comment.text for comment in example.gold.comments or ())
    return bag_of_words(words(text), words(wanted)).f1


def _percent(flags: Sequence[bool]) -> str:
    return f"{100 * fmean(flags):.1f}" if flags else "–"


def print_scores(results: Sequence[Result], thresholds: Mapping[str, float]) -> None:
    """Print what other thresholds than the service's would give."""
    for name, threshold in thresholds.items():
        marked = [each.confidence >= threshold for each in results if each.score is not None]
        bare = [each.confidence >= threshold for each in results if each.example.is_bare]
        print(f"{name}: {_percent(marked)} % of comments taken, {_percent(bare)} % false alarms")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    options = parser.parse_args()
    examples = list(read_corpora(options.corpora))
    results = list(cross_validate(examples, FOLDS))
    print("\n".join(table(results)), end="\n\n", flush=True)
    print("\n".join(table_of_pages(results)), end="\n\n", flush=True)
    print_scores(results, {f"from {each:.1f}": each for each in np.arange(0.2, 0.9, 0.1)})
    print("\n".join(without_threads(examples)), end="\n\n", flush=True)
    print("\n".join(beside(examples)))


if __name__ == "__main__":
    main()
