"""Train comment detection: ``python -m benchmarks.comments.train FOLDER --model FILE``.

``FOLDER`` contains the corpora. The weights of the candidates are learnt from the pages whose gold
records list comments individually; the regression that accepts or rejects the likeliest candidate
is learnt from all pages that have a candidate.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from benchmarks.comments.examples import Example, read_examples
from benchmarks.comments.labels import is_good
from benchmarks.extraction.folds import fold_of
from benchmarks.training.headers import ModelFile, Training, corpus_used, describe_training
from detourage.comments.comment_search import CommentModel, Floats, read_candidate

CORPORA = ("reader_comments", "forum_threads", "dragnet", "l3s_gn1", "wcxb")

FOLDS = 4  # number of folds of sites for cross-validation

MIN_TEXT_AGREEMENT = 0.7
"""Minimum word F1 with the text of all comments for a candidate to count as correct."""

MAX_WRONG_AGREEMENT = 0.3
"""Maximum word F1 with the text of all comments for a candidate to count as wrong."""

MAX_GAP_TO_BEST = 3.0
"""Maximum gap in F1, in percent, between a correct candidate and the best one of its page."""

RANKING_PENALTY = 1.0  # weight of the squared weights of candidates, for standardised features

REGRESSION_C = 0.3  # inverse regularisation strength (scikit-learn's ``C``) of the regression

MIN_DEVIATION = 1e-9  # avoids a division by 0 for constant features


def train_ranking(examples: Sequence[Example]) -> dict[str, float]:
    """Return the weights that maximise the likelihood of the correct candidates of pages.

    The probability of a candidate is its share in the sum of exponentials of the scores, as in a
    conditional logit.
    """
    trainable = [
        (example, is_good(scores) & (scores >= scores.max() - MAX_GAP_TO_BEST))
        for example in examples
        if (scores := example.page_f1) is not None and is_good(scores).any()
    ]
    columns = trainable[0][0].features.columns
    rows = np.concatenate([example.features.rows for example, _ in trainable])
    mean, deviation = rows.mean(axis=0), np.maximum(rows.std(axis=0), MIN_DEVIATION)
    pages = [((example.features.rows - mean) / deviation, good) for example, good in trainable]

    def loss(weights: Floats) -> tuple[float, Floats]:
        """Return the penalised negative log likelihood of correct candidates, and its gradient."""
        total, gradient = RANKING_PENALTY / 2 * float(weights @ weights), RANKING_PENALTY * weights
        for page, good in pages:
            scores = page @ weights
            likelihoods = np.exp(scores - scores.max())
            right = likelihoods * good
            total -= float(np.log(right.sum() / likelihoods.sum()))
            gradient = gradient - right @ page / right.sum()
            gradient += likelihoods @ page / likelihoods.sum()
        return total, gradient

    weights = minimize(loss, np.zeros(len(columns)), jac=True, method="L-BFGS-B").x / deviation
    return {name: round(float(each), 4) for name, each in zip(columns, weights, strict=True)}


@dataclass(frozen=True)
class Choice:
    """The index of a page's likeliest candidate, and measures of the comments read from it."""

    example: Example
    index: int
    measures: Mapping[str, float]

    @property
    def is_right(self) -> bool | None:
        """Whether the candidate is correct; None if this cannot be decided from the gold record."""
        example = self.example
        if example.page_f1 is not None:
            return bool(is_good(example.page_f1)[self.index])
        if example.agreement is None or example.agreement[self.index] <= MAX_WRONG_AGREEMENT:
            return False
        return True if example.agreement[self.index] >= MIN_TEXT_AGREEMENT else None


def choose(example: Example, ranking: Mapping[str, float]) -> Choice | None:
    """Choose and read the likeliest candidate; None if absent, or if readers wrote too little."""
    if example.words is None or not example.candidates:
        return None
    index = int(CommentModel(ranking, {}, 0.0).scores(example.features).argmax())
    found = read_candidate(example.page, example.words, example.candidates[index])
    return Choice(example, index, found.measures) if found is not None else None


def train_certainty(choices: Sequence[Choice], ranking: Mapping[str, float]) -> CommentModel:
    """Train the regression on choices made with weights that were trained on other sites."""
    judged_choices = [(choice.measures, choice.is_right) for choice in choices]
    decided = [
        (measures, is_right) for measures, is_right in judged_choices if is_right is not None
    ]
    columns = [*decided[0][0]]
    rows = np.array([[*measures.values()] for measures, _ in decided])
    mean, deviation = rows.mean(axis=0), np.maximum(rows.std(axis=0), MIN_DEVIATION)
    regression = LogisticRegression(C=REGRESSION_C, max_iter=1_000)
    regression.fit((rows - mean) / deviation, [is_right for _, is_right in decided])
    weights = regression.coef_[0] / deviation
    intercept = float(regression.intercept_[0] - weights @ mean)
    rounded = {name: round(float(each), 4) for name, each in zip(columns, weights, strict=True)}
    return CommentModel(ranking, rounded, round(intercept, 4))


def is_in_fold(example: Example, fold: int) -> bool:
    """Return whether the site of a page is in a fold."""
    return fold_of(example.gold.site, FOLDS) == fold


def cross_validate(examples: Sequence[Example]) -> tuple[list[Choice], list[CommentModel]]:
    """Return the choice on each page with candidates, and one model for each fold of sites.

    Neither the choice on a page nor the model of its fold was trained on the page's site.
    """
    rankings = [
        train_ranking([each for each in examples if not is_in_fold(each, fold)])
        for fold in range(FOLDS)
    ]
    choices_or_none = [choose(each, rankings[fold_of(each.gold.site, FOLDS)]) for each in examples]
    choices = [choice for choice in choices_or_none if choice is not None]
    models = [
        train_certainty([each for each in choices if not is_in_fold(each.example, fold)], ranking)
        for fold, ranking in enumerate(rankings)
    ]
    return choices, models


def read_corpora(folder: Path) -> Iterator[Example]:
    """Read the pages of `CORPORA`."""
    for name in CORPORA:
        yield from read_examples(folder / name)


def describe_ranking(
    folder: Path, examples: Sequence[Example], choices: Sequence[Choice]
) -> Training:
    """Describe the training done by `main`; its score is the share of correct top candidates."""
    corpora = [
        corpus_used(
            folder / name,
            "comments",
            ((each.gold.id, each.gold.site) for each in examples if each.corpus == name),
        )
        for name in CORPORA
    ]
    are_right = [each.is_right for each in choices if each.example.page_f1 is not None]
    pages = sum(each.page_f1 is not None for each in examples)
    scores = {"P@1": 100 * sum(map(bool, are_right)) / pages}
    scored_on = "cross-validated over sites, on the pages whose comments were marked one by one"
    return describe_training(corpora, "benchmarks.comments.train", scores, scored_on)


def main() -> None:
    """Train the model and write it to the given file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the corpora")
    parser.add_argument("--model", type=Path, required=True, help="file for the model")
    options = parser.parse_args()
    examples = list(read_corpora(options.folder))
    choices, _ = cross_validate(examples)
    model = train_certainty(choices, train_ranking(examples))
    training = describe_ranking(options.folder, examples, choices)
    options.model.write_text(ModelFile(training, model).to_json(), encoding="utf-8")


if __name__ == "__main__":
    main()
