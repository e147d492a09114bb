"""Train how comments are found: ``python -m benchmarks.comments.train FOLDER --model FILE …``.

``FOLDER`` holds the corpora. Pages whose comments were marked one by one teach which candidate
is right; pages without comments, that none is; pages whose comments were marked together teach
both, see `settled`.
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
from benchmarks.extraction.examples import fold_of
from benchmarks.training.headers import corpus_used, training_of
from worker.comments.certainty import Certainty, Floats, measure_choice, read_choice
from worker.comments.discussion import is_discussion
from worker.comments.elements import PageElements
from worker.comments.finding import MIN_PROBABILITY
from worker.inference import BoostedTrees, ModelFile, Rows, Training

CORPORA = ("reader_comments", "forum_threads", "dragnet", "l3s_gn1", "wcxb")

TREES = 120
LEAVES = 12
MIN_CANDIDATES_IN_LEAF = 15

RUNS = 4
"""Classifiers, drawn with other chances, whose mean is taken."""

QUANTILES = 63
"""Values of a column that are told apart in training."""

FOLDS = 4
"""Parts of the sites: those of one are judged by what the others teach."""

TOGETHER = 0.7
"""F1 of the words of all comments from which a page's were found, where no more is marked."""

CERTAINTY_FREEDOM = 0.3
"""How far the weights of the regression may be from 0, scikit-learn's ``C``."""

TREES_OF_CERTAINTY = 48
LEAVES_OF_CERTAINTY = 6
"""Trees that are weighed with the regression, of each of `RUNS`, and the leaves of one."""

LEAST_DEVIATION = 1e-9

GOOD_WEIGHT = 1.0
"""Weight of the right candidates of a page together."""

OTHERS_WEIGHT = 1.0
"""Weight of the wrong ones together, where comments were marked one by one."""

NEARLY_BEST = 3.0
"""F1, in percent, that a right candidate may stay behind the best of its page.

Those that stay behind farther, with a form among the comments or without the first post, teach
nothing: they are not wrong, and as right ones they kept the best from being told from them.
"""

BARE_WEIGHT = 0.2
"""The same on all other pages, of which there are eighteen times as many."""

HARDEST = 10
"""Candidates of such a page that are trained on whatever they are: the likeliest ones."""

EASY = 8
"""Candidates that are drawn from the rest, at even distances in the order of likelihood."""

AGREES = 0.85
"""Agreement with the text of all comments from which a candidate may be the right one."""

DIFFERS = 0.3
"""Agreement below which it cannot be."""

MIN_SETTLED = 3
"""Records of such a candidate: of fewer, too many are something else."""

GOOD_F1 = 100.0
"""Score that is noted of the candidate that `settled` takes for right."""

BLINDED = (
    ("mean personal", "records with personal"),
    ("mean discussing", "records named discussing", "discussing around"),
)
"""Columns that are emptied on every other page, each group on other ones.

They tell nothing where the language, or what a site calls its comments, is another than in
training, and must not be missed there.
"""

_Labels = tuple[Rows, npt.NDArray[np.bool_], npt.NDArray[np.float64]]


def train(examples: Sequence[Example]) -> BoostedTrees:
    """Train on pages.

    A first classifier, of the pages whose comments were marked one by one, finds the
    candidates that teach most on all others. Threads whose posts were marked together are left
    out: what is settled there is where a post begins by the first classifier alone, and that made
    the second one miss comments (README.md). They teach how certain to be.
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
    """Train a classifier for each fold of sites, on the pages of all others."""
    return [
        train([each for each in examples if fold_of(each.gold.site, folds) != fold])
        for fold in range(folds)
    ]


def out_of_fold(
    examples: Sequence[Example], models: Sequence[BoostedTrees] | None = None
) -> list[Floats]:
    """Return, for each page, the probabilities of its candidates by a classifier of other sites.

    Parameters
    ----------
    examples
        The pages.
    models
        What `train_folds` gives for them; trained unless given.
    """
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

    Attributes
    ----------
    example
        The page.
    place
        Which of its candidates it is.
    measures
        What is measured of it when it is read; None where it is too unlikely to be.
    discusses
        Whether what is read of it reads as a discussion.
    """

    example: Example
    place: int
    measures: Mapping[str, float] | None
    discusses: bool = False

    @property
    def is_right(self) -> bool | None:
        """Whether these are the comments; None where the gold does not settle it."""
        example = self.example
        if example.page_f1 is not None:
            return bool(is_good(example.page_f1)[self.place])
        if example.agreement is None or example.agreement[self.place] <= DIFFERS:
            return False
        return True if example.agreement[self.place] >= TOGETHER else None


def choose(example: Example, probabilities: Floats) -> Choice | None:
    """Take the likeliest candidate of a page and read it; None where there is none."""
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
    """Train how certain to be of choices that were made by a classifier of other sites."""
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
    """Train a regression for each fold of sites, on the choices of all others."""
    return [
        train_certainty(
            choice
            for choice in choices
            if choice is not None and fold_of(choice.example.gold.site, folds) != fold
        )
        for fold in range(folds)
    ]


def settled(example: Example, first: BoostedTrees) -> Example:
    """Settle where one comment ends and the next begins on a page whose gold does not say.

    The likeliest of the candidates that agree with the text of all comments is taken for
    right; those that agree with a part of it are left out, right or wrong.
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
    """Return the rows without the columns that this page does without, see `BLINDED`."""
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
    """Return rows with each value replaced by the nearest of `QUANTILES` of its column.

    With more values than that, weighing the bins takes most of the time of training.
    """
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
    """Describe the training of `main`, with the share of likeliest candidates that are right."""
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
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the corpora")
    parser.add_argument("--model", type=Path, required=True, help="file of the classifier")
    parser.add_argument("--certainty", type=Path, required=True, help="file of the regression")
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
