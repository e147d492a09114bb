"""Print the accuracy of CommentsMiner: ``python -m benchmarks.comments.paper CORPORA``.

Subtrees are mined and ranked by the paper's eight features. As in the paper (Subercaze et al. 2016,
table 1), a ranker is trained on a fifth of the sites and tested on the rest. Each fifth is used for
training once, and the division is repeated until there are a hundred runs. The table also shows the
results of training on four fifths. ``--model`` writes the best ranker, trained on all pages.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median

import numpy as np

from benchmarks.boosting import to_model
from benchmarks.comments.labels import is_good, score_groups
from benchmarks.comments.rankers import (
    RANKERS,
    Floats,
    RankedPage,
    Ranker,
    boosted_trees,
    fit_boosted_trees,
)
from benchmarks.evaluation.scores import load_corpus
from benchmarks.training.headers import ModelFile, corpus_used, describe_training
from detourage.html import parse_page
from detourage.inference import BoostedTrees
from detourage.papers.commentsminer.measures import measure
from detourage.papers.commentsminer.mining import displayed, mine

FOLDS = 5  # a run trains on one or four of these parts of the sites

COLUMNS = tuple(
    f"{what} {measure}"
    for measure in ("text_density", "characters", "link_density", "words")
    for what in ("mean", "variation of")
)
"""The paper's eight features."""

CORPORA = ("reader_comments", "forum_threads")


@dataclass(frozen=True)
class MinedPage:
    """A page with the paper's features (`rows`) and the F1, in percent, of each mined subtree."""

    corpus: str
    id: str
    site: str
    rows: Floats
    page_f1: Floats


def mine_pages(folder: Path) -> Iterator[MinedPage]:
    """Mine the pages of a corpus whose gold records list comments individually."""
    corpus = load_corpus(folder)
    for stored in corpus.pages.values():
        gold = corpus.golds[stored.id]
        page = parse_page(stored.html, stored.url, content_type=stored.content_type)
        elements = displayed(page.flat)
        groups = [subtree.roots for subtree in mine(elements)]
        rows, page_f1 = np.empty((0, len(COLUMNS))), np.empty(0)
        if groups:
            features = measure(elements, groups)
            assert features.columns == COLUMNS
            rows = features.rows.astype(np.float64)
            page_f1 = score_groups(elements, groups, gold.comments or ())
        yield MinedPage(corpus.name, gold.id, gold.site, rows, page_f1)


def table(pages: Sequence[MinedPage], runs: int, rankers: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a table of rankers with the mean and deviation of P@1 over runs."""
    sizes = [len(page.page_f1) for page in pages]
    yield f"{len(pages)} pages, {median(sizes):.0f} subtrees (median), at most {max(sizes)}"
    for corpus in CORPORA:
        recall = [bool(is_good(page.page_f1).any()) for page in pages if page.corpus == corpus]
        yield f"right subtree mined, {corpus}: {100 * fmean(recall):.1f} %"
    yield ""
    yield "| ranker | trained on a fifth | if the right one was mined | trained on four fifths |"
    yield "|---|---:|---:|---:|"
    # `few` and `many` have the results of training on one fifth and on four fifths of the sites.
    for name in rankers:
        ranker = RANKERS[name]
        few = np.array([_precision_of_run(pages, ranker, run, is_few=True) for run in range(runs)])
        many = np.array(
            [
                _precision_of_run(pages, ranker, run, is_few=False)
                for run in range(max(1, runs // 20))
            ]
        )
        yield (
            f"| {name} | {few[:, 0].mean():.1f} ± {few[:, 0].std():.1f} | {few[:, 1].mean():.1f}"
            f" | {many[:, 0].mean():.1f} ± {many[:, 0].std():.1f} |"
        )
    shares = [float(is_good(page.page_f1).mean()) if len(page.page_f1) else 0.0 for page in pages]
    by_chance = 100 * fmean(shares)
    possible = 100 * fmean(share for share in shares if share)
    yield f"| a random candidate | {by_chance:.1f} | {possible:.1f} | {by_chance:.1f} |"


def _precision_of_run(
    pages: Sequence[MinedPage], ranker: Ranker, run: int, *, is_few: bool
) -> tuple[float, float]:
    """Return a run's P@1 in percent, over all pages and over the pages whose comments were mined.

    Every five consecutive runs share one division of the sites.
    """
    sites = sorted({page.site for page in pages})
    rng = np.random.default_rng(run // FOLDS)
    folds = dict(zip(sites, rng.permutation(np.arange(len(sites)) % FOLDS).tolist(), strict=True))
    is_training = [(folds[page.site] == run % FOLDS) == is_few for page in pages]
    training_pages = [page for page, is_own in zip(pages, is_training, strict=True) if is_own]
    means, deviations = mean_and_deviation(training_pages)
    scorer = ranker(ranked_lists(training_pages, means, deviations))
    right, possible = [], []
    for page, is_own in zip(pages, is_training, strict=True):
        if not is_own:
            good = is_good(page.page_f1)
            possible.append(bool(good.any()))
            top_candidate = scorer((page.rows - means) / deviations).argmax() if len(good) else 0
            right.append(bool(good.any()) and bool(good[int(top_candidate)]))
    return 100 * fmean(right), 100 * sum(right) / max(sum(possible), 1)


def mean_and_deviation(pages: Sequence[MinedPage]) -> tuple[Floats, Floats]:
    """Return the mean and standard deviation of each feature."""
    rows = np.concatenate([page.rows for page in pages])
    return rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-9)


def ranked_lists(pages: Sequence[MinedPage], means: Floats, deviations: Floats) -> list[RankedPage]:
    """Return the training lists of the pages that have both correct and wrong candidates."""
    return [
        RankedPage((page.rows - means) / deviations, is_good(page.page_f1))
        for page in pages
        if 0 < is_good(page.page_f1).sum() < len(page.page_f1)
    ]


def train_shipped_ranker(pages: Sequence[MinedPage]) -> BoostedTrees:
    """Train the shipped ranking function, the best one in the table, on all pages."""
    unscaled = np.zeros(len(COLUMNS)), np.ones(len(COLUMNS))
    return to_model(fit_boosted_trees(ranked_lists(pages, *unscaled)), COLUMNS)


def shipped_model(pages: Sequence[MinedPage], folder: Path) -> ModelFile[BoostedTrees]:
    """Return the shipped ranking function with a description of its training."""
    runs = [_precision_of_run(pages, boosted_trees, run, is_few=False)[0] for run in range(FOLDS)]
    corpora = [
        corpus_used(
            folder / name,
            "comments",
            ((page.id, page.site) for page in pages if page.corpus == name),
        )
        for name in CORPORA
    ]
    how = "cross-validated over sites"
    training = describe_training(corpora, "benchmarks.comments.paper", {"P@1": fmean(runs)}, how)
    return ModelFile(training, train_shipped_ranker(pages))


def main() -> None:
    """Mine the pages, print the table of rankers, and write the ranking function if requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument("--model", type=Path, help="file to write the ranking function to")
    parser.add_argument(
        "--logarithms", action="store_true", help="use logarithms of features for the table"
    )
    parser.add_argument("--rankers", nargs="+", choices=RANKERS, default=[*RANKERS])
    parser.add_argument(
        "--runs", type=int, default=100, help="runs per ranker, in fives; 0 for no table"
    )
    options = parser.parse_args()
    pages = [page for name in CORPORA for page in mine_pages(options.corpora / name)]
    if options.model:
        model_text = shipped_model(pages, options.corpora).to_json()
        options.model.write_text(model_text, encoding="utf-8")
    if options.runs:
        if options.logarithms:
            pages = [replace(page, rows=np.log1p(page.rows)) for page in pages]
        for line in table(pages, options.runs, options.rankers):
            print(line, flush=True)


if __name__ == "__main__":
    main()
