"""The classifier of lines as it is on sites that it has not seen.

python -m benchmarks.extraction.roles.first_pass CORPUS… --folds 3 --into FOLDER

What the model of roles is trained on must not know more of a page than it will of any other: the
probabilities of the first pass are those of a classifier trained without the page's site. Writes
``fold-0.json`` and so on; options as of `benchmarks.extraction.train`.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from unittest.mock import patch

from benchmarks.extraction.examples import fold_of, outside, read_examples, read_hints
from benchmarks.extraction.train import fit, weighing_of, weighing_options
from worker.evaluation.training.headers import training_of
from worker.extraction import classification
from worker.learning import BoostedTrees, ModelFile, load_model


def model_path(folder: Path, fold: int) -> Path:
    """Return the file of the classifier that has not seen the sites of a fold."""
    return folder / f"fold-{fold}.json"


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


def main() -> None:
    """Train a classifier for each fold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora with texts")
    parser.add_argument("--hints", nargs="*", type=Path, default=[])
    weighing_options(parser)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--into", type=Path, required=True, help="folder of the models")
    options = parser.parse_args()
    examples = [example for folder in options.corpora for example in read_examples(folder)]
    hints = [hint for folder in options.hints for hint in read_hints(folder)]
    weighing = weighing_of(options)
    options.into.mkdir(parents=True, exist_ok=True)
    for fold in range(options.folds):
        others = [hint for hint in hints if fold_of(hint.site, options.folds) != fold]
        model = fit(outside(fold, options.folds, examples), others, weighing)
        training = training_of((), "benchmarks.extraction.roles.first_pass")
        written = ModelFile(training, model).to_json()
        model_path(options.into, fold).write_text(written, encoding="utf-8")
        print(f"fold {fold}: {len(model.trees)} trees", flush=True)


if __name__ == "__main__":
    main()
