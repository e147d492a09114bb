"""The classifiers of pages and their lines as they are on sites that they have not seen.

What is trained on what they say must not know more of a page than it will of any other: the
probabilities are those of a classifier trained without the page's site. A folder has them:
``benchmarks.extraction.train --folds N --into FOLDER`` writes those of lines,
`benchmarks.extraction.kinds` those of kinds, `benchmarks.extraction.other_kinds` those of the
lines of pages that are no articles.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self
from unittest.mock import patch

from benchmarks.extraction.examples import fold_of
from benchmarks.training.headers import training_of
from worker.article import classification
from worker.article.kinds import classifier
from worker.article.kinds.classifier import KindTrees
from worker.article.line_classifier import LineClassifier
from worker.article.other_kinds import judging
from worker.inference import BoostedTrees, ModelFile, load_model
from worker.inference.files import ModelT, TrainedModel

LINES, KINDS, OTHER_KINDS = "", "kinds-", "other-kinds-"
"""What the files of the folds begin with, by what is told: lines, kinds, lines of other kinds."""


def model_path(folder: Path, fold: int, what: str = LINES) -> Path:
    """Return the file of the classifier that has not seen the sites of a fold."""
    return folder / f"{what}fold-{fold}.json"


def write_fold(
    folder: Path,
    fold: int,
    model: TrainedModel,
    what: str = LINES,
    module: str = "benchmarks.extraction.train",
) -> None:
    """Write the classifier that has not seen the sites of a fold, with the module it is from."""
    training = training_of((), module)
    folder.mkdir(parents=True, exist_ok=True)
    text = ModelFile(training, model).to_json()
    model_path(folder, fold, what).write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class FirstPass:
    """What the first pass says of pages that it has not seen.

    Attributes
    ----------
    models
        Classifiers of lines, one for each fold of sites, which has not seen those.
    seen
        Names of the corpora that all of them have seen.
    kinds, other_kinds
        Classifiers of pages, and of the lines of those that are no articles, likewise; none for
        those that are shipped.
    """

    models: Sequence[LineClassifier]
    seen: frozenset[str] = frozenset()
    kinds: Sequence[KindTrees] = ()
    other_kinds: Sequence[BoostedTrees] = ()

    @classmethod
    def of(cls, folder: Path | None) -> Self:
        """Read the classifiers of a folder; else take the shipped one, for corpora new to it."""
        if folder is not None:
            return cls(
                load_folds(folder, LineClassifier),
                kinds=_load(folder, KindTrees, KINDS),
                other_kinds=_load(folder, BoostedTrees, OTHER_KINDS),
            )
        shipped = load_model(LineClassifier, "worker.article", "model.json")
        return cls([shipped.model], frozenset(each.name for each in shipped.training.corpora))

    def model_for(self, site: str) -> LineClassifier:
        """Return the classifier that has not seen a site."""
        return self.models[fold_of(site, len(self.models))]

    @contextmanager
    def on_site(self, site: str) -> Iterator[None]:
        """Let the service judge pages and lines as it does on a site that it has not seen."""
        with ExitStack() as stack:
            for module, name, models in (
                (classification, "trained_model", self.models),
                (classifier, "trained_kinds", self.kinds),
                (judging, "trained_model", self.other_kinds),
            ):
                if models:
                    model = models[fold_of(site, len(models))]
                    stack.enter_context(patch.object(module, name, partial(_same, model)))
            yield


def _same(model: object) -> object:
    return model


def load_folds(folder: Path, kind: type[ModelT]) -> list[ModelT]:
    """Read the classifiers of lines, or of their roles, one for each fold.

    Raises
    ------
    FileNotFoundError
        If the folder holds none.
    """
    models = _load(folder, kind, LINES)
    if not models:
        raise FileNotFoundError(f"{folder}: no fold-0.json")
    return models


def _load(folder: Path, kind: type[ModelT], what: str) -> list[ModelT]:
    folds = range(len(list(folder.glob(f"{what}fold-*.json"))))
    texts = (model_path(folder, fold, what).read_text("utf-8") for fold in folds)
    return [ModelFile.from_json(kind, text).model for text in texts]
