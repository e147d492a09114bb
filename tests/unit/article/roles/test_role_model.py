"""Both passes over the lines of a page influence whether a line belongs to the text."""

import json
from dataclasses import replace

import numpy as np
import pytest

from models.roles import TEXT_ROLES, LineRole
from worker.article.hashed_words import HashedWords
from worker.article.line_classifier import MAX_LINES, TEXT_ON_OTHER
from worker.article.roles.model import SAID_FIRST, JudgedRoles, RoleModel
from worker.article.roles.network import RoleNetwork
from worker.inference import BoostedTrees, DecisionTree, Features, LineNetwork
from worker.inference.classes import ClassTrees
from worker.inference.networks import WEIGHT_UNIT, Layer

COLUMNS = (SAID_FIRST, "words", TEXT_ON_OTHER)
LONG_LINES = DecisionTree([1, -1, -1], [10.0, 0, 0], [1, 0, 0], [2, 0, 0], [0.0, -2.0, 2.0])
MODEL = RoleModel(
    BoostedTrees(COLUMNS, 0.0, (LONG_LINES,)),
    ClassTrees(COLUMNS, ("paragraph", "heading"), (2.0, 0.0), ((), ())),
    ClassTrees(COLUMNS, ("byline", "caption"), (2.0, 0.0), ((), ())),
)


ROLES: tuple[LineRole, ...] = ("paragraph", "heading", "byline", "caption")
SIZE = 4


def judged(model: RoleModel, *rows: tuple[float, float], on_other: bool = False) -> JudgedRoles:
    words = HashedWords(*(np.zeros((len(rows), 1), dtype=np.int32) for _ in range(3)))
    with_other = np.array([(*row, on_other) for row in rows], dtype=np.float32)
    return model.judge(Features(COLUMNS, with_other), words)


def probabilities(roles: tuple[str, ...], *rows: tuple[float, float]) -> list[float]:
    return [*map(float, judged(MODEL, *rows).text_probabilities(roles))]


def network_for(role: str) -> RoleNetwork:
    """Return a network that assigns the given role to every line, with logits of 4 and 0."""

    def none(inputs: int, outputs: int = SIZE) -> Layer:
        return Layer(np.zeros((inputs, outputs), np.int16), np.zeros(outputs, np.int16))

    table = np.zeros((1, 1), np.int16)
    logits = np.array([4 / WEIGHT_UNIT if name == role else 0 for name in ROLES], np.int16)
    last = replace(none(SIZE, len(ROLES)), biases=logits)
    network = LineNetwork(
        COLUMNS,
        (0.0, 0.0, 0.0),
        (1.0, 1.0, 1.0),
        (table, table, table),
        (none(len(COLUMNS) + 3),),
        (),
        none(2 * SIZE),
        (last,),
    )
    return RoleNetwork(ROLES, network)


def test_agreement_of_both_passes_makes_a_line_more_likely_to_be_text() -> None:
    both, first, second, none = probabilities(TEXT_ROLES, (0.9, 20), (0.9, 5), (0.1, 20), (0.1, 5))
    assert both > max(first, second)
    assert min(first, second) > none
    assert both == pytest.approx(1 - none, abs=1e-3)


def test_a_certain_first_pass_is_overruled_only_within_its_certainty() -> None:
    [found] = probabilities(TEXT_ROLES, (1.0, 5))
    assert 0.9 < found < 1.0


def test_a_lead_is_text_whatever_the_first_pass_says() -> None:
    leads = replace(
        MODEL, inner=replace(MODEL.inner, classes=("lead", "heading"), bases=(9.0, 0.0))
    )
    low, high = judged(leads, (0.1, 20), (0.9, 20)).text_probabilities(TEXT_ROLES)
    assert low == pytest.approx(high, abs=1e-3)
    assert low > 0.8


def test_roles_outside_the_text_get_the_remaining_probability() -> None:
    row = (0.9, 5.0)
    [text] = probabilities(TEXT_ROLES, row)
    [rest] = probabilities(("byline", "caption"), row)
    assert text + rest == pytest.approx(1.0)


def test_the_network_influences_whether_a_line_is_text() -> None:
    row = (0.9, 20.0)
    [alone] = judged(MODEL, row).text_probabilities(TEXT_ROLES)
    by_role = {
        role: judged(replace(MODEL, network=network_for(role)), row)
        for role in ("heading", "byline")
    }
    [as_text] = by_role["heading"].text_probabilities(TEXT_ROLES)
    [as_byline] = by_role["byline"].text_probabilities(TEXT_ROLES)
    assert as_text > as_byline
    assert as_byline < alone


def test_the_network_does_not_select_lines_repeated_on_another_page() -> None:
    row = (0.9, 5.0)
    with_network = replace(MODEL, network=network_for("heading"))
    [alone] = judged(MODEL, row, on_other=True).text_probabilities(TEXT_ROLES)
    [found] = judged(with_network, row, on_other=True).text_probabilities(TEXT_ROLES)
    assert found == pytest.approx(alone)
    [elsewhere] = judged(with_network, row).text_probabilities(TEXT_ROLES)
    assert elsewhere > found


def test_the_network_influences_the_role_of_a_line() -> None:
    places = np.array([1])
    [found] = judged(MODEL, (0.9, 20.0), (0.9, 20.0)).likeliest(places, ROLES)
    assert found.role == "paragraph"
    with_network = replace(MODEL, network=network_for("heading"))
    [found] = judged(with_network, (0.9, 20.0), (0.9, 20.0)).likeliest(places, ROLES)
    assert found.role == "heading"


def test_the_probabilities_of_all_roles_add_up_to_one() -> None:
    for model in (MODEL, replace(MODEL, network=network_for("caption"))):
        names, found = judged(model, (0.9, 20.0), (0.2, 3.0)).role_probabilities()
        assert sorted(names) == sorted(ROLES)
        assert found.sum(axis=1) == pytest.approx(np.ones(2))


def test_pages_with_too_many_lines_are_classified_without_the_network() -> None:
    rows = [(0.9, 20.0)] * (MAX_LINES + 1)
    with_network = replace(MODEL, network=network_for("caption"))
    alone = judged(MODEL, *rows).text_probabilities(TEXT_ROLES)
    assert (judged(with_network, *rows).text_probabilities(TEXT_ROLES) == alone).all()


def test_a_model_survives_serialisation() -> None:
    for model in (MODEL, replace(MODEL, network=network_for("caption"))):
        written = json.dumps(model.to_parameters())
        read = RoleModel.from_parameters(json.loads(written))
        assert json.dumps(read.to_parameters()) == written
        found = judged(read, (0.9, 20.0)).text_probabilities(TEXT_ROLES)
        assert (found == judged(model, (0.9, 20.0)).text_probabilities(TEXT_ROLES)).all()
