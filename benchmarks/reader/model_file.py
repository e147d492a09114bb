"""Write the network's parameters in the format that ``detourage/core/network.cpp`` reads."""

import struct
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

MAGIC: Final = b"detourage-reader-1\n"
FLOATS, HALVES, BYTES = range(3)
TABLES: Final = frozenset({"words", "positions", "names", "signs", "page_words"})
"""Embeddings, of which each row is stored as signed bytes with a scale."""


def model_file(parameters: Mapping[str, Any], pieces: tuple[Any, Any, Any], shape: Any) -> bytes:
    """Return the model file: every array with its name and shape, tables of words as bytes."""
    arrays: dict[str, Any] = {
        "piece.column": pieces[0],
        "piece.low": pieces[1],
        "piece.width": pieces[2],
        "dilations": shape.dilations,
        "mixed": shape.mixed,
    }
    left_out = {"convention", "gold", "gold_bias"}
    for name, value in parameters.items():
        if name in left_out:
            continue
        if not isinstance(value, Mapping):
            arrays[name] = value
            continue
        for part, inner in value.items():
            if isinstance(inner, Mapping):
                arrays |= {f"{name}.{part}.{key}": array for key, array in inner.items()}
            else:
                arrays[f"{name}.{part}"] = inner
    return MAGIC + b"".join(_stored(name, np.asarray(array)) for name, array in arrays.items())


def _stored(name: str, array: Any) -> bytes:
    kind = BYTES if name in TABLES else FLOATS if name.startswith("piece.") else HALVES
    if name.rpartition(".")[0].startswith(("conv", "mix")) and name.count(".") == 2:
        name = name.rpartition(".")[0] + "." + name.rpartition(".")[2]
    if array.ndim == 2 and name.endswith(".w") and array.shape[1] % 16:
        array = np.pad(array, ((0, 0), (0, -array.shape[1] % 16)))
    if array.ndim == 1 and name.endswith(".b") and len(array) % 16:
        array = np.pad(array, (0, -len(array) % 16))
    head = struct.pack("<B", len(name)) + name.encode() + struct.pack("<BB", kind, array.ndim)
    head += struct.pack(f"<{array.ndim}I", *array.shape)
    if kind == FLOATS:
        return head + array.astype("<f4").tobytes()
    if kind == HALVES:
        return head + array.astype("<f2").tobytes()
    scales = np.maximum(np.abs(array).max(1), 1e-9) / 127
    rows = np.round(array / scales[:, None]).astype(np.int8)
    return head + b"".join(struct.pack("<f", s) + r.tobytes() for s, r in zip(scales, rows, strict=True))
