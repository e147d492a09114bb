"""Train comment detection: ``python -m benchmarks.comments.train FOLDER --model FILE …``.

``FOLDER`` contains the corpora. Pages whose gold records list comments individually provide both
correct and wrong candidates; pages without comments provide only wrong ones. Pages whose gold
records have only the comments' text as a whole also provide both (see `settled`).
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from benchmarks.boosting import as_trees, mean_of, new_classifier
from benchmarks.comments.examples import THREAD, Example, read_examples
from benchmarks.comments.labels import is_good
from benchmarks.extraction.folds import fold_of
from benchmarks.training.headers import ModelFile, Training, corpus_used, training_of
from detourage.comments.certainty import Certainty, Floats, measure_choice, read_choice
from detourage.comments.discussion import is_discussion
from detourage.comments.elements import PageElements
from detourage.comments.finding import MIN_PROBABILITY
from detourage.inference import BoostedTrees, Rows

CORPORA = ("reader_comments", "forum_threads", "dragnet", "l3s_gn1", "wcxb")

TREES = 120
LEAVES = 12
MIN_CANDIDATES_IN_LEAF = 15

RUNS = 4
"""Number of classifiers with different seeds that are averaged."""

QUANTILES = 63
"""Maximum number of distinct values per column in training."""

FOLDS = 4
"""Number of folds of sites for cross-validation."""

TOGETHER = 0.7
"""Minimum word F1 with the text of all comments for a candidate to count as correct."""

CERTAINTY_FREEDOM = 0.3
"""Inverse regularisation strength (scikit-learn's ``C``) of the regression for confidences."""

TREES_OF_CERTAINTY = 48
LEAVES_OF_CERTAINTY = 6
"""Number of trees per run, and number of leaves per tree, of the trees that are averaged with the
regression."""

LEAST_DEVIATION = 1e-9

GOOD_WEIGHT = 1.0
"""Total weight of the correct candidates of a page."""

OTHERS_WEIGHT = 1.0
"""Total weight of the wrong candidates of a page whose gold record lists comments individually."""

NEARLY_BEST = 3.0
"""Maximum gap in F1, in percent, between a correct candidate and the best one of its page. Other
good candidates are not used in training."""

BARE_WEIGHT = 0.2
"""Total weight of the wrong candidates of a page whose gold record lists no individual comments. It
is low because such pages are far more numerous."""

HARDEST = 10
"""Number of likeliest candidates always used on a page whose gold record lists no individual
comments."""

EASY = 8
"""Approximate number of less likely candidates used on such a page in addition to the `HARDEST`;
they are evenly spaced in order of likelihood."""

AGREES = 0.85
"""Minimum agreement with the text of all comments for a candidate to be possibly correct."""

DIFFERS = 0.3
"""A candidate is wrong if it agrees less than this with the text of all comments."""

MIN_SETTLED = 3
"""Minimum number of records for a candidate to be possibly correct. Candidates with fewer records
are too often something other than comments."""

GOOD_F1 = 100.0
"""Score assigned to the candidate that `settled` accepts as correct."""

BLINDED = (
    ("mean personal", "records with personal"),
    ("mean discussing", "records named discussing", "discussing around"),
)
"""Groups of columns. Each group is set to zero on a different half of the pages, so that
classification also works for languages and terms that do not occur in training."""

_Labels = tuple[Rows, npt.NDArray[np.bool_], npt.NDArray[np.float64]]


def train(examples: Sequence[Example]) -> BoostedTrees:
    """Train the classifier of candidates on pages.

    A first classifier, trained on pages whose gold records list comments individually, selects the
    hardest candidates on other pages. Threads whose gold records have only the posts' text as a
    whole are left out, because the first classifier alone would decide where their posts begin (see
    README.md).
    """
    measured = [
        example for example in examples if example.candidates and example.gold.kind != THREAD
    ]
    marked = [example for example in measured if example.page_f1 is not None]
    first = _fit(marked, runs=1)
    others = [
        _hardest(settled(example, first), first) for example in measured if example.page_f1 is None
    ]
    return _fit([*marked, *others], RUNS)


def train_folds(examples: Sequence[Example], folds: int = FOLDS) -> list[BoostedTrees]:
    """Train one classifier per fold of sites, each on the pages of all other folds."""
    return [
        train([each for each in examples if fold_of(each.gold.site, folds) != fold])
        for fold in range(folds)
    ]


def out_of_fold(
    examples: Sequence[Example], models: Sequence[BoostedTrees] | None = None
) -> list[Floats]:
    """Return the probabilities of each page's candidates by a classifier trained on other sites."""
    models = models or train_folds(examples)
    return [
        models[fold_of(example.gold.site, len(models))].probabilities(example.features)
        if example.candidates
        else np.zeros(0)
        for example in examples
    ]


@dataclass(frozen=True)
class Choice:
    """The likeliest candidate of a page.

    `place` is its index among the candidates. `measures` describes the comments read from it, or is
    None if the candidate is too unlikely to be read.
    """

    example: Example
    place: int
    measures: Mapping[str, float] | None
    discusses: bool = False

    @property
    def is_right(self) -> bool | None:
        """Whether the candidate is correct; None if this cannot be decided from the gold record."""
        example = self.example
        if example.page_f1 is not None:
            return bool(is_good(example.page_f1)[self.place])
        if example.agreement is None or example.agreement[self.place] <= DIFFERS:
            return False
        return True if example.agreement[self.place] >= TOGETHER else None


def choose(example: Example, probabilities: Floats) -> Choice | None:
    """Choose and read the likeliest candidate of a page; return None if there are no candidates."""
    if not len(probabilities):
        return None
    place = int(probabilities.argmax())
    if probabilities[place] < MIN_PROBABILITY:
        return Choice(example, place, None)
    elements = PageElements.of(example.page.flat)
    read = read_choice(example.page, elements, example.candidates, probabilities)
    measures = measure_choice(elements, example.candidates, probabilities, read)
    return Choice(example, place, measures, is_discussion(read))


def train_certainty(choices: Iterable[Choice]) -> Certainty:
    """Train the certainty on choices made by classifiers that were trained on other sites."""
    settled = [
        (choice.measures, choice.is_right)
        for choice in choices
        if choice.measures is not None and choice.is_right is not None
    ]
    [columns] = {tuple(measures) for measures, _ in settled}
    rows = np.array([list(measures.values()) for measures, _ in settled])
    labels = np.array([is_right for _, is_right in settled])
    mean, deviation = rows.mean(axis=0), np.maximum(rows.std(axis=0), LEAST_DEVIATION)
    regression = LogisticRegression(C=CERTAINTY_FREEDOM, max_iter=1_000)
    regression.fit((rows - mean) / deviation, labels)
    weights = regression.coef_[0] / deviation
    base = float(regression.intercept_[0] - weights @ mean)
    return Certainty(
        columns,
        tuple(round(float(each), 4) for each in weights),
        round(base, 4),
        mean_of([_trees_of_certainty(columns, rows, labels, seed) for seed in range(RUNS)]),
    )


def _trees_of_certainty(
    columns: Sequence[str], rows: Floats, labels: npt.NDArray[np.bool_], seed: int
) -> BoostedTrees:
    classifier = new_classifier(
        trees=TREES_OF_CERTAINTY,
        leaves=LEAVES_OF_CERTAINTY,
        min_rows_in_leaf=MIN_CANDIDATES_IN_LEAF,
        seed=seed,
    )
    return as_trees(classifier.fit(rows, labels), columns)


def certainties_of_folds(choices: Sequence[Choice | None], folds: int = FOLDS) -> list[Certainty]:
    """Train one regression per fold of sites, each on the choices of all other folds."""
    return [
        train_certainty(
            choice
            for choice in choices
            if choice is not None and fold_of(choice.example.gold.site, folds) != fold
        )
        for fold in range(folds)
    ]


def settled(example: Example, first: BoostedTrees) -> Example:
    """Choose the correct candidate if the gold record only has the comments' text as a whole.

    Of the candidates that agree with this text, the likeliest counts as correct. Candidates that
    agree with a part of it are left out.
    """
    agreement = example.agreement
    if agreement is None:
        return example
    sizes = np.array([len(candidate.members) for candidate in example.candidates])
    agrees = (agreement >= AGREES) & (sizes >= MIN_SETTLED)
    likelihood = np.where(agrees, first.probabilities(example.features), -1.0)
    right = (np.arange(len(agreement)) == likelihood.argmax()) & agrees
    kept = np.flatnonzero(right | (agreement < DIFFERS))
    return replace(example, page_f1=np.where(right, GOOD_F1, 0.0)).only(kept)


def _hardest(example: Example, first: BoostedTrees) -> Example:
    order = np.argsort(-first.probabilities(example.features), kind="stable")
    rest = order[HARDEST:]
    kept = np.concatenate([order[:HARDEST], rest[:: max(1, len(rest) // EASY)]])
    if example.page_f1 is not None:
        kept = np.union1d(kept, np.flatnonzero(is_good(example.page_f1)))
    return example.only(kept)


def _labels(example: Example) -> _Labels:
    page_f1 = np.zeros(len(example.candidates)) if example.page_f1 is None else example.page_f1
    is_near = is_good(page_f1)
    good = is_near & (page_f1 >= page_f1.max(initial=0.0) - NEARLY_BEST)
    kept = good | ~is_near
    is_marked = example.gold.comments is not None
    others_weight = OTHERS_WEIGHT if is_marked else BARE_WEIGHT
    weights = np.where(
        good,
        GOOD_WEIGHT / max(int(good.sum()), 1),
        others_weight / max(int((~good).sum()), 1),
    )
    return _blinded(example)[kept], good[kept], weights[kept]


def _blinded(example: Example) -> Rows:
    """Return the features of candidates, with the columns `BLINDED` for this page set to zero."""
    chance = sha256(example.gold.id.encode()).digest()
    features = example.features
    rows = features.rows.copy()
    for columns, byte in zip(BLINDED, chance, strict=False):
        if byte % 2:
            rows[:, [features.columns.index(column) for column in columns]] = 0.0
    return rows


def _fit(examples: Sequence[Example], runs: int) -> BoostedTrees:
    [columns] = {example.features.columns for example in examples}
    parts = map(_labels, examples)
    rows, labels, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    rounded = _rounded(rows)
    models = []
    for seed in range(runs):
        classifier = new_classifier(
            trees=TREES, leaves=LEAVES, min_rows_in_leaf=MIN_CANDIDATES_IN_LEAF, seed=seed
        )
        classifier.fit(rounded, labels, sample_weight=weights * len(rows) / weights.sum())
        models.append(as_trees(classifier, columns))
    return mean_of(models)


def _rounded(rows: Rows) -> Rows:
    """Round each value to the nearest of its column's `QUANTILES`, which speeds up training."""
    rounded = rows.copy()
    for column in rounded.T:
        quantiles = np.unique(
            np.quantile(column, np.linspace(0.0, 1.0, QUANTILES), method="nearest")
        )
        borders = (quantiles[1:] + quantiles[:-1]) / 2
        column[:] = quantiles[np.searchsorted(borders, column)]
    return rounded


def read_corpora(folder: Path) -> Iterator[Example]:
    """Read the pages of `CORPORA`."""
    for name in CORPORA:
        yield from read_examples(folder / name)


def describe(folder: Path, examples: Sequence[Example], choices: Sequence[Choice]) -> Training:
    """Describe the training by `main`, with the share of pages whose top candidate is correct."""
    corpora = [
        corpus_used(
            folder / name,
            "comments",
            ((each.gold.id, each.gold.site) for each in examples if each.corpus == name),
        )
        for name in CORPORA
    ]
    marked = [each.is_right for each in choices if each.example.page_f1 is not None]
    pages = sum(each.page_f1 is not None for each in examples)
    scores = {"P@1": 100 * sum(map(bool, marked)) / pages}
    how = "cross-validated over sites, on the pages whose comments were marked one by one"
    return training_of(corpora, "benchmarks.comments.train", scores, how)


def main() -> None:
    """Train the models and write them to the given files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the corpora")
    parser.add_argument("--model", type=Path, required=True, help="file for the classifier")
    parser.add_argument("--certainty", type=Path, required=True, help="file for the regression")
    options = parser.parse_args()
    examples = list(read_corpora(options.folder))
    made = map(choose, examples, out_of_fold(examples))
    choices = [choice for choice in made if choice is not None]
    training = describe(options.folder, examples, choices)
    certainty = ModelFile(training, train_certainty(choices))
    options.certainty.write_text(certainty.to_json(), encoding="utf-8")
    options.model.write_text(ModelFile(training, train(examples)).to_json(), encoding="utf-8")


if __name__ == "__main__":
    main()
