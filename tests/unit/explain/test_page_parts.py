from detourage.explain import page_parts
from detourage.explain.page_parts import BoxPart, TextPart, fixed_lines, texts_of
from detourage.html import parse_page
from detourage.reader.outline import Outline
from tests.pages import article_html, paragraphs


def outline(html: str) -> Outline:
    return Outline.of(parse_page(html).flat)


def parts_of(page: Outline, *others: Outline) -> page_parts.PageParts:
    return page_parts.page_parts(page, fixed_lines(page, others))


def test_texts_of_the_template_are_distinguished_from_those_of_the_page() -> None:
    pages = [outline(article_html(seed)) for seed in range(4)]
    texts = list(texts_of(parts_of(*pages).root))
    fixed = {text.text for text in texts if text.is_fixed}
    assert fixed == {f"Section {n}" for n in range(8)} | {"All rights reserved by the paper."}
    varying = {text.text for text in texts if text.is_fixed is False}
    assert set(paragraphs(0)) <= varying
    assert all(text.is_fixed is None for text in texts_of(parts_of(pages[0]).root))


def test_boxes_contain_the_visible_parts_in_page_order() -> None:
    page = outline(
        "<body><div><div><h1>Bridge</h1><p>Before <b>the</b> picture.</p><img src=a>"
        "<p>After it.</p></div></div><div></div><footer>Rights</footer>"
    )
    [box, footer] = parts_of(page).root.parts
    assert isinstance(box, BoxPart)
    assert [part.text for part in box.parts if isinstance(part, TextPart)] == [
        "Bridge",
        "Before the picture.",
        None,
        "After it.",
    ]
    assert isinstance(footer, TextPart)
    assert footer.text == "Rights"


def test_deep_and_long_pages_are_truncated() -> None:
    deep = "<div><p>a</p>" * 200 + "</div>" * 200
    assert len(list(texts_of(parts_of(outline(deep)).root))) == 200
    long = "".join(f"<p>{n}</p>" for n in range(page_parts.MAX_PARTS + 7))
    parts = parts_of(outline(long))
    assert parts.omitted == 7
    assert len(list(texts_of(parts.root))) == page_parts.MAX_PARTS
