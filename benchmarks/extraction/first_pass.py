"""The classifier of lines as it is on sites that it has not seen.

What is trained on what it says must not know more of a page than it will of any other: the
probabilities are those of a classifier trained without the page's site, which
``benchmarks.extraction.train --folds N --into FOLDER`` writes.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from unittest.mock import patch

from benchmarks.extraction.examples import fold_of
from worker.evaluation.training.headers import training_of
from worker.extraction import classification
from worker.learning import BoostedTrees, ModelFile, load_model


def model_path(folder: Path, fold: int) -> Path:
    """Return the file of the classifier that has not seen the sites of a fold."""
    return folder / f"fold-{fold}.json"


def write_fold(folder: Path, fold: int, model: BoostedTrees) -> None:
    """Write the classifier that has not seen the sites of a fold."""
    training = training_of((), "benchmarks.extraction.train")
    folder.mkdir(parents=True, exist_ok=True)
    model_path(folder, fold).write_text(ModelFile(training, model).to_json(), encoding="utf-8")


@dataclass(frozen=True)
class FirstPass:
    """What the first pass says of pages that it has not seen.

    Attributes
    ----------
    models
        Classifiers of lines, one for each fold of sites, which has not seen those.
    seen
        Names of the corpora that all of them have seen.
    """

    models: Sequence[BoostedTrees]
    seen: frozenset[str] = frozenset()

    @classmethod
    def of(cls, folder: Path | None) -> Self:
        """Read the classifiers of a folder; else take the shipped one, for corpora new to it."""
        if folder is not None:
            return cls(load_folds(folder))
        shipped = load_model(BoostedTrees, "worker.extraction", "model.json")
        return cls([shipped.model], frozenset(each.name for each in shipped.training.corpora))

    def model_for(self, site: str) -> BoostedTrees:
        """Return the classifier that has not seen a site."""
        return self.models[fold_of(site, len(self.models))]

    @contextmanager
    def on_site(self, site: str) -> Iterator[None]:
        """Let the service judge the lines of pages as it does on a site that it has not seen."""
        model = self.model_for(site)
        with patch.object(classification, "trained_model", lambda: model):
            yield


def load_folds(folder: Path) -> list[BoostedTrees]:
    """Read the classifiers, one for each fold.

    Raises
    ------
    FileNotFoundError
        If the folder holds none.
    """
    paths = [model_path(folder, fold) for fold in range(len(list(folder.glob("fold-*.json"))))]
    if not paths:
        raise FileNotFoundError(f"{folder}: no fold-0.json")
    return [ModelFile.from_json(BoostedTrees, path.read_text("utf-8")).model for path in paths]
