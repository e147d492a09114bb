import pytest

from benchmarks.evaluation.methods import Neighbours, get_extractor
from detourage.papers.deturck.first_experiments import HEURISTICS
from detourage.reader import NoArticleError, NoTextError
from tests.unit.evaluation.methods.gull import FOOTER, holds_story, neighbours_of, page

EXPERIMENTS = [f"deturck_2015_{name}" for name in HEURISTICS]


@pytest.mark.parametrize(
    "name", [name for name in EXPERIMENTS if not name.startswith("deturck_2015_most_tokens")]
)
def test_the_text_that_differs_is_found(name: str) -> None:
    found = get_extractor(name).extract(page("harbour"), neighbours_of("harbour"))
    assert holds_story(found.text, "harbour")
    assert FOOTER not in found.text
    assert found.title == "News of the harbour"


def test_the_first_experiment_is_misled_by_a_long_text_on_all_pages() -> None:
    found = get_extractor("deturck_2015_most_tokens").extract(
        page("harbour"), neighbours_of("harbour")
    )
    assert FOOTER in found.text


@pytest.mark.parametrize("name", [*EXPERIMENTS, "deturck_2015_vote"])
def test_a_page_needs_another_page_with_a_different_text(name: str) -> None:
    with pytest.raises(NoArticleError) as error:
        get_extractor(name).extract(page("harbour"))
    assert error.value.outcome == "no-comparable-page"
    same = Neighbours(page("harbour"), (page("harbour"),))
    with pytest.raises(NoTextError):
        get_extractor(name).extract(page("harbour"), same)
