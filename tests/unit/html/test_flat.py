from lxml.html import fragment_fromstring

from detourage.html import parse_page
from detourage.html.flat import FlatDocument


def _below(flat: FlatDocument, tag: str) -> list[str]:
    index = flat.tags.index(tag)
    return list(flat.texts[flat.text_starts[index] : flat.text_ends[index]])


def test_texts_are_in_page_order_within_their_elements() -> None:
    flat = parse_page("<html><body>a<div>b<p>c<b>d</b>e</p>f</div>g</body></html>").flat
    assert list(flat.texts) == [*"abcdefg"]
    parents = [flat.tags[index] for index in flat.text_parents]
    assert parents == ["body", "div", "p", "b", "p", "div", "body"]
    assert _below(flat, "div") == [*"bcdef"]
    assert _below(flat, "p") == [*"cde"]
    assert _below(flat, "b") == ["d"]


def test_text_after_a_comment_belongs_to_the_enclosing_element() -> None:
    flat = FlatDocument.of(fragment_fromstring("<div>a<!-- x -->b<i>c</i><!-- y -->d</div>"))
    assert flat.tags == ["div", "i"]
    assert list(flat.texts) == [*"abcd"]
    assert [flat.tags[index] for index in flat.text_parents] == ["div", "div", "i", "div"]


def test_a_selection_is_numbered_from_its_own_root() -> None:
    flat = parse_page("<html><body><nav>a<i>b</i></nav><p>c<i>d</i></p></body></html>").flat
    kept = flat.select(~flat.within(flat.having({"head", "nav"})))
    assert kept.tags == ["html", "body", "p", "i"]
    assert list(kept.texts) == ["c", "d"]
    assert kept.parents.tolist() == [-1, 0, 1, 2]
    assert kept.ends.tolist() == [4, 4, 4, 4]
    assert kept.depths.tolist() == [0, 1, 2, 3]
    assert _below(kept, "p") == ["c", "d"]
