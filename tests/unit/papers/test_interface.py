import pytest

from benchmarks.evaluation.methods import (
    Extracted,
    Source,
    UnknownExtractorError,
    describe,
    extractor_names,
    get_extractor,
    parse_chain,
)
from detourage.html import parse_page
from detourage.html.flat import FlatDocument
from detourage.inference import BoostedTrees, load_model
from detourage.papers.commentsminer.measures import measure
from detourage.papers.commentsminer.mining import displayed, mine
from tests.unit.benchmarks.evaluation.methods.gull import (
    COMMENTS,
    commented_page,
    contains_story,
    neighbours_for,
    page,
)

PEER_METHODS = {
    *("boilerpipe", "justext", "justext_nostop", "newspaper", "readability", "resiliparse"),
    *("trafilatura", "trafilatura_comments", "trafilatura_precision", "trafilatura_recall"),
}
OWN_METHODS = {
    *("commentsminer", "detourage", "ncleaner", "ncleaner_nonlexical"),
    *("deturck_2015", "deturck_2015_characters", "deturck_2015_comparable"),
    *("deturck_2015_thesis", "deturck_2015_vote"),
    *("html_killer", "html_killer_markup", "html_killer_script", "html_killer_script_markup"),
    *("wutsi", "wutsi_block", "wutsi_fusion"),
}
NEED_OTHER_PAGES = {name for name in OWN_METHODS if name.startswith("deturck_2015")}


def test_every_method_is_described_by_its_name() -> None:
    assert set(extractor_names()) > PEER_METHODS | OWN_METHODS
    assert all(describe(name) for name in extractor_names())


@pytest.mark.parametrize("name", sorted(PEER_METHODS | OWN_METHODS))
def test_a_method_gives_text_blocks_and_version(name: str) -> None:
    extractor = get_extractor(name)
    found = extractor.extract(page("harbour"), neighbours_for("harbour"))
    assert extractor.version
    assert extractor.name == name
    assert isinstance(found, Extracted)
    for block in found.blocks:
        assert block.text == found.text[block.start : block.end]
    assert found.text == "\n\n".join(block.text for block in found.blocks)


def test_comments_are_returned_with_author_and_parent() -> None:
    found = get_extractor("detourage").extract(commented_page())
    assert [(each.author, each.text) for each in found.comments] == [*COMMENTS]
    assert [each.parent for each in found.comments] == [None, None, 1, None]
    assert found.comments[0].date == "2 May 2026, 10:01"
    assert contains_story(found.text, "harbour")
    assert not any(text in found.text for _, text in COMMENTS)


def test_an_unknown_name_is_reported_with_the_known_ones() -> None:
    with pytest.raises(UnknownExtractorError, match=r"'boilrpipe'.* boilerpipe,"):
        get_extractor("boilrpipe")


def test_a_chain_feeds_the_first_result_to_the_second() -> None:
    extractor = parse_chain("html_killer_markup > detourage")
    found = extractor.extract(page("harbour"))
    assert extractor.name == "html_killer_markup>detourage"
    assert get_extractor("detourage").version in extractor.version
    assert contains_story(found.text, "harbour")
    assert found.title == "News of the harbour"


def test_a_chain_keeps_block_types_and_awkward_characters() -> None:
    html = """<body><h1>A &lt;b&gt; &amp; c</h1><div id=text><p>First of all, 1 &lt; 2. It is. Yes.
    <ul><li>one thing or another.<li>and one more of them.</ul><pre>and
    some code &amp; code.</pre></div>"""
    found = parse_chain("wutsi>wutsi").extract(Source(html))
    assert [(block.type, block.text) for block in found.blocks] == [
        ("paragraph", "First of all, 1 < 2. It is. Yes."),
        ("list_item", "one thing or another."),
        ("list_item", "and one more of them."),
        ("code", "and\n    some code & code."),
    ]
    assert found.title == "A <b> & c"


def test_every_method_reads_the_declared_encoding() -> None:
    text = "Пристань откроют весной, сообщили в управлении порта. Рыбаки просили об этом годами."
    html = f"""<meta charset=windows-1251><title>Порт</title><h1>Порт</h1><div>
    {"".join(f"<p>{text} {number}.</p>" for number in range(8))}</div>"""
    source = Source(html.encode("cp1251"), "https://port.example/1")
    for name in sorted((PEER_METHODS | OWN_METHODS) - NEED_OTHER_PAGES - {"ncleaner"}):
        found = get_extractor(name).extract(source)
        assert not found.text or "Пристань" in found.text, name
        assert "\ufffd" not in found.text, name


def _displayed_elements(body: str) -> FlatDocument:
    return displayed(parse_page(f"<html><body>{body}</body></html>").flat)


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
    assert {(found.labels, len(found.roots)) for found in mine(_displayed_elements(body))} == mined


def test_mining_is_bounded_on_a_hostile_page() -> None:
    tags = ("b", "i", "u", "s", "em", "q", "p", "tt", "big", "dfn", "kbd", "var")
    records = []
    for number in range(400):
        chosen_tags = [tag for index, tag in enumerate(tags) if (number * 7 + index * 5) % 11 > 3]
        records.append(
            "<div>" + "".join(f"<{tag}>{number}</{tag}>" for tag in chosen_tags) + "</div>"
        )
    page = _displayed_elements(f"<section>{''.join(records)}</section>")
    with_small_limit = {(each.labels, each.roots) for each in mine(page, 20_000)}
    with_large_limit = {(each.labels, each.roots) for each in mine(page, 100_000)}
    smallest = min(len(roots) for _, roots in with_small_limit)
    assert {each for each in with_large_limit if len(each[1]) > smallest} <= with_small_limit


def test_the_shipped_ranking_uses_the_eight_features_of_the_paper() -> None:
    elements = _displayed_elements("<ul><li>one</li><li>two</li></ul>")
    features = measure(elements, [[2, 3]])
    ranking = load_model(BoostedTrees, "detourage.papers.commentsminer", "commentsminer.json")
    assert features.columns == ranking.columns
    assert len(features.columns) == 8


def test_comments_with_the_same_structure_are_found() -> None:
    found = get_extractor("commentsminer").extract(commented_page())
    assert found.text == ""
    assert any("old pier had its charm" in comment.text for comment in found.comments)
