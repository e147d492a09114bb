"""How certain one is of comments, by what was read of them."""

import numpy as np
import pytest

from tests.unit.comments.comment_pages import NAMES, SAID, URL
from worker.comments.candidates import find_candidates
from worker.comments.certainty import CERTAINTY_COLUMNS, MAX_READ, Certainty, measure_choice
from worker.comments.elements import PageElements
from worker.pages import parse_page


def _measured(record: str, count: int = 5) -> dict[str, float]:
    body = "".join(record.format(name=NAMES[n % 5], said=SAID[n % 5], n=n) for n in range(count))
    page = parse_page(f'<html lang="en"><body>{body}</body></html>', URL)
    elements = PageElements.of(page.document)
    candidates = [each for each in find_candidates(elements) if each.signature.name == ".one"]
    row = measure_choice(elements, URL, candidates, np.full(len(candidates), 0.5))
    return dict(zip(CERTAINTY_COLUMNS, row.tolist(), strict=True))


def test_measures_what_is_read() -> None:
    record = '<div class="one"><b class="author">{name}</b><p>{said}</p></div>'
    measured = _measured(record)
    assert measured["with author"] == 1.0
    assert measured["different authors"] == 0.8
    assert measured["with written date"] == 0.0
    assert measured["log odds"] == 0.0
    assert measured["log odds of the second"] < -9.0


def test_of_many_records_some_are_read() -> None:
    assert _measured('<p class="one">{n} {said}</p>', MAX_READ + 20)["count"] == np.log(MAX_READ)


def test_a_regression_is_written_down() -> None:
    certainty = Certainty(("a", "b"), (1.5, -0.25), -0.5)
    assert Certainty.from_json(certainty.to_json()) == certainty
    assert certainty.probability(np.array([1.0, 4.0])) == 0.5


@pytest.mark.parametrize("text", ["[]", "{}", '{"base": 1, "weights": [1]}'])
def test_what_is_no_regression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no logistic regression"):
        Certainty.from_json(text)
