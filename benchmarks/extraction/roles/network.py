"""Training of the network of roles; needs PyTorch."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.extraction.networks import Lesson, Plan, loss_of_text, padded, train
from benchmarks.extraction.roles.examples import MeasuredPage, RoleExample, TextExample
from models.roles import ALL_ROLES, OUTER_ROLES, TEXT_ROLES
from worker.article.roles.network import RoleNetwork

PLAN: Final = Plan(epochs=15, learning_rate=1e-3, pages_in_batch=8, lines_in_batch=2500)
"""Training plan. With 25 epochs, 47.9 instead of 50.7 % of 142 pages are exactly correct."""

OF_TEXTS: Final = 0.8
"""Weight of a page whose text alone is known, relative to a page whose lines have roles.

With 0.4, the network without the trees is exactly correct on 51.4 instead of 50.0 % of 142 pages,
and has an F1 of .9584 instead of .9595 on 845 pages whose text is known. With the trees, the share
is 50.7 % in both cases, and the F1 is .9601 instead of .9611.
"""

OF_WEAK: Final = 0.3
"""Weight of a role inferred from the gold record, relative to one from an annotator."""

RARE: Final = 0.5
"""Exponent of the weight of rare roles.

The weight of a line is the number of lines with its role, raised to minus this power."""

_NUMBERS: Final[Mapping[str | None, int]] = {role: at for at, role in enumerate(ALL_ROLES)}
_UNKNOWN: Final = -1

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _RoleLesson(Lesson):
    """The lines near a page's article, used for training.

    `roles` are the numbers of the lines' roles, or `_UNKNOWN`. `role_weights` are the weights of
    the lines in the loss of the roles.
    """

    roles: npt.NDArray[np.int64]
    role_weights: _Floats


def fit_role_network(
    roles: Sequence[RoleExample], texts: Sequence[TextExample], seed: int = 0
) -> RoleNetwork:
    """Train on pages whose lines have roles and on pages whose text is known."""
    of_roles = _weights_of_roles(roles)
    lessons = [*_of_roles(roles, of_roles), *_of_texts(texts, of_roles)]
    network = train(lessons, PLAN, _loss, outputs=len(ALL_ROLES), seed=seed)
    return RoleNetwork(ALL_ROLES, network)


def _loss(outputs: Tensor, lessons: Sequence[_RoleLesson]) -> Tensor:
    """Return the loss of the text defined by the roles plus the cross-entropy of the roles."""
    inner, outer = outputs.split([len(TEXT_ROLES), len(OUTER_ROLES)], dim=-1)
    of_text = loss_of_text(inner.logsumexp(dim=-1) - outer.logsumexp(dim=-1), lessons)
    numbers = padded([np.maximum(each.roles, 0) for each in lessons])
    weights = padded([each.role_weights.astype(np.float32) for each in lessons])
    logarithms = functional.log_softmax(outputs, dim=-1)
    entropies = -logarithms.gather(-1, numbers[..., None]).squeeze(-1)
    return of_text + torch.sum(entropies * weights)


def _weights_of_roles(examples: Iterable[RoleExample]) -> _Floats:
    """Return the weight of a line by role, with a mean of 1 over the manually labelled lines."""
    counts = Counter(role for each in examples for role in each.roles if role in _NUMBERS)
    numbers = np.array([counts[role] for role in ALL_ROLES])
    weights = np.maximum(1.0, numbers) ** -RARE
    return np.asarray(weights * numbers.sum() / (weights @ numbers), dtype=np.float64)


def _of_roles(examples: Iterable[RoleExample], of_roles: _Floats) -> Iterator[_RoleLesson]:
    for example in examples:
        numbers = _numbers_of(example.roles)[example.measured.near]
        is_known = numbers != _UNKNOWN
        if is_known.any():
            is_text = is_known & (numbers < len(TEXT_ROLES))
            weights = is_known / is_known.sum()
            yield _lesson(example.measured, is_text, weights, numbers, weights * of_roles[numbers])


def _of_texts(examples: Iterable[TextExample], of_roles: _Floats) -> Iterator[_RoleLesson]:
    for example in examples:
        near = example.measured.near
        if near.any():
            numbers = _numbers_of(example.roles)[near]
            weights = np.full(len(numbers), 1 / len(numbers))
            role_weights = OF_WEAK * weights * of_roles[numbers] * (numbers != _UNKNOWN)
            yield _lesson(
                example.measured,
                example.is_text[near],
                OF_TEXTS * weights,
                numbers,
                role_weights,
            )


def _numbers_of(roles: Sequence[str | None]) -> npt.NDArray[np.int64]:
    return np.array([_NUMBERS.get(role, _UNKNOWN) for role in roles], dtype=np.int64)


def _lesson(
    page: MeasuredPage,
    is_text: npt.NDArray[np.bool_],
    weights: _Floats,
    roles: npt.NDArray[np.int64],
    role_weights: _Floats,
) -> _RoleLesson:
    return _RoleLesson(
        *page.near_lines(),
        page.lengths[page.near].astype(np.float32),
        is_text,
        weights,
        roles,
        role_weights,
    )
