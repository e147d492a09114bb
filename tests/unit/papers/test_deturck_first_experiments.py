import pytest
from lxml.html import document_fromstring

from benchmarks.evaluation.methods import Neighbours, Source, get_extractor
from detourage.papers.deturck.first_experiments import HEURISTICS, differentials
from detourage.papers.deturck.token_tree import TokenTree, token_tree_of
from detourage.reader import NoArticleError, NoTextError
from tests.trees import format_brackets
from tests.unit.benchmarks.evaluation.methods.gull import (
    FOOTER,
    SENTENCES,
    contains_story,
    neighbours_for,
    page,
)

EXPERIMENTS = [f"deturck_2015_{name}" for name in HEURISTICS]


@pytest.mark.parametrize(
    "name", [name for name in EXPERIMENTS if not name.startswith("deturck_2015_most_tokens")]
)
def test_the_text_that_differs_is_found(name: str) -> None:
    found = get_extractor(name).extract(page("harbour"), neighbours_for("harbour"))
    assert contains_story(found.text, "harbour")
    assert FOOTER not in found.text
    assert found.title == "News of the harbour"


def test_the_first_experiment_is_misled_by_a_long_text_on_all_pages() -> None:
    found = get_extractor("deturck_2015_most_tokens").extract(
        page("harbour"), neighbours_for("harbour")
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


VOTE = get_extractor("deturck_2015_vote")
LONG_BOX = "".join(f"<p>{word} and again: {' '.join(SENTENCES['school'])}</p>" for word in "abcde")


def with_box(story: str) -> Source:
    """Return a page with a box above its article that the heuristic mistakes for the body."""
    source = page(story)
    assert isinstance(source.html, bytes)
    box = f'<div class="box"><p>First: {SENTENCES["library"][0]}</p>{LONG_BOX}</div>'.encode()
    html = source.html.replace(b'<div class="foot footer">', box + b'<div class="foot footer">')
    return Source(html, f"https://gull.example/{story}-with-box.html")


def test_a_misleading_page_gets_the_element_for_which_its_group_votes() -> None:
    group = [page(story) for story in ("library", "school")]
    misleading = with_box("harbour")
    single = get_extractor("deturck_2015").extract(misleading, Neighbours(group[0]))
    assert not contains_story(single.text, "harbour")
    for others in (group, group[::-1]):
        voted = VOTE.extract(misleading, Neighbours(group[0], tuple(others)))
        assert contains_story(voted.text, "harbour")
        assert FOOTER not in voted.text
        assert voted.title == "News of the harbour"


PAGE = """<html><body><div id="top">Home Town Sea</div><div id="text"><p>one two three four</p>
<p>five six seven</p><p>eight <b>nine</b> ten</p></div><div id="foot">all</div></body></html>"""


def elements_by_id(page: TokenTree) -> dict[str, int]:
    return {
        element.get("id"): index for index, element in enumerate(page.elements) if element.get("id")
    }


def script_that_deletes(page: TokenTree, name: str) -> list[tuple[int | None, int | None]]:
    """Return an edit script that deletes exactly the tokens below the given element."""
    index = elements_by_id(page)[name]
    deleted = {
        number for number, element in enumerate(page.elements) if index in page.path_to_root(number)
    }
    return [(node, None if holder in deleted else node) for node, holder in enumerate(page.holders)]


def test_every_word_is_a_leaf_below_its_element() -> None:
    tree = token_tree_of(
        document_fromstring(
            "<html><body><p>Some <b>bold</b> text, yes</p><script>x</script></body></html>"
        )
    )
    assert format_brackets(tree.tree) == "{html{body{p{=some}{b{=bold}}{=text}{=yes}}}}"
    holders = [tree.elements[holder].tag if holder >= 0 else None for holder in tree.holders]
    assert holders == ["p", "b", None, "p", "p", None, None, None]


def test_heuristics_choose_the_parent_of_the_paragraphs_or_a_leaf() -> None:
    page = token_tree_of(document_fromstring(PAGE))
    weights = page.weights(page, script_that_deletes(page, "text"))
    # Weights count changed tokens up to the root.
    assert [weights[0], *(weights[elements_by_id(page)[name]] for name in ("text", "top"))] == [
        10,
        10,
        0,
    ]
    assert differentials(page, weights)[elements_by_id(page)["text"]] == 6
    # The widest gap between offsets is also the one before the text.
    for name in ("differential", "depth", "most_tokens", "offset"):
        assert HEURISTICS[name](page, weights) == elements_by_id(page)["text"]
    # The downward path from the leaf with the most tokens consists of the leaf alone.
    leaf = page.elements[HEURISTICS["most_tokens_down"](page, weights)]
    assert (leaf.tag, leaf.text) == ("p", "one two three four")


NESTED = """<html><body><div id="lead">one two three four five six<div id="a">one two three</div>
<div id="b">one two three four<b id="c">one</b></div></div><div id="rest"><p>x</p><p>y</p></div>
</body></html>"""


def test_the_first_heuristic_searches_down_or_up() -> None:
    # Only the text of b has changed, so b and all its ancestors have weight 5. On the downward
    # path, the differential is 5 - 5 for lead and 5 - 1 for b; c is a leaf and has none. On the
    # upward path, it is 0 for body and html.
    page = token_tree_of(document_fromstring(NESTED))
    weights = page.weights(page, script_that_deletes(page, "b"))
    assert HEURISTICS["most_tokens_down"](page, weights) == elements_by_id(page)["b"]
    assert HEURISTICS["most_tokens"](page, weights) == elements_by_id(page)["lead"]


def test_a_leaf_has_no_differential_in_algorithm_5() -> None:
    # The changed text is in rest (weight 2) and in a, which is a leaf (weight 3).
    page = token_tree_of(document_fromstring(NESTED))
    names = elements_by_id(page)
    script = script_that_deletes(page, "rest")
    changed = [
        (node, None if node is not None and page.holders[node] == names["a"] else counterpart)
        for node, counterpart in script
    ]
    weights = page.weights(page, changed)
    assert weights[names["a"]] == 3
    assert differentials(page, weights)[names["a"]] == 3
    assert differentials(page, weights, inner=True)[names["a"]] == 0
    assert HEURISTICS["differential"](page, weights) == names["a"]
    # Of the elements with children, body has the differential 5 - 3, lead 3 - 3, and rest 2 - 1.
    assert page.elements[HEURISTICS["differential_inner"](page, weights)].tag == "body"
    assert HEURISTICS["depth"](page, weights) == names["a"]
    # Multiplied by the depth, the differential is 2 * 1 and 1 * 2; the first, body, is chosen.
    assert page.elements[HEURISTICS["depth_inner"](page, weights)].tag == "body"
