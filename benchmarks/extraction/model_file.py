"""Write the page model: a line of JSON that describes it, and the network as the core reads it."""

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.extraction.network import Pieces, Shape
from benchmarks.training.headers import Training

KIND: Final = "roles of lines and kind of page"
MAGIC: Final = b"detourage-reader-1\n"  # marks the start of the binary part
FLOATS, HALVES, BYTES = range(3)  # how the numbers of an array are stored in the file
PADDING: Final = 16  # multiple to which the numbers of outputs are padded with zeros

TABLES: Final = frozenset({"words", "positions", "names", "signs", "page_words"})
"""Embeddings of words, of which each row is stored as signed bytes with a scale."""

TRAINING_ONLY: Final = frozenset({"comments", "convention", "gold", "gold_bias"})
"""Parameters that only training needs."""


def model_file(
    training: Training,
    roles: Sequence[str],
    kinds: Sequence[str],
    network: tuple[Shape, Mapping[str, Any], Pieces],
) -> bytes:
    """Return the content of a model file."""
    shape, parameters, pieces = network
    arrays: dict[str, Any] = {
        "piece.column": pieces.column,
        "piece.low": pieces.low,
        "piece.width": pieces.width,
        "dilations": shape.dilations,
        "mixed": shape.mixed,
    }
    for name, value in parameters.items():
        if name not in TRAINING_ONLY:
            arrays |= _flatten(name, value)
    card = {"model": KIND, "training": asdict(training), "roles": roles, "kinds": kinds}
    stored = (_serialise(name, np.asarray(array)) for name, array in arrays.items())
    return json.dumps(card, ensure_ascii=False).encode() + b"\n" + MAGIC + b"".join(stored)


def _flatten(name: str, value: Any) -> dict[str, Any]:
    """Return the arrays in nested parameters by their path, such as ``conv0.in.w``."""
    if not isinstance(value, Mapping):
        return {name: value}
    return {
        key: each
        for part, inner in value.items()
        for key, each in _flatten(f"{name}.{part}", inner).items()
    }


def _serialise(name: str, array: npt.NDArray[Any]) -> bytes:
    """Return an array's name, number type, shape and values, as the core reads them."""
    number_type = BYTES if name in TABLES else FLOATS if name.startswith("piece.") else HALVES
    if array.ndim and name.endswith((".w", ".b")) and array.shape[-1] % PADDING:
        array = np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, -array.shape[-1] % PADDING)])
    head = (
        struct.pack("<B", len(name)) + name.encode() + struct.pack("<BB", number_type, array.ndim)
    )
    head += struct.pack(f"<{array.ndim}I", *array.shape)
    if number_type == FLOATS:
        return head + array.astype("<f4").tobytes()
    if number_type == HALVES:
        return head + array.astype("<f2").tobytes()
    scales = np.maximum(np.abs(array).max(1), 1e-9) / 127
    rows = np.round(array / scales[:, None]).astype(np.int8)
    pairs = zip(scales, rows, strict=True)
    return head + b"".join(struct.pack("<f", scale) + row.tobytes() for scale, row in pairs)
