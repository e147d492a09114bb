from pathlib import Path

import numpy as np
import pytest

from benchmarks.evaluation.scores.roles import (
    LabelledPage,
    RoleScores,
    align,
    digest_of,
    load_roles,
)
from tests.unit.evaluation.bench.corpus import write_lines


def labelled(*lines: tuple[str, str]) -> LabelledPage:
    texts, roles = zip(*lines, strict=True)
    return LabelledPage("press", "1", "article", tuple(map(digest_of, texts)), roles)


def test_lines_and_their_roles_are_read(tmp_path: Path) -> None:
    lines = [{"text": "Storm", "role": "title"}, {"text": "Reply", "role": "comment_form"}]
    record = {"corpus": "press", "id": "1", "kind": "article", "lines": lines, "note": None}
    [page] = load_roles(write_lines(tmp_path / "roles.jsonl.gz", [record]))
    assert page == labelled(("Storm", "title"), ("Reply", "comment"))


def test_a_line_has_the_role_of_the_labelled_line_at_its_position() -> None:
    page = labelled(("More", "navigation"), ("Storm", "title"), ("More", "promo"))
    roles = align(page, ["More", "Cookies", "Storm", "More"])
    assert roles == ["navigation", None, "title", "promo"]


def test_a_page_is_correct_with_exactly_the_lines_of_the_article() -> None:
    scores = RoleScores()
    roles = ["title", "paragraph", "mixed", None, "caption"]
    assert scores.add(roles, np.array([False, True, True, True, False]))
    assert not scores.add(roles, np.array([False, True, False, False, True]))
    assert not scores.add(roles, np.array([False, False, False, False, False]))
    assert (scores.pages, scores.right) == (3, 1)
    assert scores.exact == pytest.approx(100 / 3)
    assert scores.share_kept("caption") == pytest.approx(100 / 3)
    assert scores.lines["mixed"] == 0


def test_roles_that_labellers_confuse_are_merged() -> None:
    scores = RoleScores()
    true = ["legal", "navigation", "related", "template"]
    found = ["share", "template", "related", "related"]
    scores.add(true, np.zeros(4, dtype=np.bool_), found)
    assert scores.prf("legal").f1 == pytest.approx(200 * 2 / (2 + 3))
    assert scores.prf("related").f1 == 100.0
