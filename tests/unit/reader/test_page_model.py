import json
import math
from dataclasses import replace

import numpy as np
import pytest

from detourage.reader.body import judge_page
from detourage.reader.outline import Outline
from detourage.reader.page_model import PageModel, trained_model
from detourage.roles import TEXT_ROLES
from tests.unit.reader.article_pages import page, prose
from tests.unit.reader.page_models import LIKELY, LONG_LINES, ROLES, trees_with

LONG = "This line has more than five words"


def test_the_probabilities_of_all_roles_and_of_all_kinds_add_up() -> None:
    judged = judge_page(Outline.of(page(f"<h1>News</h1>{prose(1)}<p>Home</p>").document))
    assert judged.of_roles.sum(axis=1) == pytest.approx(1.0)
    assert sum(judged.kinds.values()) == pytest.approx(1.0)
    rest = [role for role in judged.roles if role not in TEXT_ROLES]
    assert judged.probabilities + judged.probability_of(rest) == pytest.approx(1.0)


def test_the_likeliest_role_is_one_of_the_requested_roles() -> None:
    judged = judge_page(Outline.of(page(f"<p>{LONG}</p><p>Home</p>").document), model=LONG_LINES)
    [long, short] = judged.likeliest(np.array([0, 1]), ROLES)
    assert (long.role, short.role) == ("paragraph", "template")
    assert long.probability == pytest.approx(LIKELY, abs=0.01)
    [long, short] = judged.likeliest(np.array([0, 1]), ROLES[:1])
    assert (long.role, short.role) == ("paragraph", "paragraph")
    assert short.probability == pytest.approx(1 - LIKELY, abs=0.01)


def test_network_and_trees_have_equal_weight() -> None:
    outline = Outline.of(page(f"<p>{LONG}</p><p>Home</p>").document)
    opposed = replace(LONG_LINES, trees=trees_with(-math.log(LIKELY / (1 - LIKELY))))
    judged = judge_page(outline, model=opposed)
    assert judged.probabilities == pytest.approx(0.5, abs=0.01)
    assert judged.opinions.network == pytest.approx([LIKELY, 1 - LIKELY], abs=0.01)
    assert judged.opinions.trees == pytest.approx([1 - LIKELY, LIKELY], abs=0.01)


def test_a_page_without_lines_is_an_article_without_text() -> None:
    judged = judge_page(Outline.of(page("<p>*</p>").document))
    assert judged.kind == "article"
    assert not len(judged.probabilities)


def test_unknown_roles_and_kinds_are_rejected() -> None:
    written = json.loads(json.dumps(trained_model().to_parameters()))
    for what in ("roles", "kinds"):
        with pytest.raises(ValueError, match="unknown roles or kinds: gull"):
            PageModel.from_parameters({**written, what: [*written[what], "gull"]})
