"""Training of the model of roles."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.boosting import SEED, as_class_trees, as_trees
from benchmarks.evaluation.bench.measuring import even_sample
from benchmarks.evaluation.scores.roles import MIXED
from benchmarks.extraction.examples import fold_of
from benchmarks.extraction.first_pass import FirstPass
from benchmarks.extraction.roles.examples import (
    RoleExample,
    TextExample,
    generated_examples,
    read_role_examples,
    read_text_examples,
)
from models.roles import OUTER_ROLES, TEXT_ROLES, LineRole
from worker.article.roles.model import RoleModel
from worker.inference import BoostedTrees, DecisionTree, Rows
from worker.inference.classes import ClassTrees

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Recipe:
    """Hyperparameters of training.

    Attributes
    ----------
    text_trees, text_leaves, text_rows
        Number of trees of the classifier of text, leaves per tree, and minimum rows per leaf.
    role_trees, role_leaves, role_rows
        The same for the classifiers of roles, per class.
    rate, shrinkage, columns
        Learning rate, penalty on leaves, and share of columns that a split considers.
    of_texts
        Weight of a page whose text alone is known, relative to a page whose lines have
        roles.
    of_weak
        Weight of a role's inferred lines, relative to manually labelled lines.
    far
        Weight of a line that is not near the article.
    """

    text_trees: int = 90
    text_leaves: int = 12
    text_rows: int = 20
    role_trees: int = 25
    role_leaves: int = 8
    role_rows: int = 5
    rate: float = 0.12
    shrinkage: float = 3.0
    columns: float = 0.3
    of_texts: float = 0.4
    of_weak: float = 0.3
    far: float = 0.2


MAX_BINS = 63
"""Maximum number of histogram bins per column; with 255, training takes four times as long."""

PAGE_WEIGHT = 100.0
"""Total weight of the lines of a page."""

WEAK_LINES = 3
"""Maximum number of lines per role, evenly spaced, from a page whose text alone is known."""


def fit(roles: Sequence[RoleExample], texts: Sequence[TextExample], recipe: Recipe) -> RoleModel:
    """Train on pages whose lines have roles and on pages whose text is known.

    Raises ImportError if PyTorch is not installed.
    """
    # Imported here because the rest of this module can be used without PyTorch.
    from benchmarks.extraction.roles.network import fit_role_network

    trees = _fit_trees(roles, texts, recipe)
    return replace(trees, network=fit_role_network(roles, texts))


def _fit_trees(
    roles: Sequence[RoleExample], texts: Sequence[TextExample], recipe: Recipe
) -> RoleModel:
    rows, labels, weights = [], [], []
    for example in roles:
        page = example.measured
        known = np.array([role is not None and role != MIXED for role in example.roles])
        weight = np.where(page.near, 1.0, recipe.far) * known
        rows.append(page.features.rows[known])
        labels.append(np.array(example.roles, dtype=object)[known])
        weights.append(_of_a_page(weight)[known])
    role_rows, role_labels = np.concatenate(rows), np.concatenate(labels)
    role_weights = np.concatenate(weights)
    columns = roles[0].measured.features.columns
    is_text = np.isin(role_labels.astype(str), TEXT_ROLES)
    text_rows, text_labels, text_weights = [role_rows], [is_text], [role_weights]
    if recipe.of_texts:
        for each in texts:
            page = each.measured
            text_rows.append(page.features.rows[page.near])
            text_labels.append(each.is_text[page.near])
            text_weights.append(recipe.of_texts * _of_a_page(np.ones(int(page.near.sum()))))
    classifier = _new(recipe, recipe.text_trees, recipe.text_leaves, recipe.text_rows)
    classifier.fit(
        np.concatenate(text_rows),
        np.concatenate(text_labels),
        sample_weight=np.concatenate(text_weights),
    )
    labelled = _Labelled(role_rows, role_labels.astype(str))
    weak = _weakly_labelled(texts, len(columns))
    inner, outer = (
        _fit_classes(labelled.of(order), weak.of(order), columns, recipe, order)
        for order in (TEXT_ROLES, OUTER_ROLES)
    )
    return _with_used_columns(as_trees(classifier, columns), inner, outer)


class _Labelled(NamedTuple):
    """Rows with their roles."""

    rows: Rows
    roles: npt.NDArray[np.str_]

    def of(self, roles: Sequence[LineRole]) -> Self:
        """Return the rows with the given roles."""
        chosen = np.isin(self.roles, roles)
        return self._replace(rows=self.rows[chosen], roles=self.roles[chosen])


def _weakly_labelled(texts: Sequence[TextExample], columns: int) -> _Labelled:
    """Return a few evenly spaced lines per role from each page whose text alone is known."""
    rows, roles = [np.empty((0, columns), dtype=np.float32)], []
    for example in texts:
        by_role: defaultdict[LineRole, list[int]] = defaultdict(list)
        for place, role in enumerate(example.roles):
            if role is not None:
                by_role[role].append(place)
        for role, places in by_role.items():
            few = even_sample(places, WEAK_LINES)
            rows.append(example.measured.features.rows[few])
            roles += [role] * len(few)
    return _Labelled(np.concatenate(rows), np.array(roles, dtype=np.str_))


def _with_used_columns(text: BoostedTrees, inner: ClassTrees, outer: ClassTrees) -> RoleModel:
    """Return the model without the columns that no tree uses."""
    trees = chain(text.trees, *inner.trees, *outer.trees)
    used = sorted({column for tree in trees for column in tree.column} - {-1})
    place = {column: number for number, column in enumerate(used)} | {-1: -1}
    columns = tuple(text.columns[column] for column in used)

    def moved(trees: Sequence[DecisionTree]) -> tuple[DecisionTree, ...]:
        return tuple(replace(tree, column=[place[each] for each in tree.column]) for tree in trees)

    return RoleModel(
        replace(text, columns=columns, trees=moved(text.trees)),
        replace(inner, columns=columns, trees=tuple(map(moved, inner.trees))),
        replace(outer, columns=columns, trees=tuple(map(moved, outer.trees))),
    )


def _of_a_page(weights: Floats) -> Floats:
    """Scale the weights of a page's lines so that all pages have equal weight."""
    weighed: Floats = weights * (PAGE_WEIGHT / max(1e-9, float(weights.sum())))
    return weighed


def _new(recipe: Recipe, trees: int, leaves: int, rows: int) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=trees,
        learning_rate=recipe.rate,
        max_leaf_nodes=leaves,
        min_samples_leaf=rows,
        l2_regularization=recipe.shrinkage,
        max_features=recipe.columns,
        max_bins=MAX_BINS,
        early_stopping=False,
        random_state=SEED,
    )


def _fit_classes(
    labelled: _Labelled,
    weak: _Labelled,
    columns: Sequence[str],
    recipe: Recipe,
    order: Sequence[str],
) -> ClassTrees:
    classifier = _new(recipe, recipe.role_trees, recipe.role_leaves, recipe.role_rows)
    counts, of_weak = Counter(labelled.roles.tolist()), Counter(weak.roles.tolist())
    # Lines of rare roles have higher weights, but less than inversely proportional to their number.
    # The total weight of a role's inferred lines is a share of that of its labelled lines.
    weights = [counts[role] ** -0.5 for role in labelled.roles.tolist()]
    weights += [
        recipe.of_weak * counts[role] ** 0.5 / of_weak[role] for role in weak.roles.tolist()
    ]
    classifier.fit(
        np.concatenate([labelled.rows, weak.rows]),
        np.concatenate([labelled.roles, weak.roles]),
        sample_weight=np.array(weights) / np.mean(weights),
    )
    return as_class_trees(classifier, columns, order)


def read_examples(
    corpora: Path, texts: Sequence[str], first: FirstPass, sample: int | None = None
) -> tuple[list[RoleExample], list[TextExample]]:
    """Read the training examples.

    `texts` are the names of corpora whose gold texts contain only the body. `sample` is the number
    of evenly spaced pages of each, or None for all.
    """
    roles = list(read_role_examples(corpora, first))
    known = {(each.measured.corpus, each.measured.page) for each in roles}
    more = [each for name in texts for each in read_text_examples(corpora / name, first, sample)]
    if texts:
        more += generated_examples(first)
    return roles, [each for each in more if (each.measured.corpus, each.measured.page) not in known]


def fit_outside(
    fold: int,
    folds: int,
    roles: Sequence[RoleExample],
    texts: Sequence[TextExample],
    recipe: Recipe,
) -> RoleModel:
    """Train on the pages whose sites are in other folds."""
    return fit(
        [each for each in roles if fold_of(each.measured.site, folds) != fold],
        [each for each in texts if fold_of(each.measured.site, folds) != fold],
        recipe,
    )
