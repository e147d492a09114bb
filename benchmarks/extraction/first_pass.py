"""Classifiers of pages and lines for sites that they have not seen.

A model trained on the output of another must not receive better input in training than in use. The
probabilities are therefore computed by classifiers trained without the page's site. They are stored
in a folder: ``benchmarks.extraction.train --folds N --into FOLDER`` writes the line
classifiers, `benchmarks.extraction.kinds` the kind classifiers, and
`benchmarks.extraction.other_kinds` the line classifiers for pages that are not articles.
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
"""Prefixes of the files with classifiers of lines, of kinds, and of lines of other kinds."""


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
    """Write the classifier that has not seen the sites of a fold, with the name of its module."""
    training = training_of((), module)
    folder.mkdir(parents=True, exist_ok=True)
    text = ModelFile(training, model).to_json()
    model_path(folder, fold, what).write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class FirstPass:
    """Classifiers of the first pass; each page is read by classifiers that have not seen its site.

    `models` are the classifiers of lines, one per fold of sites, each of which has not seen the
    sites of its fold. `seen` are the names of corpora that all of them have seen. `kinds` are
    classifiers of pages, and `other_kinds` classifiers of the lines on pages that are not articles;
    if they are empty, the shipped ones are used.
    """

    models: Sequence[LineClassifier]
    seen: frozenset[str] = frozenset()
    kinds: Sequence[KindTrees] = ()
    other_kinds: Sequence[BoostedTrees] = ()

    @classmethod
    def of(cls, folder: Path | None) -> Self:
        """Read the classifiers in a folder.

        Without a folder, the shipped classifier is used, for corpora that it has not seen.
        """
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
        """Make the service classify pages and lines with classifiers that have not seen a site."""
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
    """Read the classifiers of lines or roles, one for each fold.

    Raises FileNotFoundError if the folder has none.
    """
    models = _load(folder, kind, LINES)
    if not models:
        raise FileNotFoundError(f"{folder}: no fold-0.json")
    return models


def _load(folder: Path, kind: type[ModelT], what: str) -> list[ModelT]:
    folds = range(len(list(folder.glob(f"{what}fold-*.json"))))
    texts = (model_path(folder, fold, what).read_text("utf-8") for fold in folds)
    return [ModelFile.from_json(kind, text).model for text in texts]
