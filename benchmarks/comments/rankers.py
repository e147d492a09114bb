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
Scorer = Callable[[Floats], Floats]

SEED = 0


@dataclass(frozen=True)
class RankedList:
    """A page's candidates (rows of features), with both correct and wrong ones among them."""

    rows: Floats
    right: Flags


Ranker = Callable[[Sequence[RankedList]], Scorer]


def precision_at_one(lists: Sequence[RankedList], scorer: Scorer) -> float:
    """Return the share of lists whose top candidate is correct."""
    # Vectorised, because rankers that optimise this score compute it thousands of times.
    scores = scorer(np.concatenate([each.rows for each in lists]))
    right = np.concatenate([each.right for each in lists])
    sizes = np.array([len(each.right) for each in lists])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    best = np.flatnonzero(scores == np.repeat(np.maximum.reduceat(scores, starts), sizes))
    first = best[np.searchsorted(best, starts)]
    return float(np.mean(right[first]))


def rank_svm(lists: Sequence[RankedList]) -> Scorer:
    """Train a linear support vector machine on pairs of correct and wrong candidates (C = 0.1)."""
    return _linear(_rank_svm_weights(lists))


def rank_svm_rbf(lists: Sequence[RankedList], *, components: int = 100) -> Scorer:
    """Train `rank_svm` with a radial kernel, approximated on a subset of candidates (Nyström)."""
    rows = np.concatenate([each.rows for each in lists])
    kernel = Nystroem(n_components=min(components, len(rows)), random_state=SEED).fit(rows)
    weights = _rank_svm_weights(
        [RankedList(kernel.transform(each.rows), each.right) for each in lists]
    )
    return lambda rows: np.asarray(kernel.transform(rows) @ weights, dtype=np.float64)


def _rank_svm_weights(lists: Sequence[RankedList]) -> Floats:
    differences, weights = _pairs(lists)
    flips = np.where(np.arange(len(differences)) % 2, 1.0, -1.0)
    machine = LinearSVC(C=0.1, fit_intercept=False, random_state=SEED, max_iter=20_000)
    machine.fit(differences * flips[:, None], flips, sample_weight=weights)
    return np.asarray(machine.coef_[0], dtype=np.float64)


def rank_net(
    lists: Sequence[RankedList], *, iterations: int = 100, hidden: int = 10, rate: float = 0.05
) -> Scorer:
    """Train a pairwise network with one hidden layer (Burges et al., ICML 2005)."""
    chance = np.random.default_rng(SEED)
    columns = lists[0].rows.shape[1]
    first = chance.normal(0, 1 / np.sqrt(columns), (columns, hidden))
    shift = np.zeros(hidden)
    second = chance.normal(0, 1 / np.sqrt(hidden), hidden)
    for _ in range(iterations):
        for number in chance.permutation(len(lists)):
            rows, right = lists[number].rows, lists[number].right
            inner = np.tanh(rows @ first + shift)
            scores = inner @ second
            # Gradient that pushes the scores of a correct and a wrong candidate apart, for each
            # pair.
            pull = 1 / (1 + np.exp(np.clip(scores[right][:, None] - scores[~right], -50, 50)))
            slope = np.zeros(len(rows))
            slope[right] = pull.mean(axis=1)
            slope[~right] = -pull.mean(axis=0)
            slope /= np.abs(slope).sum() + 1e-9
            back = np.outer(slope, second) * (1 - inner**2)
            second = second + rate * (inner.T @ slope)
            first += rate * (rows.T @ back)
            shift += rate * back.sum(axis=0)
    return lambda rows: np.asarray(np.tanh(rows @ first + shift) @ second, dtype=np.float64)


def ada_rank(lists: Sequence[RankedList], *, rounds: int = 500) -> Scorer:
    """Train AdaRank for P@1 with single features as weak rankers (Xu and Li, SIGIR 2007)."""
    columns = lists[0].rows.shape[1]
    signed = [(column, sign) for column in range(columns) for sign in (1.0, -1.0)]
    reached = np.array(
        [
            [_is_right_first(each, sign * each.rows[:, column]) for each in lists]
            for column, sign in signed
        ]
    )
    worth = np.full(len(lists), 1 / len(lists))
    weights = np.zeros(columns)
    for _ in range(rounds):
        gains = reached @ worth
        best = int(gains.argmax())
        gain = float(np.clip(gains[best], 0, 0.999))
        column, sign = signed[best]
        weights[column] += sign * 0.5 * np.log((1 + gain) / (1 - gain))
        now = np.array([_is_right_first(each, each.rows @ weights) for each in lists])
        worth = np.exp(-now) / np.exp(-now).sum()
    return _linear(weights)


def _is_right_first(each: RankedList, scores: Floats) -> float:
    return float(each.right[int(scores.argmax())])


def list_net(lists: Sequence[RankedList]) -> Scorer:
    """Train a linear ListNet for 1,500 iterations."""
    return _linear(list_net_weights(lists))


def list_net_weights(
    lists: Sequence[RankedList], *, iterations: int = 1_500, rate: float = 0.1
) -> Floats:
    """Minimise the cross-entropy of the top-one probabilities (Cao et al., ICML 2007)."""
    weights = np.zeros(lists[0].rows.shape[1])
    for _ in range(iterations):
        slope = np.zeros_like(weights)
        for each in lists:
            scores = each.rows @ weights
            first = np.exp(scores - scores.max())
            slope += each.rows.T @ (each.right / each.right.sum() - first / first.sum())
        weights += rate * slope / len(lists)
    return weights


def rank_boost(lists: Sequence[RankedList], *, rounds: int = 300) -> Scorer:
    """Train RankBoost with thresholds as weak rankers (Freund et al., JMLR 2003)."""
    rows = np.concatenate([each.rows for each in lists])
    better, worse, weights = _pair_places(lists)
    thresholds = np.quantile(rows, np.linspace(0.05, 0.95, 19), axis=0)
    above = np.array(
        [
            rows[:, column] > value
            for column in range(rows.shape[1])
            for value in thresholds[:, column]
        ]
    )
    gains = above[:, better].astype(np.float32) - above[:, worse].astype(np.float32)
    weights = weights.astype(np.float32)
    chosen: dict[int, float] = {}
    for _ in range(rounds):
        edges = gains @ weights
        best = int(np.abs(edges).argmax())
        edge = float(np.clip(edges[best], -0.999, 0.999))
        step = 0.5 * np.log((1 + edge) / (1 - edge))
        chosen[best] = chosen.get(best, 0.0) + step
        weights = weights * np.exp(-step * gains[best])
        weights /= weights.sum()
    steps = [
        (
            number // len(thresholds),
            thresholds[number % len(thresholds), number // len(thresholds)],
            step,
        )
        for number, step in chosen.items()
    ]
    return lambda rows: np.sum(
        [step * (rows[:, column] > value) for column, value, step in steps], axis=0
    )


def coordinate_ascent(lists: Sequence[RankedList], *, sweeps: int = 5) -> Scorer:
    """Train a linear function by coordinate ascent on P@1 (Metzler and Croft, 2007)."""
    weights = np.ones(lists[0].rows.shape[1]) / lists[0].rows.shape[1]
    steps = np.concatenate([-(2.0 ** np.arange(3, -6, -1)), 2.0 ** np.arange(-5, 4)])
    best = precision_at_one(lists, _linear(weights))
    for _ in range(sweeps):
        before = best
        for column in range(len(weights)):
            for step in steps:
                trial = weights.copy()
                trial[column] += step
                reached = precision_at_one(lists, _linear(trial))
                if reached > best:
                    best, weights = reached, trial
        if best == before:
            break
    return _linear(weights)


def boosted_trees(lists: Sequence[RankedList]) -> Scorer:
    """Train pointwise boosted trees, used instead of the paper's MART."""
    classifier = fit_boosted_trees(lists)
    return lambda rows: np.asarray(classifier.decision_function(rows), dtype=np.float64)


def fit_boosted_trees(lists: Sequence[RankedList]) -> HistGradientBoostingClassifier:
    """Fit the classifier of `boosted_trees`, which has a hundred trees of eight leaves."""
    classifier = HistGradientBoostingClassifier(
        max_iter=100, max_leaf_nodes=8, min_samples_leaf=10, early_stopping=False, random_state=SEED
    )
    rows, right, weights = _rows_of(lists)
    classifier.fit(rows, right, sample_weight=weights)
    return classifier


def random_forest(lists: Sequence[RankedList], *, trees: int = 300) -> Scorer:
    """Train a pointwise random forest (Breiman, 2001)."""
    forest = RandomForestClassifier(
        n_estimators=trees, max_features=0.3, min_samples_leaf=2, random_state=SEED
    )
    rows, right, weights = _rows_of(lists)
    forest.fit(rows, right, sample_weight=weights)
    return lambda rows: np.asarray(forest.predict_proba(rows)[:, 1], dtype=np.float64)


def _rows_of(lists: Sequence[RankedList]) -> tuple[Floats, Flags, Floats]:
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
_OPERATORS = ("+", "-", "*", "/", "^")
_GREATEST = 1e12


def genetic_programming(
    lists: Sequence[RankedList], *, generations: int = 50, population: int = 60
) -> Scorer:
    """Breed expressions (+ - × ÷, powers, numbers from 2 to 10,000) for P@1 in 50 generations."""
    chance = np.random.default_rng(SEED)
    columns = lists[0].rows.shape[1]

    def scorer_of(expression: Expression) -> Scorer:
        return lambda rows: _value(expression, rows)

    def fitness(expression: Expression) -> tuple[float, int]:
        return precision_at_one(lists, scorer_of(expression)), -_size(expression)

    living = [_random_expression(chance, columns, 3) for _ in range(population)]
    ranked = sorted(((fitness(each), each) for each in living), key=lambda pair: pair[0])
    for _ in range(generations):
        fittest = [each for _, each in ranked[population // 2 :]]
        children: list[Expression] = []
        while len(children) < population - len(fittest):
            left, right = (fittest[int(chance.integers(len(fittest)))] for _ in range(2))
            other = right if chance.random() < 0.7 else _random_expression(chance, columns, 2)
            child = _grafted(chance, left, other)
            if _size(child) <= 40:
                children.append(child)
        ranked = sorted(
            [*ranked[population // 2 :], *((fitness(each), each) for each in children)],
            key=lambda pair: pair[0],
        )
    return scorer_of(ranked[-1][1])


def _random_expression(chance: np.random.Generator, columns: int, depth: int) -> Expression:
    if depth == 0 or chance.random() < 0.2:
        if chance.random() < 0.75:
            return ("column", int(chance.integers(columns)))
        return ("number", float(chance.uniform(2, 10_000)))
    operator = _OPERATORS[int(chance.integers(len(_OPERATORS)))]
    return (
        operator,
        _random_expression(chance, columns, depth - 1),
        _random_expression(chance, columns, depth - 1),
    )


def _grafted(chance: np.random.Generator, stock: Expression, scion: Expression) -> Expression:
    """Replace a part of one expression with a part of another."""
    while scion[0] in _OPERATORS and chance.random() < 0.4:
        scion = _part(scion, 1 + int(chance.integers(2)))
    if stock[0] not in _OPERATORS or chance.random() < 0.25:
        return scion
    side = 1 + int(chance.integers(2))
    grafted = _grafted(chance, _part(stock, side), scion)
    return (stock[0], grafted, stock[2]) if side == 1 else (stock[0], stock[1], grafted)


def _part(expression: Expression, side: int) -> Expression:
    part = expression[side]
    assert isinstance(part, tuple)
    return part


def _size(expression: Expression) -> int:
    if expression[0] not in _OPERATORS:
        return 1
    return 1 + _size(_part(expression, 1)) + _size(_part(expression, 2))


def _value(expression: Expression, rows: Floats) -> Floats:
    kind = expression[0]
    if kind == "column":
        return rows[:, int(str(expression[1]))]
    if kind == "number":
        return np.full(len(rows), float(str(expression[1])))
    left, right = (_value(_part(expression, side), rows) for side in (1, 2))
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
    return np.clip(np.nan_to_num(found), -_GREATEST, _GREATEST)


def _linear(weights: Floats) -> Scorer:
    return lambda rows: np.asarray(rows @ weights, dtype=np.float64)


def _pairs(lists: Sequence[RankedList]) -> tuple[Floats, Floats]:
    rows = np.concatenate([each.rows for each in lists])
    better, worse, weights = _pair_places(lists)
    return rows[better] - rows[worse], weights * len(weights)


def _pair_places(
    lists: Sequence[RankedList],
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
