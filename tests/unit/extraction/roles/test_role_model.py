"""Both passes over the lines of a page have their say in whether a line is text."""

from dataclasses import replace

import numpy as np
import pytest

from models.roles import TEXT_ROLES
from worker.extraction.roles.model import SAID_FIRST, RoleModel
from worker.learning import BoostedTrees, DecisionTree, Features
from worker.learning.classes import ClassTrees

COLUMNS = (SAID_FIRST, "words")
LONG_LINES = DecisionTree([1, -1, -1], [10.0, 0, 0], [1, 0, 0], [2, 0, 0], [0.0, -2.0, 2.0])
MODEL = RoleModel(
    BoostedTrees(COLUMNS, 0.0, (LONG_LINES,)),
    ClassTrees(COLUMNS, ("paragraph", "heading"), (2.0, 0.0), ((), ())),
    ClassTrees(COLUMNS, ("byline", "caption"), (2.0, 0.0), ((), ())),
)


def probabilities(roles: tuple[str, ...], *rows: tuple[float, float]) -> list[float]:
    found = MODEL.text_probabilities(Features(COLUMNS, np.array(rows, dtype=np.float32)), roles)
    return [*map(float, found)]


def test_a_line_that_both_passes_take_for_text_is_likelier_than_one_that_one_of_them_does() -> None:
    both, first, second, none = probabilities(TEXT_ROLES, (0.9, 20), (0.9, 5), (0.1, 20), (0.1, 5))
    assert both > max(first, second)
    assert min(first, second) > none
    assert both == pytest.approx(1 - none, abs=1e-3)


def test_a_first_pass_that_is_sure_can_be_overruled_by_no_more_than_it_says() -> None:
    [found] = probabilities(TEXT_ROLES, (1.0, 5))
    assert 0.9 < found < 1.0


def test_a_lead_is_text_whatever_the_first_pass_says() -> None:
    leads = replace(
        MODEL, inner=replace(MODEL.inner, classes=("lead", "heading"), bases=(9.0, 0.0))
    )
    rows = np.array([(0.1, 20), (0.9, 20)], dtype=np.float32)
    low, high = leads.text_probabilities(Features(COLUMNS, rows), TEXT_ROLES)
    assert low == pytest.approx(high, abs=1e-3)
    assert low > 0.8


def test_roles_outside_of_the_text_are_what_is_left_of_it() -> None:
    row = (0.9, 5.0)
    [text] = probabilities(TEXT_ROLES, row)
    [rest] = probabilities(("byline", "caption"), row)
    assert text + rest == pytest.approx(1.0)
