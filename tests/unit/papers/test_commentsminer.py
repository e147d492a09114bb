import pytest

from benchmarks.evaluation.methods import get_extractor
from detourage.comments.elements import PageElements
from detourage.comments.features import paper_measures
from detourage.html import parse_page
from detourage.inference import BoostedTrees, load_model
from detourage.papers.commentsminer.mining import mine
from tests.unit.evaluation.methods.gull import commented_page


def _elements(body: str) -> PageElements:
    return PageElements.of(parse_page(f"<html><body>{body}</body></html>").document)


@pytest.mark.parametrize(
    ("body", "mined"),
    [
        (
            "<ul><li><b>Ann</b><p>one</p></li><li><b>Ben</b><p>two</p></li><li><b>Cid</b></li></ul>",
            {(("li", "b", "p"), 2), (("li", "b"), 3)},
        ),
        ("<ul><li><p></p></li><li><p></p></li></ul><i>x</i>", set()),
        ("<ul><li><p>same</p></li><li><p>same</p></li></ul><i>x</i>", set()),
    ],
    ids=["a part that occurs more often", "blank", "identical"],
)
def test_patterns_that_occur_with_different_texts_are_mined(
    body: str, mined: set[tuple[tuple[str, ...], int]]
) -> None:
    assert {(found.labels, len(found.roots)) for found in mine(_elements(body))} == mined


def test_mining_is_bounded_on_a_hostile_page() -> None:
    tags = ("b", "i", "u", "s", "em", "q", "p", "tt", "big", "dfn", "kbd", "var")
    records = []
    for number in range(400):
        chosen = [tag for place, tag in enumerate(tags) if (number * 7 + place * 5) % 11 > 3]
        records.append("<div>" + "".join(f"<{tag}>{number}</{tag}>" for tag in chosen) + "</div>")
    page = _elements(f"<section>{''.join(records)}</section>")
    some = {(each.labels, each.roots) for each in mine(page, 20_000)}
    more = {(each.labels, each.roots) for each in mine(page, 100_000)}
    reached = min(len(roots) for _, roots in some)
    assert {each for each in more if len(each[1]) > reached} <= some


def test_the_shipped_ranking_uses_the_eight_features_of_the_paper() -> None:
    elements = _elements("<ul><li>one</li><li>two</li></ul>")
    features = paper_measures(elements, [[2, 3]])
    ranking = load_model(BoostedTrees, "detourage.papers.commentsminer", "commentsminer.json")
    assert features.columns == ranking.columns
    assert len(features.columns) == 8


def test_comments_with_the_same_structure_are_found() -> None:
    found = get_extractor("commentsminer").extract(commented_page())
    assert found.text == ""
    assert any("old pier had its charm" in comment.text for comment in found.comments)
