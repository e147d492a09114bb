"""Arrays as model files have them: base64 of little-endian numbers, which loads at once."""

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt


def encoded(array: npt.NDArray[Any], dtype: str) -> dict[str, Any]:
    """Write an array down.

    Parameters
    ----------
    array
        The array.
    dtype
        Type that its numbers are written in, without the byte order: ``"i2"``.
    """
    little = array.astype(f"<{dtype}").tobytes()
    return {"shape": list(array.shape), "base64": base64.b64encode(little).decode("ascii")}


def decoded(values: Mapping[str, Any], dtype: str) -> npt.NDArray[Any]:
    """Read what `encoded` wrote, as an array that cannot be changed."""
    raw = base64.b64decode(values["base64"], validate=True)
    little = np.frombuffer(raw, dtype=f"<{dtype}")
    return little.astype(dtype, copy=False).reshape(values["shape"])
