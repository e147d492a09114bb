"""The network of the page model in JAX, which computes what ``detourage/core/network.cpp`` does.

The lines of several pages follow each other in a batch of a fixed size; convolutions, groups and
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

POSITION_WORDS, WORD_PAIRS = 3, 5
"""Numbers of words and of word pairs at the start of a line that are embedded with positions."""

KERNEL, GROUP_WIDTH = 5, 32
"""Number of lines that a convolution sees, and of values per line averaged over each group."""

FIRST_WORDS: Final = 24  # the rest of a line's word columns are its last words
LEVELS: Final = 7  # a line's block and its ancestors
FAR_LEVELS: Final = LEVELS - 2  # without the block and its parent, which are embedded separately

BINS: Final = 5  # number of pieces into which a column's range is cut at its quantiles


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
    """Shares of the input and of hidden values that are set to zero in training (dropout).

    `all_names` is the share of pages on which all names except the elements' own are dropped.
    """

    rows: float = 0.2
    words: float = 0.25
    signs: float = 0.2
    names: float = 0.2
    all_names: float = 0.25
    page_words: float = 0.3


@dataclass(frozen=True)
class Pieces:
    """The pieces into which the columns' ranges are cut: column, lower end and width of each.

    A value of 7 fills the piece from 0 to 5 and two fifths of the piece from 5 to 10. The network
    is thus piecewise linear in each column.
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
        """Return, for each piece, the share below the column's value, in units of 1 / 255."""
        shares = (numbers[:, self.column].astype(np.float32) - self.low) / self.width
        filled: npt.NDArray[np.uint8] = np.round(255 * np.clip(shares, 0, 1)).astype(np.uint8)
        return filled


def _knots(values: npt.NDArray[np.float32]) -> tuple[float, ...]:
    """Return the lowest and highest value and, unless the column is a flag, its quantiles."""
    is_flag = len(np.unique(values[:5000])) <= 2
    inner: Any = [] if is_flag else np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1])
    low, high = float(values.min()), float(values.max())
    knots: list[float] = np.unique([low, *inner, high if high > low else low + 1]).tolist()
    return tuple(knots)


def initial_parameters(shape: Shape, pieces: int, outputs: Mapping[str, int], seed: int) -> Arrays:
    """Return random parameters; `outputs` are the numbers of roles, kinds and conventions."""
    rng = np.random.default_rng(seed)
    width, embedding = shape.width, shape.embedding

    def dense(inputs: int, outputs: int, size: float = 1.0) -> Arrays:
        weights = rng.normal(0, size * math.sqrt(2 / inputs), (inputs, outputs))
        return {"w": jnp.asarray(weights, jnp.float32), "b": jnp.zeros(outputs)}

    def table(rows: int) -> Any:
        return jnp.asarray(rng.normal(0, 0.1, (rows, embedding)), jnp.float32)

    levels = np.outer(1 / (1 + np.arange(FAR_LEVELS)), np.ones(embedding))
    params: Arrays = {
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
        params[f"conv{layer}"] = {
            "gain": jnp.ones(width),
            "kernel": jnp.asarray(identity + rng.normal(0, 0.1, (KERNEL, width)), jnp.float32),
            "in": dense(width, width),
            "out": dense(width, width, 0.5),
        }
    for mix in range(len(shape.mixed)):
        params[f"mix{mix}"] = {
            "gain": jnp.ones(width),
            "values": dense(width, 3 * GROUP_WIDTH),
            "page": dense(2 * width, width, 0.5),
            "out": dense(3 * GROUP_WIDTH, width, 0.5),
        }
    return params


def _dense(layer: Arrays, x: Any) -> Any:
    return x @ layer["w"] + layer["b"]


def _normalise(x: Any, gain: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain


def _embed(table: Any, words: Any, *, is_mean: bool) -> Any:
    """Return the mean of the words' embeddings, or their sum over the square root of their number.

    Words are hashes; 0 means that there is no word.
    """
    found = (words > 0)[..., None]
    total = (table[words % table.shape[0]] * found).sum(-2)
    count = jnp.maximum(1, found.sum(-2))
    return total / (count if is_mean else jnp.sqrt(count))


class _Dropout:
    """Dropout with random bytes from the batch, because JAX's are slow on a CPU.

    Each use takes the next bytes of a line, of which there are `Shape.random_bytes`.
    """

    def __init__(self, batch: Arrays, noise: Noise | None) -> None:
        self._batch, self._noise, self._taken = batch, noise, 0

    def kept(self, share: float, width: int) -> Any:
        """Return a random mask with `width` columns, of which the given share is false."""
        drawn = self._batch["random"][:, self._taken : self._taken + width]
        self._taken += width
        return drawn >= np.uint8(round(256 * share))

    def rows(self, values: Any) -> Any:
        """Set random values of hidden rows to 0, and scale up the others (inverted dropout)."""
        if self._noise is None:
            return values
        share = self._noise.rows
        return values * self.kept(share, values.shape[1]) / (1 - share)

    def words(self) -> tuple[Any, Any, Any, Any, Any]:
        """Return the hashed words of lines, shapes, links, elements and page."""
        batch, noise = self._batch, self._noise
        columns = ("words", "shapes", "links", "names", "page_words")
        words, shapes, links, names, page_words = (
            batch[each].astype(jnp.int32) for each in columns
        )
        if noise is None:
            return words, shapes, links, names, page_words
        keeps_names = (batch["random_pages"] >= round(256 * noise.all_names)).astype(jnp.int32)
        is_tag = jnp.arange(names.shape[1])[None] == 0
        names = names * (batch["random_names"] >= round(256 * noise.names))
        return (
            words * self.kept(noise.words, words.shape[1]),
            shapes * self.kept(noise.signs, shapes.shape[1]),
            links * self.kept(noise.signs, links.shape[1]),
            names * jnp.where(is_tag, 1, keeps_names[batch["page_of_name"]][:, None]),
            page_words * (batch["random_words"] >= round(256 * noise.page_words)),
        )


def _embed_lines(params: Arrays, batch: Arrays, words: Any, signs: Any, names: Any) -> Any:
    """Return the embedded words of each line, and the embedded names of the elements around it."""
    first = words[:, :POSITION_WORDS]
    with_positions = jnp.where(first > 0, first * 31 + jnp.arange(POSITION_WORDS) * 7919 + 1, 0)
    first_of_pair = words[:, :WORD_PAIRS].astype(jnp.uint32)
    second_of_pair = words[:, 1 : WORD_PAIRS + 1].astype(jnp.uint32)
    rows = np.uint32(params["positions"].shape[0])
    # Modulo 2**32, as in C++. 0 represents no pair, so the table's size is added.
    numbers = (first_of_pair * np.uint32(40503) + second_of_pair + np.uint32(1)) % rows + rows
    pairs = jnp.where((first_of_pair > 0) & (second_of_pair > 0), numbers, 0).astype(jnp.int32)
    name_vectors = _embed(params["names"], names, is_mean=False) * (names.max(-1) > 0)[:, None]
    level_names = name_vectors[batch["places"]] * (batch["places"] > 0)[..., None]
    parts = [
        _embed(params["words"], words[:, :FIRST_WORDS], is_mean=True),
        _embed(params["words"], words[:, FIRST_WORDS:], is_mean=True),
        _embed(params["positions"], jnp.concatenate([with_positions, pairs], 1), is_mean=False),
        _embed(params["signs"], signs, is_mean=False),
        level_names[:, 0],
        level_names[:, 1],
        (level_names[:, 2:LEVELS] * params["levels"]).sum(1),
        level_names[:, LEVELS] + level_names[:, LEVELS + 1],
    ]
    return jnp.concatenate(parts, 1)


def judge(shape: Shape, params: Arrays, batch: Arrays, noise: Noise | None) -> Arrays:
    """Return the logits of roles, comments and kinds, and the rows of the last hidden layer."""
    of_page = batch["page_of_line"]
    lines, pages = of_page.shape[0], batch["page_words"].shape[0] - 1
    is_line = (of_page < pages)[:, None].astype(jnp.float32)
    dropping = _Dropout(batch, noise)
    words, shapes, links, names, page_words = dropping.words()
    embedded = _embed_lines(params, batch, words, jnp.concatenate([shapes, links], 1), names)
    page_vector = _embed(params["page_words"], page_words, is_mean=True)
    numbers = batch["pieces"].astype(jnp.float32) / 255
    x = _dense(params["numbers"], numbers) + _dense(params["embedded"], dropping.rows(embedded))
    x = jax.nn.relu(x + _dense(params["page"], page_vector)[of_page])
    x = jax.nn.relu(_dense(params["two"], dropping.rows(x))) * is_line

    # Lines after those of the last page only fill the batch; `is_line` excludes them.
    def sum_by_group(rows: Any, groups: Any, count: int) -> Any:
        return jax.ops.segment_sum(rows * is_line, groups, count)

    sizes = jnp.maximum(1.0, sum_by_group(is_line[:, 0:1], of_page, pages + 1))

    def summarise_pages(rows: Any) -> Any:
        """Return the mean and the maximum (at least -9) of the rows of each page."""
        most = jax.ops.segment_max(jnp.where(is_line > 0, rows, -9.0), of_page, pages + 1)
        mean = sum_by_group(rows, of_page, pages + 1) / sizes
        return jnp.concatenate([mean, jnp.maximum(most, -9.0)], 1)

    def shift_lines(rows: Any, by: int) -> Any:
        """Replace each line's row by that of a line `by` places before it, or 0 on another page."""
        if not by:
            return rows
        place = jnp.arange(lines)
        inside = (place >= by) if by > 0 else (place < lines + by)
        same = (jnp.roll(of_page, by) == of_page) & inside
        return jnp.roll(rows, by, 0) * same[:, None]

    groups = [batch[name] for name in ("paths", "parents", "grandparents")]
    group_sizes = [jnp.maximum(1.0, sum_by_group(is_line, each, lines)) for each in groups]
    # Convolutions over neighbouring lines; after some, each line sees its groups and its page.
    for layer, step in enumerate(shape.dilations):
        weights = params[f"conv{layer}"]
        normal = _normalise(x, weights["gain"]) * is_line
        shifts = [(KERNEL // 2 - at) * step for at in range(KERNEL)]
        products = [shift_lines(normal, by) * weights["kernel"][at] for at, by in enumerate(shifts)]
        normal = jax.nn.relu(_dense(weights["in"], sum(products)))
        x = (x + _dense(weights["out"], dropping.rows(normal))) * is_line
        if layer not in shape.mixed:
            continue
        weights = params[f"mix{shape.mixed.index(layer)}"]
        normal = _normalise(x, weights["gain"]) * is_line
        values = jnp.split(_dense(weights["values"], normal), 3, axis=1)
        means = [
            (sum_by_group(value, group, lines) / size)[group]
            for value, group, size in zip(values, groups, group_sizes, strict=True)
        ]
        change = jax.nn.relu(_dense(weights["page"], summarise_pages(normal)))[of_page]
        from_groups = dropping.rows(_dense(weights["out"], jnp.concatenate(means, 1)))
        x = (x + change + from_groups) * is_line
    hidden = dropping.rows(jax.nn.relu(_dense(params["hidden"], x)))
    page_rows = jnp.concatenate([summarise_pages(x), page_vector], 1)
    kinds = jax.nn.relu(_dense(params["kinds"], page_rows))
    return {
        "roles": _dense(params["roles"], hidden),
        "comments": _dense(params["comments"], hidden),
        "kinds": _dense(params["kind"], kinds)[:pages],
        "hidden": hidden,
    }
