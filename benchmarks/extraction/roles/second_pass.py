"""The model of roles as it is on sites that it has not seen."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from unittest.mock import patch

from benchmarks.extraction.examples import fold_of
from benchmarks.extraction.first_pass import model_path
from worker.evaluation.training.headers import training_of
from worker.extraction.roles import choosing
from worker.extraction.roles.model import RoleModel
from worker.learning import ModelFile


@dataclass(frozen=True)
class SecondPass:
    """What the model of roles says of pages that it has not seen.

    Attributes
    ----------
    models
        Models of roles, one for each fold of sites, which has not seen those.
    """

    models: Sequence[RoleModel]

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Read the models that ``benchmarks.extraction.roles --into`` wrote.

        Raises
        ------
        FileNotFoundError
            If the folder holds none.
        """
        paths = [model_path(folder, fold) for fold in range(len(list(folder.glob("fold-*.json"))))]
        if not paths:
            raise FileNotFoundError(f"{folder}: no fold-0.json")
        return cls(
            [ModelFile.from_json(RoleModel, path.read_text("utf-8")).model for path in paths]
        )

    def write(self, folder: Path) -> None:
        """Write the models, for `of`."""
        folder.mkdir(parents=True, exist_ok=True)
        training = training_of((), "benchmarks.extraction.roles")
        for fold, model in enumerate(self.models):
            written = ModelFile(training, model).to_json()
            model_path(folder, fold).write_text(written, encoding="utf-8")

    def model_for(self, site: str) -> RoleModel:
        """Return the model that has not seen a site."""
        return self.models[fold_of(site, len(self.models))]

    @contextmanager
    def on_site(self, site: str) -> Iterator[None]:
        """Let the service tell roles as it does on a site that it has not seen."""
        model = self.model_for(site)
        with patch.object(choosing, "trained_model", lambda: model):
            yield
