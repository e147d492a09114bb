"""Training of networks that process the lines of a page; only this training needs PyTorch.

The trained network is the one in `worker.inference.networks`, in floating point. So that it
generalises to other sites, columns, words and the class names of whole pages are dropped at random
in training.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from worker.article.hashed_words import NAME_NUMBERS, TEXT_NUMBERS, HashedWords
from worker.inference import Features, LineNetwork
from worker.inference.networks import (
    EPSILON,
    KERNEL,
    WEIGHT_UNIT,
    Convolution,
    Layer,
    Weights,
    logarithms,
    standardised,
)

WIDTH: Final = 96
VECTOR_SIZE: Final = 16
DILATIONS: Final = (1, 2, 4, 8)

WARMING: Final = 0.15
WEIGHT_DECAY: Final = 0.02
MAX_GRADIENT: Final = 5.0

LEFT_OUT: Final = 0.25
"""Dropout rate of layers."""

COLUMNS_LEFT_OUT: Final = 0.1
WORDS_LEFT_OUT: Final = 0.3
NAMES_LEFT_OUT: Final = 0.2
"""Share of the pages whose class names are dropped, because many sites now generate such names."""

F1_WEIGHT: Final = 0.3
"""Weight of one minus the expected F1 of a page's words, relative to the cross-entropy of its
lines."""

MAX_LINES: Final = 1500
"""Maximum number of lines per page used for training, counted from the start of the page."""

MIN_DEVIATION: Final = 0.05

_NUMBERS: Final = (NAME_NUMBERS, NAME_NUMBERS, TEXT_NUMBERS)

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """Hyperparameters of training.

    `epochs` is the number of passes over all pages, and `learning_rate` the maximum learning rate.
    `pages_in_batch` and `lines_in_batch` limit the size of a batch; the latter includes padding.
    """

    epochs: int
    learning_rate: float
    pages_in_batch: int
    lines_in_batch: int


OF_LINES: Final = Plan(epochs=6, learning_rate=2e-3, pages_in_batch=24, lines_in_batch=4000)
"""Plan for the network of lines. With 10 epochs, pages of other kinds in wcxb lose a point of
F1."""


@dataclass(frozen=True)
class Lesson:
    """A page used for training.

    `features` and `words` describe the lines, and `lengths` are their numbers of words. `labels`
    mark the lines of the article; `weights` are 0 for lines without a label.
    """

    features: Features
    words: HashedWords
    lengths: npt.NDArray[np.float32]
    labels: npt.NDArray[np.bool_]
    weights: _Floats


class _Convolution(nn.Module):
    def __init__(self, dilation: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.layer = nn.Conv1d(WIDTH, WIDTH, KERNEL, padding=dilation, dilation=dilation)

    def forward(self, activations: Tensor, is_line: Tensor) -> Tensor:
        normal = (self.norm(activations) * is_line).transpose(1, 2)
        found = functional.relu(self.layer(normal)).transpose(1, 2) * is_line
        return activations + functional.dropout(found, LEFT_OUT, self.training)


class _Network(nn.Module):
    def __init__(self, means: _Floats, deviations: _Floats, outputs: int) -> None:
        super().__init__()
        self.means, self.deviations = means, deviations
        self.tables = nn.ModuleList(
            nn.EmbeddingBag(numbers, VECTOR_SIZE, mode="mean", padding_idx=0)
            for numbers in _NUMBERS
        )
        for table in self.tables:
            nn.init.normal_(table.weight, std=0.1)
            table.weight.data[0] = 0
        self.inner = nn.ModuleList(
            [
                nn.Linear(len(means) + VECTOR_SIZE * len(_NUMBERS), 2 * WIDTH),
                nn.Linear(2 * WIDTH, WIDTH),
            ]
        )
        self.convolutions = nn.ModuleList(map(_Convolution, DILATIONS))
        self.whole = nn.Linear(2 * WIDTH, WIDTH)
        self.outer = nn.ModuleList([nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, outputs)])

    def forward(self, rows: Tensor, bags: Sequence[Tensor], is_line: Tensor) -> Tensor:
        pages, lines, columns = rows.shape
        if self.training:
            rows = rows * (torch.rand(pages, 1, columns) >= COLUMNS_LEFT_OUT)
            has_names = torch.rand(pages, 1, 1) >= NAMES_LEFT_OUT
            bags = [bag * (torch.rand(bag.shape) >= WORDS_LEFT_OUT) for bag in bags]
            bags = [*(bag * has_names for bag in bags[:-1]), bags[-1]]
        vectors = [
            table(bag.flatten(0, 1)).unflatten(0, (pages, lines))
            for table, bag in zip(self.tables, bags, strict=True)
        ]
        is_line = is_line[..., None]
        first, second = self.inner
        activations = functional.relu(first(torch.cat([rows, *vectors], dim=-1)))
        activations = functional.dropout(activations, LEFT_OUT, self.training)
        activations = functional.relu(second(activations)) * is_line
        half = len(DILATIONS) // 2
        for convolution in self.convolutions[:half]:
            activations = convolution(activations, is_line)
        mean = activations.sum(dim=1) / is_line.sum(dim=1)
        most = activations.masked_fill(~is_line, -torch.inf).amax(dim=1)
        of_page = functional.relu(self.whole(torch.cat([mean, most], dim=-1)))
        activations = (activations + of_page[:, None]) * is_line
        for convolution in self.convolutions[half:]:
            activations = convolution(activations, is_line)
        hidden, last = self.outer
        activations = functional.dropout(
            functional.relu(hidden(activations)), LEFT_OUT, self.training
        )
        outputs: Tensor = last(activations)
        return outputs


LessonT = TypeVar("LessonT", bound=Lesson)

Loss = Callable[[Tensor, Sequence[LessonT]], Tensor]
"""Function that receives the outputs of a batch, shape (pages, lines, outputs), and its pages."""


def loss_of_text(log_odds: Tensor, lessons: Sequence[Lesson]) -> Tensor:
    """Return the cross-entropy of lines plus the weighted loss in the expected F1 of pages.

    `log_odds` have shape (pages, lines).
    """
    labels = padded([each.labels.astype(np.float32) for each in lessons])
    weights = padded([each.weights.astype(np.float32) for each in lessons])
    lengths = padded([each.lengths for each in lessons]) * (weights > 0)
    entropies = functional.binary_cross_entropy_with_logits(log_odds, labels, reduction="none")
    wanted = labels * lengths
    likely = torch.sigmoid(log_odds)
    both = (likely * wanted).sum(dim=1)
    all_words = (likely * lengths).sum(dim=1) + wanted.sum(dim=1)
    f1 = 2 * both / all_words.clamp(min=1)
    of_pages = weights.sum(dim=1)
    return ((entropies * weights).sum(dim=1) + F1_WEIGHT * (1 - f1) * of_pages).sum()


def fit_network(lessons: Sequence[Lesson], seed: int = 0) -> LineNetwork:
    """Train the network that classifies whether each line belongs to the article."""

    def loss(outputs: Tensor, lessons: Sequence[Lesson]) -> Tensor:
        return loss_of_text(outputs.squeeze(-1), lessons)

    return train(lessons, OF_LINES, loss, outputs=1, seed=seed)


def train(
    lessons: Sequence[LessonT], plan: Plan, loss: Loss[LessonT], outputs: int, seed: int = 0
) -> LineNetwork:
    """Train a network; on a single thread, equal seeds give equal networks.

    `outputs` is the number of outputs per line.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    chance = np.random.default_rng(seed)
    rows = logarithms(np.concatenate([each.features.rows for each in lessons]))
    means, deviations = rows.mean(axis=0), np.maximum(rows.std(axis=0), MIN_DEVIATION)
    network = _Network(means, deviations, outputs)
    optimiser = torch.optim.AdamW(
        network.parameters(), lr=plan.learning_rate, weight_decay=WEIGHT_DECAY
    )
    order = [_groups(lessons, plan, chance) for _ in range(plan.epochs)]
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, plan.learning_rate, total_steps=sum(map(len, order)), pct_start=WARMING
    )
    scale = sum(float(each.weights.sum()) for each in lessons) / len(lessons)
    network.train()
    for group in (group for epoch in order for group in epoch):
        pages = [lessons[place] for place in group]
        found = network(*_inputs(pages, means, deviations))
        of_batch = loss(found, pages) / scale / len(group)
        optimiser.zero_grad()
        of_batch.backward()
        nn.utils.clip_grad_norm_(network.parameters(), MAX_GRADIENT)
        optimiser.step()
        schedule.step()
    return _as_integers(network, lessons[0].features.columns)


def _groups(lessons: Sequence[Lesson], plan: Plan, chance: np.random.Generator) -> list[list[int]]:
    """Return the indices of pages, in batches of similar length."""
    lengths = np.array([min(MAX_LINES, len(each.labels)) for each in lessons])
    order = np.argsort(lengths * np.exp(chance.normal(0, 0.15, len(lengths))), kind="stable")
    groups: list[list[int]] = [[]]
    for place in order.tolist():
        group = groups[-1]
        lines = (len(group) + 1) * lengths[place]
        if len(group) == plan.pages_in_batch or lines > plan.lines_in_batch:
            groups.append([])
        groups[-1].append(place)
    groups = [group for group in groups if group]
    chance.shuffle(groups)
    return groups


def _inputs(
    lessons: Sequence[Lesson], means: _Floats, deviations: _Floats
) -> tuple[Tensor, list[Tensor], Tensor]:
    """Return the standardised columns, the word numbers, and a mask of existing lines."""
    scaled = [
        standardised(each.features.rows[:MAX_LINES], means, deviations).astype(np.float32)
        for each in lessons
    ]
    bags = zip(*(each.words.bags for each in lessons), strict=True)
    return (
        padded(scaled),
        [padded([bag.astype(np.int64) for bag in of_kind]) for of_kind in bags],
        padded([each.lengths for each in lessons]) > 0,
    )


def padded(arrays: Sequence[npt.NDArray[np.generic]]) -> Tensor:
    """Stack the first `MAX_LINES` rows of pages, padded with zeros."""
    return nn.utils.rnn.pad_sequence(
        [torch.from_numpy(each[:MAX_LINES]) for each in arrays], batch_first=True
    )


def _as_integers(network: _Network, columns: tuple[str, ...]) -> LineNetwork:
    return LineNetwork(
        columns,
        tuple(_short(network.means)),
        tuple(_short(network.deviations)),
        tuple(_units(table.weight) for table in network.tables),
        tuple(map(_as_layer, network.inner)),
        tuple(
            Convolution(
                _units(each.norm.weight),
                _units(each.norm.bias),
                Layer(
                    _units(each.layer.weight.permute(2, 1, 0).flatten(0, 1)),
                    _units(each.layer.bias),
                ),
                dilation,
            )
            for each, dilation in zip(network.convolutions, DILATIONS, strict=True)
        ),
        _as_layer(network.whole),
        tuple(map(_as_layer, network.outer)),
    )


def _short(values: _Floats) -> Iterator[float]:
    return (float(f"{value:.6g}") for value in values.tolist())


def _as_layer(layer: nn.Linear) -> Layer:
    return Layer(_units(layer.weight.T), _units(layer.bias))


def _units(weights: Tensor) -> Weights:
    """Return weights in units of `WEIGHT_UNIT`; raise ValueError if one is too large."""
    units = np.rint(weights.detach().double().numpy() / WEIGHT_UNIT)
    if np.abs(units).max() > np.iinfo(np.int16).max:
        raise ValueError("a weight of the network is too large")
    rounded: Weights = units.astype(np.int16)
    return rounded
