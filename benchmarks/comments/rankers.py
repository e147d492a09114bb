"""Methods that learn to rank a page's candidates (Subercaze et al. 2016, table 1).

All methods but the trees expect features with mean 0 and standard deviation 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.svm import LinearSVC

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Scorer = Callable[[Floats], Floats]  # function that scores candidates, given their rows of features

SEED = 0


@dataclass(frozen=True)
class RankedPage:
    """A page's candidates (rows of features), with both correct and wrong ones among them."""

    rows: Floats
    right: Flags


Ranker = Callable[[Sequence[RankedPage]], Scorer]  # learns from pages how to score candidates


def precision_at_one(lists: Sequence[RankedPage], scorer: Scorer) -> float:
    """Return the share of lists whose top candidate is correct."""
    # Vectorised, because rankers that optimise this score compute it thousands of times.
    scores = scorer(np.concatenate([each.rows for each in lists]))
    right = np.concatenate([each.right for each in lists])
    sizes = np.array([len(each.right) for each in lists])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    best = np.flatnonzero(scores == np.repeat(np.maximum.reduceat(scores, starts), sizes))
    first = best[np.searchsorted(best, starts)]
    return float(np.mean(right[first]))


def rank_svm(lists: Sequence[RankedPage]) -> Scorer:
    """Train a linear support vector machine on pairs of correct and wrong candidates (C = 0.1)."""
    return _linear(_rank_svm_weights(lists))


def rank_svm_rbf(lists: Sequence[RankedPage], *, components: int = 100) -> Scorer:
    """Train `rank_svm` with a radial kernel, approximated on a subset of candidates (Nyström)."""
    rows = np.concatenate([each.rows for each in lists])
    kernel = Nystroem(n_components=min(components, len(rows)), random_state=SEED).fit(rows)
    weights = _rank_svm_weights(
        [RankedPage(kernel.transform(each.rows), each.right) for each in lists]
    )
    return lambda rows: np.asarray(kernel.transform(rows) @ weights, dtype=np.float64)


def _rank_svm_weights(lists: Sequence[RankedPage]) -> Floats:
    differences, weights = _pair_differences(lists)
    flips = np.where(np.arange(len(differences)) % 2, 1.0, -1.0)
    machine = LinearSVC(C=0.1, fit_intercept=False, random_state=SEED, max_iter=20_000)
    machine.fit(differences * flips[:, None], flips, sample_weight=weights)
    return np.asarray(machine.coef_[0], dtype=np.float64)


def rank_net(
    lists: Sequence[RankedPage], *, iterations: int = 100, hidden: int = 10, rate: float = 0.05
) -> Scorer:
    """Train a pairwise network with one hidden layer (Burges et al., ICML 2005)."""
    rng = np.random.default_rng(SEED)
    columns = lists[0].rows.shape[1]
    input_weights = rng.normal(0, 1 / np.sqrt(columns), (columns, hidden))
    bias = np.zeros(hidden)
    output_weights = rng.normal(0, 1 / np.sqrt(hidden), hidden)
    for _ in range(iterations):
        for number in rng.permutation(len(lists)):
            rows, right = lists[number].rows, lists[number].right
            hidden_values = np.tanh(rows @ input_weights + bias)
            scores = hidden_values @ output_weights
            # Gradient that pushes the scores of a correct and a wrong candidate apart, for each
            # pair.
            pair_gradients = 1 / (
                1 + np.exp(np.clip(scores[right][:, None] - scores[~right], -50, 50))
            )
            score_gradients = np.zeros(len(rows))
            score_gradients[right] = pair_gradients.mean(axis=1)
            score_gradients[~right] = -pair_gradients.mean(axis=0)
            score_gradients /= np.abs(score_gradients).sum() + 1e-9
            hidden_gradients = np.outer(score_gradients, output_weights) * (1 - hidden_values**2)
            output_weights = output_weights + rate * (hidden_values.T @ score_gradients)
            input_weights += rate * (rows.T @ hidden_gradients)
            bias += rate * hidden_gradients.sum(axis=0)
    return lambda rows: np.asarray(
        np.tanh(rows @ input_weights + bias) @ output_weights, dtype=np.float64
    )


def ada_rank(lists: Sequence[RankedPage], *, rounds: int = 500) -> Scorer:
    """Train AdaRank for P@1 with single features as weak rankers (Xu and Li, SIGIR 2007)."""
    columns = lists[0].rows.shape[1]
    rankers = [(column, sign) for column in range(columns) for sign in (1.0, -1.0)]
    is_right_first = np.array(
        [
            [_is_right_first(each, sign * each.rows[:, column]) for each in lists]
            for column, sign in rankers
        ]
    )
    page_weights = np.full(len(lists), 1 / len(lists))
    weights = np.zeros(columns)
    for _ in range(rounds):
        ranker_scores = is_right_first @ page_weights
        best = int(ranker_scores.argmax())
        score = float(np.clip(ranker_scores[best], 0, 0.999))
        column, sign = rankers[best]
        weights[column] += sign * 0.5 * np.log((1 + score) / (1 - score))
        is_right_now = np.array([_is_right_first(each, each.rows @ weights) for each in lists])
        page_weights = np.exp(-is_right_now) / np.exp(-is_right_now).sum()
    return _linear(weights)


def _is_right_first(each: RankedPage, scores: Floats) -> float:
    return float(each.right[int(scores.argmax())])


def list_net(lists: Sequence[RankedPage]) -> Scorer:
    """Train a linear ListNet for 1,500 iterations."""
    return _linear(list_net_weights(lists))


def list_net_weights(
    lists: Sequence[RankedPage], *, iterations: int = 1_500, rate: float = 0.1
) -> Floats:
    """Minimise the cross-entropy of the top-one probabilities (Cao et al., ICML 2007)."""
    weights = np.zeros(lists[0].rows.shape[1])
    for _ in range(iterations):
        gradient = np.zeros_like(weights)
        for each in lists:
            scores = each.rows @ weights
            exponentials = np.exp(scores - scores.max())
            gradient += each.rows.T @ (
                each.right / each.right.sum() - exponentials / exponentials.sum()
            )
        weights += rate * gradient / len(lists)
    return weights


def rank_boost(lists: Sequence[RankedPage], *, rounds: int = 300) -> Scorer:
    """Train RankBoost with thresholds as weak rankers (Freund et al., JMLR 2003)."""
    rows = np.concatenate([each.rows for each in lists])
    better, worse, weights = _pair_indices(lists)
    thresholds = np.quantile(rows, np.linspace(0.05, 0.95, 19), axis=0)
    is_above = np.array(
        [
            rows[:, column] > value
            for column in range(rows.shape[1])
            for value in thresholds[:, column]
        ]
    )
    gains = is_above[:, better].astype(np.float32) - is_above[:, worse].astype(np.float32)
    weights = weights.astype(np.float32)
    step_of_ranker: dict[int, float] = {}
    for _ in range(rounds):
        pair_agreements = gains @ weights
        best = int(np.abs(pair_agreements).argmax())
        agreement = float(np.clip(pair_agreements[best], -0.999, 0.999))
        step = 0.5 * np.log((1 + agreement) / (1 - agreement))
        step_of_ranker[best] = step_of_ranker.get(best, 0.0) + step
        weights = weights * np.exp(-step * gains[best])
        weights /= weights.sum()
    steps = [
        (
            number // len(thresholds),
            thresholds[number % len(thresholds), number // len(thresholds)],
            step,
        )
        for number, step in step_of_ranker.items()
    ]
    return lambda rows: np.sum(
        [step * (rows[:, column] > value) for column, value, step in steps], axis=0
    )


def coordinate_ascent(lists: Sequence[RankedPage], *, sweeps: int = 5) -> Scorer:
    """Train a linear function by coordinate ascent on P@1 (Metzler and Croft, 2007)."""
    weights = np.ones(lists[0].rows.shape[1]) / lists[0].rows.shape[1]
    steps = np.concatenate([-(2.0 ** np.arange(3, -6, -1)), 2.0 ** np.arange(-5, 4)])
    best_precision = precision_at_one(lists, _linear(weights))
    for _ in range(sweeps):
        previous_precision = best_precision
        for column in range(len(weights)):
            for step in steps:
                trial = weights.copy()
                trial[column] += step
                precision = precision_at_one(lists, _linear(trial))
                if precision > best_precision:
                    best_precision, weights = precision, trial
        if best_precision == previous_precision:
            break
    return _linear(weights)


def boosted_trees(lists: Sequence[RankedPage]) -> Scorer:
    """Train pointwise boosted trees, used instead of the paper's MART."""
    classifier = fit_boosted_trees(lists)
    return lambda rows: np.asarray(classifier.decision_function(rows), dtype=np.float64)


def fit_boosted_trees(lists: Sequence[RankedPage]) -> HistGradientBoostingClassifier:
    """Fit the classifier of `boosted_trees`, which has a hundred trees of eight leaves."""
    classifier = HistGradientBoostingClassifier(
        max_iter=100, max_leaf_nodes=8, min_samples_leaf=10, early_stopping=False, random_state=SEED
    )
    rows, right, weights = _weighted_candidates(lists)
    classifier.fit(rows, right, sample_weight=weights)
    return classifier


def random_forest(lists: Sequence[RankedPage], *, trees: int = 300) -> Scorer:
    """Train a pointwise random forest (Breiman, 2001)."""
    forest = RandomForestClassifier(
        n_estimators=trees, max_features=0.3, min_samples_leaf=2, random_state=SEED
    )
    rows, right, weights = _weighted_candidates(lists)
    forest.fit(rows, right, sample_weight=weights)
    return lambda rows: np.asarray(forest.predict_proba(rows)[:, 1], dtype=np.float64)


def _weighted_candidates(lists: Sequence[RankedPage]) -> tuple[Floats, Flags, Floats]:
    """Return all candidates, their correctness, and weights that make each page count equally."""
    weights = [
        np.where(each.right, 1 / each.right.sum(), 1 / (~each.right).sum()) for each in lists
    ]
    return (
        np.concatenate([each.rows for each in lists]),
        np.concatenate([each.right for each in lists]),
        10 * np.concatenate(weights),
    )


Expression = tuple[object, ...]
"""``("column", 3)``, ``("number", 2.5)``, or an operator and two expressions."""

_OPERATORS = ("+", "-", "*", "/", "^")
_MAX_VALUE = 1e12  # bound on the absolute value of expressions


def genetic_programming(
    lists: Sequence[RankedPage], *, generations: int = 50, population: int = 60
) -> Scorer:
    """Breed expressions (+ - × ÷, powers, numbers from 2 to 10,000) for P@1 in 50 generations."""
    rng = np.random.default_rng(SEED)
    columns = lists[0].rows.shape[1]

    def scorer_of(expression: Expression) -> Scorer:
        return lambda rows: _evaluate(expression, rows)

    def fitness(expression: Expression) -> tuple[float, int]:
        return precision_at_one(lists, scorer_of(expression)), -_count_nodes(expression)

    first_generation = [_random_expression(rng, columns, 3) for _ in range(population)]
    ranked = sorted(((fitness(each), each) for each in first_generation), key=lambda pair: pair[0])
    for _ in range(generations):
        survivors = [each for _, each in ranked[population // 2 :]]
        children: list[Expression] = []
        while len(children) < population - len(survivors):
            left, right = (survivors[int(rng.integers(len(survivors)))] for _ in range(2))
            other = right if rng.random() < 0.7 else _random_expression(rng, columns, 2)
            child = _graft(rng, left, other)
            if _count_nodes(child) <= 40:
                children.append(child)
        ranked = sorted(
            [*ranked[population // 2 :], *((fitness(each), each) for each in children)],
            key=lambda pair: pair[0],
        )
    return scorer_of(ranked[-1][1])


def _random_expression(rng: np.random.Generator, columns: int, depth: int) -> Expression:
    """Return a random expression of operators, columns and numbers."""
    if depth == 0 or rng.random() < 0.2:
        if rng.random() < 0.75:
            return ("column", int(rng.integers(columns)))
        return ("number", float(rng.uniform(2, 10_000)))
    operator = _OPERATORS[int(rng.integers(len(_OPERATORS)))]
    return (
        operator,
        _random_expression(rng, columns, depth - 1),
        _random_expression(rng, columns, depth - 1),
    )


def _graft(rng: np.random.Generator, stock: Expression, scion: Expression) -> Expression:
    """Replace a part of one expression with a part of another."""
    while scion[0] in _OPERATORS and rng.random() < 0.4:
        scion = _operand(scion, 1 + int(rng.integers(2)))
    if stock[0] not in _OPERATORS or rng.random() < 0.25:
        return scion
    side = 1 + int(rng.integers(2))
    grafted = _graft(rng, _operand(stock, side), scion)
    return (stock[0], grafted, stock[2]) if side == 1 else (stock[0], stock[1], grafted)


def _operand(expression: Expression, side: int) -> Expression:
    part = expression[side]
    assert isinstance(part, tuple)
    return part


def _count_nodes(expression: Expression) -> int:
    if expression[0] not in _OPERATORS:
        return 1
    return 1 + _count_nodes(_operand(expression, 1)) + _count_nodes(_operand(expression, 2))


def _evaluate(expression: Expression, rows: Floats) -> Floats:
    """Return the value of an expression for each candidate."""
    kind = expression[0]
    if kind == "column":
        return rows[:, int(str(expression[1]))]
    if kind == "number":
        return np.full(len(rows), float(str(expression[1])))
    left, right = (_evaluate(_operand(expression, side), rows) for side in (1, 2))
    with np.errstate(all="ignore"):
        if kind == "+":
            found = left + right
        elif kind == "-":
            found = left - right
        elif kind == "*":
            found = left * right
        elif kind == "/":
            found = np.where(right == 0, 1.0, left / np.where(right == 0, 1.0, right))
        else:
            found = np.abs(left) ** np.clip(right, -4, 4)
    return np.clip(np.nan_to_num(found), -_MAX_VALUE, _MAX_VALUE)


def _linear(weights: Floats) -> Scorer:
    return lambda rows: np.asarray(rows @ weights, dtype=np.float64)


def _pair_differences(lists: Sequence[RankedPage]) -> tuple[Floats, Floats]:
    rows = np.concatenate([each.rows for each in lists])
    better, worse, weights = _pair_indices(lists)
    return rows[better] - rows[worse], weights * len(weights)


def _pair_indices(
    lists: Sequence[RankedPage],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]:
    """Return the pairs of a correct and a wrong candidate; all pages have equal weight."""
    better, worse, weights = [], [], []
    start = 0
    for each in lists:
        right, wrong = np.flatnonzero(each.right), np.flatnonzero(~each.right)
        better.append(np.repeat(right, len(wrong)) + start)
        worse.append(np.tile(wrong, len(right)) + start)
        weights.append(np.full(len(right) * len(wrong), 1 / (len(right) * len(wrong))))
        start += len(each.right)
    together = np.concatenate(weights)
    return np.concatenate(better), np.concatenate(worse), together / together.sum()


RANKERS: dict[str, Ranker] = {
    "RankSVM (linear)": rank_svm,
    "RankSVM (RBF)": rank_svm_rbf,
    "RankNet": rank_net,
    "RankBoost": rank_boost,
    "AdaRank": ada_rank,
    "coordinate ascent": coordinate_ascent,
    "ListNet (linear)": list_net,
    "genetic programming": genetic_programming,
    "boosted trees (for MART)": boosted_trees,
    "random forest": random_forest,
}
