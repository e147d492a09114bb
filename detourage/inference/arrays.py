"""Arrays in model files, encoded as base64 of little-endian numbers, which loads fast."""

from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt


def encoded(array: npt.NDArray[Any], dtype: str) -> dict[str, Any]:
    """Encode an array as numbers of `dtype`, given without byte order, such as ``"i2"``."""
    little = array.astype(f"<{dtype}").tobytes()
    return {"shape": list(array.shape), "base64": b2a_base64(little, newline=False).decode()}


def decoded(values: Mapping[str, Any], dtype: str) -> npt.NDArray[Any]:
    """Decode a result of `encoded` as a read-only array."""
    raw = a2b_base64(values["base64"], strict_mode=True)
    little = np.frombuffer(raw, dtype=f"<{dtype}")
    return little.astype(dtype, copy=False).reshape(values["shape"])
