"""Training data of the page model, in a form that does not require PyTorch."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from detourage.inference import Features
from detourage.reader.hashed_words import HashedWords

UNKNOWN: Final = -1
"""Number that denotes an unknown role or kind."""

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TextLabels:
    """Which lines of a page belong to a text, with the weight of each line (0 if unknown)."""

    is_text: npt.NDArray[np.bool_]
    weights: _Floats


@dataclass(frozen=True)
class Lesson:
    """A page as the network sees it in training, alone or compared with another page.

    `lengths` are the numbers of words of the lines. `in_gold` marks lines of the gold text or of
    required snippets, and `convention` is the number of the convention that the gold text follows.
    `in_text` marks lines with text roles. The weights of unknown lines are 0; `roles` and `kind`
    are numbers, or `UNKNOWN`.
    """

    features: Features
    words: HashedWords
    lengths: npt.NDArray[np.float32]
    in_gold: TextLabels
    convention: int
    in_text: TextLabels
    roles: npt.NDArray[np.int64]
    role_weights: _Floats
    kind: int
