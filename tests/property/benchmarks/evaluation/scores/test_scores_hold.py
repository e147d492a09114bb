from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from benchmarks.evaluation.scores import (
    PRF,
    Gold,
    Prediction,
    best_subtree,
    characters,
    rouge_lsum,
    score_page,
    text_only,
    words,
)

sentences = st.lists(
    st.sampled_from(["a", "b", "cat", "dog", "人", "民", "Köln,", "don't", "3.5", "!"]), max_size=12
).map(" ".join)
texts = st.lists(sentences, max_size=5).map("\n".join)

TEXT_SCORES = (text_only, characters, rouge_lsum)


@given(texts)
def test_a_text_scores_100_against_itself(text: str) -> None:
    perfect = PRF(100, 100, 100)
    for score in TEXT_SCORES:
        assert score(text, text) == perfect
    gold = Gold(id="page", site="site", text=text)
    scores = score_page(Prediction(text=text), gold)
    assert all(
        value == (0 if name in ("within", "around") else 100) for name, value in scores.items()
    )


@given(texts.filter(words))
def test_empty_output_scores_zero(text: str) -> None:
    nothing = PRF(0, 0, 0)
    for score in TEXT_SCORES:
        assert score("", text) == nothing
        assert score(text, "") == nothing
    gold = Gold(id="page", site="site", text=text)
    assert set(score_page(Prediction(), gold).values()) == {0}


@st.composite
def pages(draw: st.DrawFn) -> html.HtmlElement:
    def element(depth: int) -> str:
        tag = draw(st.sampled_from(["div", "p", "b", "li"]))
        content = draw(sentences)
        if depth:
            content += "".join(element(depth - 1) for _ in range(draw(st.integers(0, 3))))
        return f" <{tag}> {content} </{tag}> "

    body = "".join(element(2) for _ in range(draw(st.integers(1, 3))))
    return html.document_fromstring(f"<html><body>{body}<p>end</p></body></html>")


@given(pages(), texts.filter(words))
def test_no_element_beats_the_best_subtree(page: html.HtmlElement, text: str) -> None:
    gold = Gold(id="page", site="site", text=text)
    scores = [text_only(element.text_content(), text).f1 for element in page.iter()]
    assert text_only(best_subtree(page, gold).text, text).f1 == max(scores)
