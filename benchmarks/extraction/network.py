"""The network of the page model in JAX: the same sums as ``detourage/core/network.cpp``.

The lines of several pages follow each other in a batch of a fixed size; neighbours, groups and
means never cross the border between two pages. Only training needs JAX.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

Arrays = dict[str, Any]

POSITIONS, PAIRS, KERNEL, GROUPED = 3, 5, 5, 32
FIRST_WORDS: Final = 24
LEVELS: Final = 7
FAR_LEVELS: Final = LEVELS - 2
"""Ancestors of a line's block whose names are added up; the block and its parent stand alone."""

BINS: Final = 5
"""Number of pieces into which a column's range is cut at its quantiles."""


@dataclass(frozen=True)
class Shape:
    """Sizes of the network.

    `dilations` are the distances between the lines that each convolution sees, and `mixed` the
    convolutions after which a line sees the means of its groups and of the page.
    """

    width: int = 128
    embedding: int = 32
    dilations: tuple[int, ...] = (1, 2, 4, 8, 1)
    mixed: tuple[int, ...] = (1, 3)
    words: int = 2**15
    positions: int = 2**14
    names: int = 2**14
    signs: int = 2**12
    page_words: int = 2**12

    @property
    def random_bytes(self) -> int:
        """Number of random bytes per line that `judge` needs for `Noise`."""
        layers = 2 + len(self.dilations) + len(self.mixed)
        return 32 + 3 + 6 + 8 * self.embedding + self.width * layers


@dataclass(frozen=True)
class Noise:
    """Shares that are dropped in training, so that nothing is relied on alone."""

    rows: float = 0.2
    words: float = 0.25
    signs: float = 0.2
    names: float = 0.2
    all_names: float = 0.25
    page_words: float = 0.3


@dataclass(frozen=True)
class Pieces:
    """The pieces into which the columns' ranges are cut: column, lower end and width of each.

    A value fills the pieces below it, so that the network is linear in each piece.
    """

    column: npt.NDArray[np.int64]
    low: npt.NDArray[np.float32]
    width: npt.NDArray[np.float32]

    @classmethod
    def of(cls, numbers: npt.NDArray[Any], knots: tuple[tuple[float, ...], ...]) -> "Pieces":
        """Cut the columns of a sample at their quantiles, and further columns at given knots."""
        of_columns = [_knots(numbers[:, at].astype(np.float32)) for at in range(numbers.shape[1])]
        cut = [
            (column, low, max(high - low, 1e-3))
            for column, each in enumerate([*of_columns, *knots])
            for low, high in pairwise(each)
        ]
        columns, lows, widths = zip(*cut, strict=True)
        return cls(np.array(columns), np.array(lows, np.float32), np.array(widths, np.float32))

    def fill(self, numbers: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
        """Return how full each piece is, in units of 1 / 255."""
        shares = (numbers[:, self.column].astype(np.float32) - self.low) / self.width
        filled: npt.NDArray[np.uint8] = np.round(255 * np.clip(shares, 0, 1)).astype(np.uint8)
        return filled


def _knots(values: npt.NDArray[np.float32]) -> tuple[float, ...]:
    is_flag = len(np.unique(values[:5000])) <= 2
    inner: Any = [] if is_flag else np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1])
    low, high = float(values.min()), float(values.max())
    knots: list[float] = np.unique([low, *inner, high if high > low else low + 1]).tolist()
    return tuple(knots)


def initial(shape: Shape, pieces: int, outputs: Mapping[str, int], seed: int) -> Arrays:
    """Return the parameters before training; `outputs` are the numbers of roles and so on."""
    rng = np.random.default_rng(seed)
    width, embedding = shape.width, shape.embedding

    def dense(inputs: int, outputs: int, size: float = 1.0) -> Arrays:
        weights = rng.normal(0, size * math.sqrt(2 / inputs), (inputs, outputs))
        return {"w": jnp.asarray(weights, jnp.float32), "b": jnp.zeros(outputs)}

    def table(rows: int) -> Any:
        return jnp.asarray(rng.normal(0, 0.1, (rows, embedding)), jnp.float32)

    levels = np.outer(1 / (1 + np.arange(FAR_LEVELS)), np.ones(embedding))
    made: Arrays = {
        "words": table(shape.words),
        "positions": table(shape.positions),
        "names": table(shape.names),
        "signs": table(shape.signs),
        "page_words": table(shape.page_words),
        "levels": jnp.asarray(levels, jnp.float32),
        "numbers": dense(pieces, width, 0.5),
        "embedded": dense(8 * embedding, width),
        "page": dense(embedding, width),
        "two": dense(width, width),
        "hidden": dense(width, width),
        "roles": dense(width, outputs["roles"], 0.3),
        "comments": dense(width, 2, 0.3),
        "kinds": dense(2 * width + embedding, width),
        "kind": dense(width, outputs["kinds"], 0.3),
        "convention": jnp.zeros((outputs["conventions"], outputs["roles"])),
        "gold": jnp.zeros((outputs["conventions"], width)),
        "gold_bias": jnp.zeros(outputs["conventions"]),
    }
    identity = np.eye(KERNEL)[KERNEL // 2][:, None] * np.ones(width)
    for layer in range(len(shape.dilations)):
        made[f"conv{layer}"] = {
            "gain": jnp.ones(width),
            "kernel": jnp.asarray(identity + rng.normal(0, 0.1, (KERNEL, width)), jnp.float32),
            "in": dense(width, width),
            "out": dense(width, width, 0.5),
        }
    for mix in range(len(shape.mixed)):
        made[f"mix{mix}"] = {
            "gain": jnp.ones(width),
            "values": dense(width, 3 * GROUPED),
            "page": dense(2 * width, width, 0.5),
            "out": dense(3 * GROUPED, width, 0.5),
        }
    return made


def _dense(layer: Arrays, x: Any) -> Any:
    return x @ layer["w"] + layer["b"]


def _normal(x: Any, gain: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain


def _bag(table: Any, words: Any, *, is_mean: bool) -> Any:
    found = (words > 0)[..., None]
    total = (table[words % table.shape[0]] * found).sum(-2)
    count = jnp.maximum(1, found.sum(-2))
    return total / (count if is_mean else jnp.sqrt(count))


class _Dropping:
    """Drops random parts; the batch has the random bytes, because JAX's are slow on a CPU."""

    def __init__(self, batch: Arrays, noise: Noise | None) -> None:
        self._batch, self._noise, self._taken = batch, noise, 0

    def kept(self, share: float, width: int) -> Any:
        drawn = self._batch["random"][:, self._taken : self._taken + width]
        self._taken += width
        return drawn >= np.uint8(round(256 * share))

    def rows(self, x: Any) -> Any:
        if self._noise is None:
            return x
        share = self._noise.rows
        return x * self.kept(share, x.shape[1]) / (1 - share)

    def words(self) -> tuple[Any, Any, Any, Any, Any]:
        """Return the hashed words of lines, shapes, links, elements and page."""
        batch, noise = self._batch, self._noise
        hashed = ("words", "shapes", "links", "names", "page_words")
        words, shapes, links, names, of_page = (batch[name].astype(jnp.int32) for name in hashed)
        if noise is None:
            return words, shapes, links, names, of_page
        named = (batch["random_pages"] >= round(256 * noise.all_names)).astype(jnp.int32)
        is_tag = jnp.arange(names.shape[1])[None] == 0
        names = names * (batch["random_names"] >= round(256 * noise.names))
        return (
            words * self.kept(noise.words, words.shape[1]),
            shapes * self.kept(noise.signs, shapes.shape[1]),
            links * self.kept(noise.signs, links.shape[1]),
            names * jnp.where(is_tag, 1, named[batch["page_of_name"]][:, None]),
            of_page * (batch["random_words"] >= round(256 * noise.page_words)),
        )


def _embedded(p: Arrays, batch: Arrays, words: Any, signs: Any, names: Any) -> Any:
    """Return the embedded words of each line, and the embedded names of the elements around it."""
    first = words[:, :POSITIONS]
    placed = jnp.where(first > 0, first * 31 + jnp.arange(POSITIONS) * 7919 + 1, 0)
    one = words[:, :PAIRS].astype(jnp.uint32)
    other = words[:, 1 : PAIRS + 1].astype(jnp.uint32)
    rows = np.uint32(p["positions"].shape[0])
    # Modulo 2**32, as in C++. 0 stands for no pair, so the table's size is added.
    numbers = (one * np.uint32(40503) + other + np.uint32(1)) % rows + rows
    pairs = jnp.where((one > 0) & (other > 0), numbers, 0).astype(jnp.int32)
    of_names = _bag(p["names"], names, is_mean=False) * (names.max(-1) > 0)[:, None]
    at = of_names[batch["places"]] * (batch["places"] > 0)[..., None]
    parts = [
        _bag(p["words"], words[:, :FIRST_WORDS], is_mean=True),
        _bag(p["words"], words[:, FIRST_WORDS:], is_mean=True),
        _bag(p["positions"], jnp.concatenate([placed, pairs], 1), is_mean=False),
        _bag(p["signs"], signs, is_mean=False),
        at[:, 0],
        at[:, 1],
        (at[:, 2:LEVELS] * p["levels"]).sum(1),
        at[:, LEVELS] + at[:, LEVELS + 1],
    ]
    return jnp.concatenate(parts, 1)


def judge(shape: Shape, p: Arrays, batch: Arrays, noise: Noise | None) -> Arrays:
    """Return the logits of roles, comments and kinds, and the hidden rows before them."""
    of_page = batch["page_of_line"]
    lines, pages = of_page.shape[0], batch["page_words"].shape[0] - 1
    live = (of_page < pages)[:, None].astype(jnp.float32)
    dropping = _Dropping(batch, noise)
    words, shapes, links, names, page_words = dropping.words()
    embedded = _embedded(p, batch, words, jnp.concatenate([shapes, links], 1), names)
    said = _bag(p["page_words"], page_words, is_mean=True)
    numbers = batch["pieces"].astype(jnp.float32) / 255
    x = _dense(p["numbers"], numbers) + _dense(p["embedded"], dropping.rows(embedded))
    x = jax.nn.relu(x + _dense(p["page"], said)[of_page])
    x = jax.nn.relu(_dense(p["two"], dropping.rows(x))) * live

    def sums(rows: Any, groups: Any, count: int) -> Any:
        return jax.ops.segment_sum(rows * live, groups, count)

    sizes = jnp.maximum(1.0, sums(live[:, 0:1], of_page, pages + 1))

    def pooled(rows: Any) -> Any:
        most = jax.ops.segment_max(jnp.where(live > 0, rows, -9.0), of_page, pages + 1)
        mean = sums(rows, of_page, pages + 1) / sizes
        return jnp.concatenate([mean, jnp.maximum(most, -9.0)], 1)

    def moved(rows: Any, by: int) -> Any:
        if not by:
            return rows
        place = jnp.arange(lines)
        inside = (place >= by) if by > 0 else (place < lines + by)
        same = (jnp.roll(of_page, by) == of_page) & inside
        return jnp.roll(rows, by, 0) * same[:, None]

    groups = [batch[name] for name in ("paths", "parents", "grandparents")]
    group_sizes = [jnp.maximum(1.0, sums(live, each, lines)) for each in groups]
    for layer, step in enumerate(shape.dilations):
        own = p[f"conv{layer}"]
        y = _normal(x, own["gain"]) * live
        shifted = [moved(y, (KERNEL // 2 - at) * step) * own["kernel"][at] for at in range(KERNEL)]
        y = jax.nn.relu(_dense(own["in"], sum(shifted)))
        x = (x + _dense(own["out"], dropping.rows(y))) * live
        if layer not in shape.mixed:
            continue
        own = p[f"mix{shape.mixed.index(layer)}"]
        y = _normal(x, own["gain"]) * live
        values = jnp.split(_dense(own["values"], y), 3, axis=1)
        means = [
            (sums(value, group, lines) / size)[group]
            for value, group, size in zip(values, groups, group_sizes, strict=True)
        ]
        change = jax.nn.relu(_dense(own["page"], pooled(y)))[of_page]
        x = (x + change + dropping.rows(_dense(own["out"], jnp.concatenate(means, 1)))) * live
    hidden = dropping.rows(jax.nn.relu(_dense(p["hidden"], x)))
    kinds = jax.nn.relu(_dense(p["kinds"], jnp.concatenate([pooled(x), said], 1)))
    return {
        "roles": _dense(p["roles"], hidden),
        "comments": _dense(p["comments"], hidden),
        "kinds": _dense(p["kind"], kinds)[:pages],
        "hidden": hidden,
    }
