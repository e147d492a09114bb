"""Classifiers that are shipped with the package."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from worker.learning.trees import BoostedTrees


def load_trained(package: str, columns: Sequence[str]) -> BoostedTrees:
    """Load the classifier of a package, its ``model.json``.

    Parameters
    ----------
    package
        Name of the package.
    columns
        Names of the columns of the rows that it will be given.

    Raises
    ------
    RuntimeError
        If it was trained on other columns.
    """
    model = _read(package)
    if model.columns != tuple(columns):
        raise RuntimeError(f"the model of {package} was trained on other columns: train it again")
    return model


@cache
def _read(package: str) -> BoostedTrees:
    return BoostedTrees.from_json(files(package).joinpath("model.json").read_text(encoding="utf-8"))
