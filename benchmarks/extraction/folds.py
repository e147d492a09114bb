"""Page models for evaluation on sites that were not part of their training.

``benchmarks.extraction.train --folds N --into FOLDER`` writes a model for each fold of sites. They
are also needed to train a second model on the output of the first, because that output must not be
better in training than in use.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from unittest.mock import patch

from benchmarks.extraction.examples import fold_of
from benchmarks.training.headers import ModelFile, training_of
from detourage.reader import page_model
from detourage.reader.page_model import PageModel


@dataclass(frozen=True)
class FoldModels:
    """Page models, one per fold, each trained without the sites of that fold."""

    models: Sequence[PageModel]

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Read the models in a folder; raise FileNotFoundError if there are none."""
        count = len(list(folder.glob("fold-*.json")))
        if not count:
            raise FileNotFoundError(f"{folder}: no fold-0.json")
        texts = (_path(folder, fold).read_text("utf-8") for fold in range(count))
        return cls([ModelFile.from_json(PageModel, text).model for text in texts])

    def model_for(self, site: str) -> PageModel:
        """Return the model that was not trained on a site."""
        return self.models[fold_of(site, len(self.models))]

    @contextmanager
    def on_site(self, site: str) -> Iterator[None]:
        """Make the service extract pages with the model that was not trained on a site."""
        model = self.model_for(site)
        with patch.object(page_model, "trained_model", lambda: model):
            yield


def write_fold(folder: Path, fold: int, model: PageModel) -> None:
    """Write the model that was trained without the sites of a fold; start with the first fold."""
    folder.mkdir(parents=True, exist_ok=True)
    if not fold:
        for left_over in folder.glob("fold-*.json"):
            left_over.unlink()
    text = ModelFile(training_of((), "benchmarks.extraction.train"), model).to_json()
    _path(folder, fold).write_text(text, encoding="utf-8")


def _path(folder: Path, fold: int) -> Path:
    return folder / f"fold-{fold}.json"
