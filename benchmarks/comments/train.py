"""Train the classifier of candidates: ``python -m benchmarks.comments.train FOLDER --model FILE``.

``FOLDER`` holds the corpora. Pages whose comments were marked one by one teach which candidate
is right; pages without comments, that none is; pages whose comments were marked together teach
both, see `settled`.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.boosting import as_trees, new_classifier
from benchmarks.comments.examples import Example, read_examples
from benchmarks.comments.labels import is_good
from worker.boosting import BoostedTrees
from worker.comments.features import COLUMNS, Rows

CORPORA = ("reader_comments", "forum_threads", "dragnet", "l3s_gn1")

TREES = 120
LEAVES = 12
MIN_CANDIDATES_IN_LEAF = 15

GOOD_WEIGHT = 1.0
"""Weight of the right candidates of a page together."""

OTHERS_WEIGHT = 1.0
"""Weight of the wrong ones together, where comments were marked one by one."""

BARE_WEIGHT = 0.3
"""The same on all other pages, of which there are ten times as many."""

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
    candidates that teach most on all others.
    """
    marked = [example for example in examples if example.page_f1 is not None]
    first = _fit([_labels(example) for example in marked])
    others = [
        _hardest(settled(example, first), first)
        for example in examples
        if example.page_f1 is None and len(example.rows)
    ]
    return _fit([_labels(example) for example in [*marked, *others]])


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
    likelihood = np.where(agrees, first.probabilities(example.rows), -1.0)
    right = (np.arange(len(agreement)) == likelihood.argmax()) & agrees
    kept = np.flatnonzero(right | (agreement < DIFFERS))
    return replace(
        example,
        candidates=tuple(example.candidates[place] for place in kept),
        rows=example.rows[kept],
        page_f1=np.where(right, GOOD_F1, 0.0)[kept],
    )


def _hardest(example: Example, first: BoostedTrees) -> Example:
    order = np.argsort(-first.probabilities(example.rows), kind="stable")
    rest = order[HARDEST:]
    kept = np.concatenate([order[:HARDEST], rest[:: max(1, len(rest) // EASY)]])
    if example.page_f1 is not None:
        kept = np.union1d(kept, np.flatnonzero(is_good(example.page_f1)))
    return replace(
        example,
        candidates=tuple(example.candidates[place] for place in kept),
        rows=example.rows[kept],
        page_f1=None if example.page_f1 is None else example.page_f1[kept],
    )


def _labels(example: Example) -> _Labels:
    page_f1 = example.page_f1
    good = np.zeros(len(example.rows), dtype=np.bool_) if page_f1 is None else is_good(page_f1)
    is_marked = example.gold.comments is not None
    others_weight = OTHERS_WEIGHT if is_marked else BARE_WEIGHT
    weights = np.where(
        good,
        GOOD_WEIGHT / max(int(good.sum()), 1),
        others_weight / max(int((~good).sum()), 1),
    )
    return _blinded(example), good, weights


def _blinded(example: Example) -> Rows:
    """Return the rows without the columns that this page does without, see `BLINDED`."""
    chance = sha256(example.gold.id.encode()).digest()
    rows = example.rows.copy()
    for columns, byte in zip(BLINDED, chance, strict=False):
        if byte % 2:
            rows[:, [COLUMNS.index(column) for column in columns]] = 0.0
    return rows


def _fit(parts: Sequence[_Labels]) -> BoostedTrees:
    rows, labels, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    classifier = new_classifier(trees=TREES, leaves=LEAVES, min_rows_in_leaf=MIN_CANDIDATES_IN_LEAF)
    classifier.fit(rows, labels, sample_weight=weights * len(rows) / weights.sum())
    return as_trees(classifier, COLUMNS)


def read_corpora(folder: Path) -> Iterator[Example]:
    """Read the pages of `CORPORA`."""
    for name in CORPORA:
        yield from read_examples(folder / name)


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the corpora")
    parser.add_argument("--model", type=Path, required=True, help="file to write")
    options = parser.parse_args()
    model = train(list(read_corpora(options.folder)))
    options.model.write_text(model.to_json(), encoding="utf-8")


if __name__ == "__main__":
    main()
