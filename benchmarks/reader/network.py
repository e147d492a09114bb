"""The reader's network in JAX: the same sums as ``detourage/core/network.cpp``, with gradients.

Pages are packed one after another into batches of a fixed number of lines; neighbours, pools and
groups never cross the border of a page.
"""

import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Arrays = dict[str, Any]

POSITIONS, PAIRS, KERNEL, GROUPED = 3, 5, 5, 32
FIRST_WORDS = 24
LEVELS = 7


@dataclass(frozen=True)
class Shape:
    """Sizes of the network.

    `dilations` are the steps between the lines that each convolution sees, and `mixed` the
    convolutions after which a line sees the mean of its groups and of the page.
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


def pieces_of(numbers: np.ndarray, bins: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return column, lower end and width of the pieces into which each column's range is cut."""
    found: list[tuple[int, float, float]] = []
    for column in range(numbers.shape[1]):
        values = numbers[:, column].astype(np.float32)
        few = len(np.unique(values[:5000])) <= 2
        inner = [] if few else np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1])
        low, high = float(values.min()), float(values.max())
        knots = np.unique([low, *inner, high if high > low else low + 1])
        found += [(column, a, max(b - a, 1e-3)) for a, b in zip(knots, knots[1:], strict=False)]
    columns, lows, widths = zip(*found, strict=True)
    return np.array(columns), np.array(lows, np.float32), np.array(widths, np.float32)


def initial(shape: Shape, pieces: int, roles: int, kinds: int, conventions: int, seed: int) -> Arrays:
    """Return the parameters before training."""
    rng = np.random.default_rng(seed)

    def dense(inputs: int, outputs: int, size: float = 1.0) -> Arrays:
        weights = rng.normal(0, size * math.sqrt(2 / inputs), (inputs, outputs))
        return {"w": jnp.asarray(weights, jnp.float32), "b": jnp.zeros(outputs)}

    def table(rows: int) -> Any:
        return jnp.asarray(rng.normal(0, 0.1, (rows, embedding)), jnp.float32)

    width, embedding = shape.width, shape.embedding
    made: Arrays = {
        "words": table(shape.words),
        "positions": table(shape.positions),
        "names": table(shape.names),
        "signs": table(shape.signs),
        "page_words": table(shape.page_words),
        "levels": jnp.asarray(np.outer(1 / (1 + np.arange(LEVELS - 2)), np.ones(embedding)), jnp.float32),
        "numbers": dense(pieces, width, 0.5),
        "embedded": dense(8 * embedding, width),
        "page": dense(embedding, width),
        "two": dense(width, width),
        "hidden": dense(width, width),
        "roles": dense(width, roles, 0.3),
        "comments": dense(width, 2, 0.3),
        "kinds": dense(2 * width + embedding, width),
        "kind": dense(width, kinds, 0.3),
        "convention": jnp.zeros((conventions, roles)),
        "gold": jnp.zeros((conventions, width)),
        "gold_bias": jnp.zeros(conventions),
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


@dataclass(frozen=True)
class Noise:
    """Shares that are dropped in training, so that nothing is relied on alone.

    The random bytes of `Batch["random"]` decide, because JAX's generator is too slow on a CPU.
    """

    rows: float = 0.2
    words: float = 0.25
    signs: float = 0.2
    names: float = 0.2
    all_names: float = 0.25
    page_words: float = 0.3


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


def judge(shape: Shape, parameters: Arrays, batch: Arrays, pieces: Arrays, noise: Noise | None) -> Arrays:
    """Return the logits of roles, comments and kinds, and the rows before them."""
    p, seg = parameters, batch["page_of_line"]
    lines, pages = seg.shape[0], batch["page_words"].shape[0] - 1
    live = (seg < pages)[:, None].astype(jnp.float32)
    taken = 0

    def kept(share: float, width: int) -> Any:
        nonlocal taken
        drawn = batch["random"][:, taken : taken + width]
        taken += width
        return drawn >= np.uint8(round(256 * share))

    def dropped(x: Any) -> Any:
        return x * kept(noise.rows, x.shape[1]) / (1 - noise.rows) if noise else x

    words, shapes, links, names = (batch[name].astype(jnp.int32) for name in ("words", "shapes", "links", "names"))
    page_words = batch["page_words"].astype(jnp.int32)
    if noise:
        words = words * kept(noise.words, words.shape[1])
        shapes = shapes * kept(noise.signs, shapes.shape[1])
        links = links * kept(noise.signs, links.shape[1])
        names = names * (batch["random_names"] >= round(256 * noise.names))
        named = (batch["random_pages"] >= round(256 * noise.all_names)).astype(jnp.int32)
        tag_only = jnp.arange(names.shape[1])[None] == 0
        names = names * jnp.where(tag_only, 1, named[batch["page_of_name"]][:, None])
        page_words = page_words * (batch["random_words"] >= round(256 * noise.page_words))
    first = words[:, :POSITIONS]
    placed = jnp.where(first > 0, first * 31 + jnp.arange(POSITIONS) * 7919 + 1, 0)
    one, other = (words[:, :PAIRS].astype(jnp.uint32), words[:, 1 : PAIRS + 1].astype(jnp.uint32))
    rows = np.uint32(p["positions"].shape[0])
    # As in C++, modulo 2**32; 0 stands for no pair.
    pairs = jnp.where((one > 0) & (other > 0), (one * np.uint32(40503) + other + np.uint32(1)) % rows + rows, 0)
    of_names = _bag(p["names"], names, is_mean=False) * (names.max(-1) > 0)[:, None]
    at = of_names[batch["places"]] * (batch["places"] > 0)[..., None]
    embedded = jnp.concatenate(
        [
            _bag(p["words"], words[:, :FIRST_WORDS], is_mean=True),
            _bag(p["words"], words[:, FIRST_WORDS:], is_mean=True),
            _bag(p["positions"], jnp.concatenate([placed, pairs.astype(jnp.int32)], 1), is_mean=False),
            _bag(p["signs"], jnp.concatenate([shapes, links], 1), is_mean=False),
            at[:, 0],
            at[:, 1],
            (at[:, 2:LEVELS] * p["levels"]).sum(1),
            at[:, LEVELS] + at[:, LEVELS + 1],
        ],
        1,
    )
    said = _bag(p["page_words"], page_words, is_mean=True)
    columns, low, width = pieces["column"], pieces["low"], pieces["width"]
    numbers = batch["pieces"].astype(jnp.float32) / 255 if "pieces" in batch else jnp.clip(
        (batch["numbers"].astype(jnp.float32)[:, columns] - low) / width, 0, 1
    )
    x = jax.nn.relu(_dense(p["numbers"], numbers) + _dense(p["embedded"], dropped(embedded)) + _dense(p["page"], said)[seg])
    x = jax.nn.relu(_dense(p["two"], dropped(x))) * live
    sizes = jnp.maximum(1.0, jax.ops.segment_sum(live[:, 0], seg, pages + 1))[:, None]

    def pooled(rows: Any) -> Any:
        mean = jax.ops.segment_sum(rows * live, seg, pages + 1) / sizes
        most = jax.ops.segment_max(jnp.where(live > 0, rows, -9.0), seg, pages + 1)
        return jnp.concatenate([mean, jnp.maximum(most, -9.0)], 1)

    def moved(rows: Any, by: int) -> Any:
        place = jnp.arange(lines)
        inside = (place >= by) if by > 0 else (place < lines + by)
        same = (jnp.roll(seg, by) == seg) & inside
        return jnp.roll(rows, by, 0) * same[:, None]

    groups = [batch[name] for name in ("paths", "parents", "grandparents")]
    group_sizes = [jnp.maximum(1.0, jax.ops.segment_sum(live[:, 0], each, lines))[:, None] for each in groups]
    mix = 0
    for layer, step in enumerate(shape.dilations):
        own = p[f"conv{layer}"]
        y = _normal(x, own["gain"]) * live
        y = sum((moved(y, (KERNEL // 2 - k) * step) if k != KERNEL // 2 else y) * own["kernel"][k] for k in range(KERNEL))
        x = (x + _dense(own["out"], dropped(jax.nn.relu(_dense(own["in"], y))))) * live
        if layer not in shape.mixed:
            continue
        own = p[f"mix{mix}"]
        mix += 1
        y = _normal(x, own["gain"]) * live
        values = _dense(own["values"], y) * live
        means = [
            (jax.ops.segment_sum(values[:, GROUPED * k : GROUPED * (k + 1)], group, lines) / size)[group]
            for k, (group, size) in enumerate(zip(groups, group_sizes, strict=True))
        ]
        of_page = jax.nn.relu(_dense(own["page"], pooled(y)))[seg]
        x = (x + of_page + dropped(_dense(own["out"], jnp.concatenate(means, 1)))) * live
    hidden = dropped(jax.nn.relu(_dense(p["hidden"], x)))
    kinds = jax.nn.relu(_dense(p["kinds"], jnp.concatenate([pooled(x), said], 1)))
    return {
        "roles": _dense(p["roles"], hidden),
        "comments": _dense(p["comments"], hidden),
        "kinds": _dense(p["kind"], kinds)[:pages],
        "hidden": hidden,
    }
