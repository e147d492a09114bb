"""Measure the confidence of articles.

python -m benchmarks.extraction.confidence CORPORA --models FOLDER

CORPORA is the folder of the corpora. As in the service, each page is read without other pages, by
the model in FOLDER that was not trained on the page's site (see `benchmarks.extraction.folds`). An
article is correct if the F1 of its words is at least 0.8. The script prints the shares of incorrect
and correct articles whose confidence is below a limit.
"""

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.metrics import brier_score_loss, roc_auc_score

from benchmarks.evaluation.bench.measuring import measurable
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.scores import Gold, bag_of_words, headline_of, load_corpus, words
from benchmarks.extraction.folds import ARTICLES, FoldModels
from detourage.html import PageError
from detourage.limits import DOUBTFUL_CONFIDENCE
from detourage.papers.conversion import page_of
from detourage.reader.article import PageInTemplate, find_article
from detourage.reader.article_and_comments import comments_of
from detourage.reader.comment_exclusion import comments_to_exclude
from detourage.reader.found_body import FoundBody
from detourage.reader.no_article_errors import NoArticleError
from detourage.reader.outline import Outline
from detourage.reader.predictions import GOOD_F1, confidence_of

CORPORA = (
    *("wcxb", "fundus_body", "daniel", "dragnet", "l3s_gn1", "msv_big9"),
    *("zh_cwced", "cleaneval_dev", "cleanportaleval"),
)
RECENT_CORPORA = frozenset({"wcxb", "fundus_body"})  # all other corpora are from 2008 to 2016

MAX_FALSE_FLAGS = 0.1
"""Share of the correct articles whose confidence is below the limit in column "10 % false"."""

_Floats = npt.NDArray[np.float64]
_Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class PageExample:
    """The confidence in an extracted article, and whether its text matches the gold text.

    `expected_f1` is the word F1 that the probabilities of the lines predict; `is_right` states
    whether the actual F1 is at least `GOOD_F1`.
    """

    corpus: str
    gold: Gold
    confidence: float
    expected_f1: float
    is_right: bool


def read_examples(folder: Path, models: FoldModels) -> Iterator[PageExample]:
    """Compute the confidence in the articles of a corpus; omit pages without an article."""
    corpus = load_corpus(folder)
    for gold in measurable(corpus):
        if not gold.text:
            continue
        page = corpus.pages[gold.id]
        source = Source(page.html, page.url, page.content_type)
        with models.on_site(gold.site):
            try:
                yield _example(corpus.name, gold, source)
            except (PageError, NoArticleError):
                continue


def read_all(folders: Sequence[Path], models: Path, processes: int) -> Iterator[PageExample]:
    """Compute the confidence in the articles of corpora in the given number of processes."""
    with ProcessPoolExecutor(processes) as pool:
        for examples in pool.map(_read_in_process, folders, repeat(models)):
            yield from examples


def _read_in_process(folder: Path, models: Path) -> list[PageExample]:
    return [*read_examples(folder, FoldModels.of(models))]


def _example(corpus: str, gold: Gold, source: Source) -> PageExample:
    """Extract an article as the service does, and compare its text with the gold text."""
    page = page_of(source)
    outline = Outline.of(page.flat)
    page_in_template = PageInTemplate(page.url, outline)
    excluded = comments_to_exclude(page, comments_of(page))
    article, finding = find_article(page_in_template, excluded)
    found_body = finding or FoundBody(article.method, container=0)
    confidence = confidence_of(outline, page_in_template.judged, finding)
    headline = headline_of(gold, page.document)
    text = f"{headline.text}\n{article.text}" if headline is not None else article.text
    found_words, gold_words = words(text.lower()), words((gold.text or "").lower())
    is_right = bag_of_words(found_words, gold_words).f1 >= 100 * GOOD_F1
    return PageExample(corpus, gold, confidence, found_body.confidence, is_right)


def comparison_table(examples: Sequence[PageExample], confidences: _Floats) -> Iterator[str]:
    """Yield the lines of a table that compares the confidence with the expected F1."""
    yield (
        "| | pages | not right | by | area under ROC | flagged, 10 % false, %"
        f" | below {DOUBTFUL_CONFIDENCE}: not right, % | others, % | Brier |"
    )
    yield "|---|---:|---:|---|---:|---:|---:|---:|---:|"
    expected = np.array([each.expected_f1 for each in examples])
    is_right = np.array([each.is_right for each in examples])
    for name, mask in _masks_by_group(examples).items():
        right = is_right[mask]
        for score, values in (("expected F1", expected[mask]), ("confidence", confidences[mask])):
            limit = np.quantile(values[right], MAX_FALSE_FLAGS)
            figures = [
                f"{roc_auc_score(right, values):.3f}",
                f"{100 * np.mean(values[~right] < limit):.0f}",
                f"{100 * np.mean(values[~right] < DOUBTFUL_CONFIDENCE):.0f}",
                f"{100 * np.mean(values[right] < DOUBTFUL_CONFIDENCE):.1f}",
                f"{brier_score_loss(right, values):.4f}",
            ]
            yield f"| {name} | {len(right)} | {(~right).sum()} | {score} | {' | '.join(figures)} |"


def calibration_table(examples: Sequence[PageExample], confidences: _Floats) -> Iterator[str]:
    """Yield the lines of a table that shows the share of correct articles by confidence."""
    is_right = np.array([each.is_right for each in examples])
    yield "| confidence | pages | right, % |"
    yield "|---|---:|---:|"
    for low, high in ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 1.01)):
        inside = (confidences >= low) & (confidences < high)
        share = 100 * np.mean(is_right[inside]) if inside.any() else 0.0
        yield f"| {low} to {min(1, high)} | {inside.sum()} | {share:.0f} |"


def _masks_by_group(examples: Sequence[PageExample]) -> dict[str, _Booleans]:
    """Return, for each row group of the table, which examples belong to it."""
    corpora = np.array([each.corpus for each in examples])
    articles = np.array([each.gold.kind in ARTICLES for each in examples])
    today = np.isin(corpora, [*RECENT_CORPORA])
    return {
        "all": np.ones(len(examples), dtype=np.bool_),
        "wcxb, all kinds": corpora == "wcxb",
        "articles": articles,
        "articles of today": articles & today,
        "articles of 2008 to 2016": articles & ~today,
    }


def main() -> None:
    """Print how well the confidence separates correct articles, and how well it is calibrated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument(
        "--models", type=Path, required=True, help="folder with the models of the folds"
    )
    parser.add_argument("--processes", type=int, default=2, help="number of processes")
    options = parser.parse_args()
    folders = [options.corpora / name for name in CORPORA]
    examples = [*read_all(folders, options.models, options.processes)]
    found = np.array([each.confidence for each in examples])
    print("\n".join(comparison_table(examples, found)), end="\n\n")
    print("\n".join(calibration_table(examples, found)), flush=True)


if __name__ == "__main__":
    main()
