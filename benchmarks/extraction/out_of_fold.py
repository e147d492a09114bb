"""Predictions for examples by models that have not seen their sites."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from benchmarks.extraction.examples import fold_of

_Example = TypeVar("_Example")
_Model = TypeVar("_Model")
_Said = TypeVar("_Said")


def out_of_fold(
    examples: Sequence[_Example],
    folds: int,
    site_of: Callable[[_Example], str],
    fit: Callable[[Sequence[_Example]], _Model],
    judge: Callable[[_Model, _Example], _Said],
    keep: Callable[[int, _Model], None] | None = None,
) -> list[_Said]:
    """Return a prediction for each example by a model trained on the other folds.

    Parameters
    ----------
    examples
        The examples.
    folds
        Number of folds.
    site_of
        Function that returns the site of an example, or another key that is never divided
        between folds.
    fit
        Function that trains a model on examples.
    judge
        Function that returns a model's prediction for an example.
    keep
        Callback that receives each fold and its model.
    """
    fold_at = [fold_of(site_of(example), folds) for example in examples]
    said: dict[int, _Said] = {}
    for fold in range(folds):
        model = fit([each for each, of in zip(examples, fold_at, strict=True) if of != fold])
        if keep is not None:
            keep(fold, model)
        said |= {
            place: judge(model, examples[place]) for place, of in enumerate(fold_at) if of == fold
        }
    return [said[place] for place in range(len(examples))]
