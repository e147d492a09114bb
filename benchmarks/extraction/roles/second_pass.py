"""Models of roles for sites that they have not seen."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from unittest.mock import patch

from benchmarks.extraction.examples import fold_of
from benchmarks.extraction.first_pass import load_folds, write_fold
from worker.article.roles import choosing
from worker.article.roles.model import RoleModel


@dataclass(frozen=True)
class SecondPass:
    """Models of roles, one for each fold of sites; each is used for the sites it has not seen."""

    models: Sequence[RoleModel]

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Read the models written by ``benchmarks.extraction.roles --into``.

        Raises FileNotFoundError if the folder contains none.
        """
        return cls(load_folds(folder, RoleModel))

    def write(self, folder: Path) -> None:
        """Write the models in the format read by `of`."""
        for fold, model in enumerate(self.models):
            write_fold(folder, fold, model, module="benchmarks.extraction.roles")

    def model_for(self, site: str) -> RoleModel:
        """Return the model that has not seen a site."""
        return self.models[fold_of(site, len(self.models))]

    @contextmanager
    def on_site(self, site: str) -> Iterator[None]:
        """Make the service assign roles with a model that has not seen a site."""
        model = self.model_for(site)
        with patch.object(choosing, "trained_model", lambda: model):
            yield
