"""Training of the network that judges pages; only this training needs PyTorch.

The network has the structure of `detourage.inference.networks`, but uses floating-point numbers. So
that it generalises to other sites, columns, words and the class names of whole pages are dropped at
random in training.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.extraction.lessons import UNKNOWN, Lesson, TextLabels
from detourage.inference import LineNetwork
from detourage.inference.networks import (
    EPSILON,
    KERNEL,
    WEIGHT_UNIT,
    Convolution,
    Layer,
    Weights,
    logarithms,
    standardised,
)
from detourage.reader.hashed_words import NAME_NUMBERS, TEXT_NUMBERS
from detourage.roles import ALL_ROLES, TEXT_ROLES

WIDTH: Final = 128
VECTOR_SIZE: Final = 16
DILATIONS: Final = (1, 2, 4, 8)

EPOCHS: Final = 8
LEARNING_RATE: Final = 2e-3
PAGES_IN_BATCH: Final = 16
LINES_IN_BATCH: Final = 4000
"""Maximum number of lines in a batch, including padding."""

WARMING: Final = 0.15
WEIGHT_DECAY: Final = 0.02
MAX_GRADIENT: Final = 5.0

LEFT_OUT: Final = 0.25
"""Dropout rate of layers."""

COLUMNS_LEFT_OUT: Final = 0.1
WORDS_LEFT_OUT: Final = 0.3
NAMES_LEFT_OUT: Final = 0.2
"""Share of pages whose class names are dropped; it is high because many sites now generate such
names."""

F1_WEIGHT: Final = 0.3
"""Weight of the loss in a page's expected F1, relative to the cross-entropy of its lines."""

KIND_WEIGHT: Final = 0.3
"""Weight of the loss in a page's kind, relative to the cross-entropy of its lines."""

CONVENTION_RATE: Final = 10.0
"""Learning rate of the gold texts' conventions, relative to that of the network. At the same rate,
the conventions would hardly change."""

USUAL: Final = 2.5
"""Initial log odds that a gold text includes a line with a text role."""

MAX_LINES: Final = 1500
"""Maximum number of lines per page used for training, counted from the start of the page."""

MIN_DEVIATION: Final = 0.05

LEAST: Final = 1e-5
"""Minimum distance of probabilities from 0 and from 1."""

_NUMBERS: Final = (NAME_NUMBERS, NAME_NUMBERS, TEXT_NUMBERS)

_Floats = npt.NDArray[np.float64]


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
    def __init__(self, columns: int, kinds: int) -> None:
        super().__init__()
        self.tables = nn.ModuleList(
            nn.EmbeddingBag(numbers, VECTOR_SIZE, mode="mean", padding_idx=0)
            for numbers in _NUMBERS
        )
        for table in self.tables:
            nn.init.normal_(table.weight, std=0.1)
            table.weight.data[0] = 0
        self.inner = nn.ModuleList(
            [
                nn.Linear(columns + VECTOR_SIZE * len(_NUMBERS), 2 * WIDTH),
                nn.Linear(2 * WIDTH, WIDTH),
            ]
        )
        self.convolutions = nn.ModuleList(map(_Convolution, DILATIONS))
        self.whole = nn.Linear(2 * WIDTH, WIDTH)
        self.outer = nn.ModuleList([nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, len(ALL_ROLES))])
        self.page = nn.ModuleList([nn.Linear(2 * WIDTH, WIDTH), nn.Linear(WIDTH, kinds)])

    def forward(
        self, rows: Tensor, bags: Sequence[Tensor], is_line: Tensor
    ) -> tuple[Tensor, Tensor]:
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
        of_page = functional.relu(self.whole(_mean_and_maximum(activations, is_line)))
        activations = (activations + of_page[:, None]) * is_line
        for convolution in self.convolutions[half:]:
            activations = convolution(activations, is_line)
        of_page = _mean_and_maximum(activations, is_line)
        return _outputs(self.outer, activations), _outputs(self.page, of_page)


def _mean_and_maximum(activations: Tensor, is_line: Tensor) -> Tensor:
    mean = activations.sum(dim=1) / is_line.sum(dim=1)
    most = activations.masked_fill(~is_line, -torch.inf).amax(dim=1)
    return torch.cat([mean, most], dim=-1)


def _outputs(layers: nn.ModuleList, activations: Tensor) -> Tensor:
    hidden, last = layers
    activations = functional.relu(hidden(activations))
    outputs: Tensor = last(functional.dropout(activations, LEFT_OUT, hidden.training))
    return outputs


class _Loss(nn.Module):
    """Loss of a batch, with the conventions of gold texts as parameters.

    A convention is the probability, for each role, that a gold text includes lines with this role.
    The probability that a line is in the gold text is a sum over all roles that the line may have.
    Gold texts that omit leads or include captions therefore do not contradict annotators.
    """

    def __init__(self, conventions: int) -> None:
        super().__init__()
        usual = [USUAL if role in TEXT_ROLES else -USUAL for role in ALL_ROLES]
        self.conventions = nn.Parameter(torch.tensor(usual).repeat(conventions, 1))

    def forward(self, of_lines: Tensor, of_page: Tensor, lessons: Sequence[Lesson]) -> Tensor:
        lengths = padded([each.lengths for each in lessons])
        roles = functional.log_softmax(of_lines, dim=-1)
        included = torch.sigmoid(self.conventions[[each.convention for each in lessons]])
        in_gold = (roles.exp() * included[:, None]).sum(dim=-1)
        in_text = roles[..., : len(TEXT_ROLES)].exp().sum(dim=-1)
        loss = _loss_of_text(in_gold, [each.in_gold for each in lessons], lengths)
        loss = loss + _loss_of_text(in_text, [each.in_text for each in lessons], lengths)
        numbers = padded([np.maximum(each.roles, 0) for each in lessons])
        weights = padded([each.role_weights.astype(np.float32) for each in lessons])
        loss = loss - (roles.gather(-1, numbers[..., None]).squeeze(-1) * weights).sum()
        kinds = torch.tensor([each.kind for each in lessons])
        is_known = kinds != UNKNOWN
        if is_known.any():
            of_kinds = functional.cross_entropy(of_page[is_known], kinds[is_known], reduction="sum")
            loss = loss + KIND_WEIGHT * of_kinds
        return loss / len(lessons)


def _loss_of_text(probabilities: Tensor, labels: Sequence[TextLabels], lengths: Tensor) -> Tensor:
    """Return the cross-entropy of lines plus the weighted loss in the expected F1 of pages.

    `probabilities` have the shape (pages, lines).
    """
    is_text = padded([each.is_text.astype(np.float32) for each in labels])
    weights = padded([each.weights.astype(np.float32) for each in labels])
    lengths = lengths * (weights > 0)
    bounded = probabilities.clamp(LEAST, 1 - LEAST)
    entropies = functional.binary_cross_entropy(bounded, is_text, reduction="none")
    wanted = is_text * lengths
    both = (probabilities * wanted).sum(dim=1)
    all_words = (probabilities * lengths).sum(dim=1) + wanted.sum(dim=1)
    f1 = 2 * both / all_words.clamp(min=1)
    return ((entropies * weights).sum(dim=1) + F1_WEIGHT * (1 - f1) * weights.sum(dim=1)).sum()


def train(lessons: Sequence[Lesson], kinds: int, seed: int = 0) -> LineNetwork:
    """Train a network; equal seeds give equal networks, because a single thread is used."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    chance = np.random.default_rng(seed)
    means, deviations = _moments(lessons)
    network = _Network(len(means), kinds)
    loss = _Loss(1 + max(each.convention for each in lessons))
    rates = [LEARNING_RATE, CONVENTION_RATE * LEARNING_RATE]
    optimiser = torch.optim.AdamW(
        [
            {"params": network.parameters(), "weight_decay": WEIGHT_DECAY},
            {"params": loss.parameters(), "weight_decay": 0.0},
        ],
        lr=LEARNING_RATE,
    )
    order = [_groups(lessons, chance) for _ in range(EPOCHS)]
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rates, total_steps=sum(map(len, order)), pct_start=WARMING
    )
    network.train()
    for group in (group for epoch in order for group in epoch):
        pages = [lessons[place] for place in group]
        of_batch = loss(*network(*_inputs(pages, means, deviations)), pages)
        optimiser.zero_grad()
        of_batch.backward()
        nn.utils.clip_grad_norm_(network.parameters(), MAX_GRADIENT)
        optimiser.step()
        schedule.step()
    return _as_integers(network, lessons[0].features.columns, means, deviations)


def _moments(lessons: Sequence[Lesson]) -> tuple[_Floats, _Floats]:
    """Return the means and standard deviations of the columns' logarithms."""
    columns = len(lessons[0].features.columns)
    sums, squares, count = np.zeros(columns), np.zeros(columns), 0
    for each in lessons:
        rows = logarithms(each.features.rows)
        sums += rows.sum(axis=0)
        squares += (rows**2).sum(axis=0)
        count += len(rows)
    means: _Floats = sums / count
    return means, np.maximum(np.sqrt(np.maximum(squares / count - means**2, 0.0)), MIN_DEVIATION)


def _groups(lessons: Sequence[Lesson], chance: np.random.Generator) -> list[list[int]]:
    """Return the indices of pages, grouped into batches of similar length."""
    lengths = np.array([min(MAX_LINES, len(each.lengths)) for each in lessons])
    order = np.argsort(lengths * np.exp(chance.normal(0, 0.15, len(lengths))), kind="stable")
    groups: list[list[int]] = [[]]
    for place in order.tolist():
        group = groups[-1]
        lines = (len(group) + 1) * lengths[place]
        if len(group) == PAGES_IN_BATCH or lines > LINES_IN_BATCH:
            groups.append([])
        groups[-1].append(place)
    groups = [group for group in groups if group]
    chance.shuffle(groups)
    return groups


def _inputs(
    lessons: Sequence[Lesson], means: _Floats, deviations: _Floats
) -> tuple[Tensor, list[Tensor], Tensor]:
    """Return the standardised columns, the word numbers, and a mask that excludes padding."""
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


def _as_integers(
    network: _Network, columns: tuple[str, ...], means: _Floats, deviations: _Floats
) -> LineNetwork:
    return LineNetwork(
        columns,
        tuple(_short(means)),
        tuple(_short(deviations)),
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
        tuple(map(_as_layer, network.page)),
    )


def _short(values: _Floats) -> Iterator[float]:
    return (float(f"{value:.6g}") for value in values.tolist())


def _as_layer(layer: nn.Linear) -> Layer:
    return Layer(_units(layer.weight.T), _units(layer.bias))


def _units(weights: Tensor) -> Weights:
    """Return weights as multiples of `WEIGHT_UNIT`; raise ValueError if one is too large."""
    units = np.rint(weights.detach().double().numpy() / WEIGHT_UNIT)
    if np.abs(units).max() > np.iinfo(np.int16).max:
        raise ValueError("a weight of the network is too large")
    rounded: Weights = units.astype(np.int16)
    return rounded
