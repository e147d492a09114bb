"""Page models for evaluation on sites that were not part of their training.

``benchmarks.extraction.train --into FOLDER`` writes a model for each of two folds of sites. Models
trained on the output of a page model also need them, because a page model's output is better on the
pages of its own training than in use.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self
from unittest.mock import patch

from detourage.reader import page_model
from detourage.reader.page_model import PageModel

ARTICLES = frozenset({None, "article"})
"""Kinds of pages that are articles. Corpora that only have articles record no kind (None)."""

LEFT_OUT = 10
"""Number of folds of sites; the sites of fold 0 are left out when the shipped model is trained."""


def fold_of(site: str, folds: int) -> int:
    """Return the fold of a site, which does not depend on the other sites."""
    return int(sha256(site.encode()).hexdigest(), 16) % folds


@dataclass(frozen=True)
class FoldModels:
    """Page models, one per fold, each trained without the sites of that fold."""

    models: Sequence[PageModel]

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Read the models in a folder; raise FileNotFoundError if there are none."""
        count = len(list(folder.glob("fold-*.bin")))
        if not count:
            raise FileNotFoundError(f"{folder} contains no models of folds (no fold-0.bin)")
        return cls(
            [PageModel.from_bytes(model_path(folder, at).read_bytes()) for at in range(count)]
        )

    def model_for(self, site: str) -> PageModel:
        """Return the model whose training left out the given site."""
        return self.models[fold_of(site, len(self.models))]

    @contextmanager
    def on_site(self, site: str) -> Iterator[None]:
        """Make the service extract pages with the model whose training left out the given site."""
        model = self.model_for(site)
        with patch.object(page_model, "trained_model", lambda: model):
            yield


def model_path(folder: Path, fold: int) -> Path:
    """Return the file of the model that was trained without the sites of a fold."""
    return folder / f"fold-{fold}.bin"
