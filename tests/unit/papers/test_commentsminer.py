"""Subtree mining and filtering in CommentsMiner."""

import pytest

from benchmarks.evaluation.methods import get_extractor
from tests.unit.evaluation.methods.gull import commented_page
from worker.comments.elements import PageElements
from worker.comments.features import paper_measures
from worker.html import parse_page
from worker.papers.commentsminer.finding import (
    find_occurrences,
    trained_ranking,
)
from worker.papers.commentsminer.mining import mine


def _elements(body: str) -> PageElements:
    return PageElements.of(parse_page(f"<html><body>{body}</body></html>").document)


def _mined(body: str) -> set[tuple[tuple[str, ...], int]]:
    return {(found.labels, len(found.roots)) for found in mine(_elements(body))}


def test_the_largest_subtree_in_all_comments_is_closed() -> None:
    body = "<ul><li><b>Ann</b><p>one</p></li><li><b>Ben</b><p>two</p></li></ul>"
    assert _mined(body) == {(("li", "b", "p"), 2)}


def test_a_part_that_occurs_more_often_is_closed_too() -> None:
    body = "<ul><li><b>Ann</b><p>one</p></li><li><b>Ben</b><p>two</p></li><li><b>Cid</b></li></ul>"
    assert _mined(body) == {(("li", "b", "p"), 2), (("li", "b"), 3)}


def test_replies_inside_comments_are_separate_occurrences() -> None:
    body = "<ul><li><p>one</p><ul><li><p>two</p></li></ul></li><li><p>three</p></li></ul>"
    assert (("li", "p"), 3) in _mined(body)


def test_both_nodes_of_a_repeated_label_are_in_the_subtree() -> None:
    body = "<ul><li><p>a</p><p>b</p></li><li><p>c</p><p>d</p></li></ul>"
    assert _mined(body) == {(("li", "p", "p"), 2), (("p",), 4)}


def test_what_follows_a_label_with_two_occurrences_is_mined() -> None:
    records = "".join(
        f"<li><div>{name}</div><p>{said}</p><div>reply</div></li>"
        for name, said in (("Ann", "one"), ("Ben", "two"), ("Cid", "three"))
    )
    assert _mined(f"<ul>{records}</ul>") == {(("li", "div", "p", "div"), 3), (("div",), 6)}
    uneven = "<ul><li><p>a</p><p>b</p><b>c</b></li><li><p>d</p><b>e</b></li></ul>"
    assert _mined(uneven) == {(("li", "p", "b"), 2), (("p",), 3)}


@pytest.mark.parametrize("text", ["", "same"])
def test_blank_and_identical_occurrences_are_dropped(text: str) -> None:
    assert _mined(f"<ul><li><p>{text}</p></li><li><p>{text}</p></li></ul><i>x</i>") == set()


def test_occurrences_without_a_common_container_are_dropped() -> None:
    assert _mined("<ul><li>one</li></ul><ul><li>two</li></ul>") == set()


def test_a_pattern_is_found_where_it_was_mined() -> None:
    page = _elements(
        "<ul><li><b>Ann</b><i>x</i><p>one</p></li><li><b>Ben</b><p>two</p></li><li>none</li></ul>"
    )
    patterns = mine(page)
    assert patterns
    for pattern in patterns:
        assert set(find_occurrences(page, pattern)) >= set(pattern.roots)


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


def test_mining_is_bounded_on_a_deeply_nested_page() -> None:
    deep = "<div>" * 200 + "x" + "</div>" * 200
    assert mine(_elements(f"<section>{deep}{deep.replace('x', 'y')}</section>"))


def test_the_shipped_ranking_uses_the_eight_features_of_the_paper() -> None:
    elements = _elements("<ul><li>one</li><li>two</li></ul>")
    features = paper_measures(elements, [[2, 3]])
    assert features.columns == trained_ranking().columns
    assert len(features.columns) == 8


def test_comments_with_the_same_structure_are_found() -> None:
    found = get_extractor("commentsminer").extract(commented_page())
    assert found.text == ""
    assert any("old pier had its charm" in comment.text for comment in found.comments)
