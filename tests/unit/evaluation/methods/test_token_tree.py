from lxml.html import document_fromstring

from worker.evaluation.methods.papers.heuristics import HEURISTICS, differentials
from worker.evaluation.methods.papers.token_tree import TokenTree, token_tree_of

PAGE = """<html><body><div id="top">Home Town Sea</div><div id="text"><p>one two three four</p>
<p>five six seven</p><p>eight <b>nine</b> ten</p></div><div id="foot">all</div></body></html>"""


def tree_of(html: str) -> TokenTree:
    return token_tree_of(document_fromstring(html))


def ids(page: TokenTree) -> dict[str, int]:
    return {
        element.get("id"): index for index, element in enumerate(page.elements) if element.get("id")
    }


def everything_in(page: TokenTree, name: str) -> list[tuple[int | None, int | None]]:
    """Write an edit script that deletes the tokens below an element and no others."""
    index = ids(page)[name]
    below = {
        number for number, element in enumerate(page.elements) if index in page.path_to_root(number)
    }
    return [(node, None if holder in below else node) for node, holder in enumerate(page.holders)]


def test_every_word_is_a_leaf_below_the_element_that_holds_it() -> None:
    tree = tree_of("<html><body><p>Some <b>bold</b> text, yes</p><script>x</script></body></html>")
    assert tree.tree.to_brackets() == "{html{body{p{=some}{b{=bold}}{=text}{=yes}}}}"
    assert [tree.elements[holder].tag if holder >= 0 else None for holder in tree.holders] == [
        "p",
        "b",
        None,
        "p",
        "p",
        None,
        None,
        None,
    ]


def test_weights_count_changed_tokens_up_to_the_root() -> None:
    page = tree_of(PAGE)
    weights = page.weights(page, everything_in(page, "text"))
    assert weights[0] == 10
    assert weights[ids(page)["text"]] == 10
    assert weights[ids(page)["top"]] == 0


def test_a_relabelled_token_weighs_and_an_equal_one_does_not() -> None:
    page, other = tree_of("<p>same old</p>"), tree_of("<p>same new</p>")
    script = [(node, node) for node in range(len(page.holders))]
    assert page.weights(other, script)[0] == 1


def test_offsets_are_positions_in_the_code() -> None:
    page = tree_of(PAGE)
    places = [page.offsets[ids(page)[name]] for name in ("top", "text", "foot")]
    assert places == [PAGE.index(f'<div id="{name}"') for name in ("top", "text", "foot")]


def test_the_differential_is_greatest_where_the_paragraphs_meet() -> None:
    page = tree_of(PAGE)
    weights = page.weights(page, everything_in(page, "text"))
    assert differentials(page, weights)[ids(page)["text"]] == 6
    assert HEURISTICS["differential"](page, weights) == ids(page)["text"]
    assert HEURISTICS["depth"](page, weights) == ids(page)["text"]
    assert HEURISTICS["most_tokens"](page, weights) == ids(page)["text"]


def test_the_widest_gap_of_offsets_is_before_the_text() -> None:
    page = tree_of(PAGE)
    weights = page.weights(page, everything_in(page, "text"))
    assert HEURISTICS["offset"](page, weights) == ids(page)["text"]
