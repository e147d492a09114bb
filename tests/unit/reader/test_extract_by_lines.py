import numpy as np
import pytest

from detourage.article import Article
from detourage.reader import page_model
from detourage.reader.article import article_of
from detourage.reader.body import choose_lines, find_body, judge_page
from detourage.reader.finding import Finding
from detourage.reader.outline import Outline
from tests.unit.reader.article_pages import page, paragraphs, prose
from tests.unit.reader.page_models import LIKELY, LONG_LINES

LONG = "This line has more than five words"


def finding_in(body: str) -> tuple[Outline, Finding]:
    outline = Outline.of(page(body).document)
    finding = find_body(outline, judge_page(outline, model=LONG_LINES))
    assert finding is not None
    return outline, finding


def article_in(body: str) -> Article:
    outline, finding = finding_in(body)
    return article_of("https://news.example/a", outline, (), finding)


def test_lines_are_kept_and_dropped_one_by_one() -> None:
    article = article_in(f"<div>{LONG} 1<br>short<br><b>{LONG}</b> 2<p>menu</p>{LONG} 3</div>")
    assert article.text.split() == f"{LONG} 1 {LONG} 2 {LONG} 3".split()
    assert [block.text for block in article.blocks] == [f"{LONG} {n}" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        (f"<div class='a'>{prose(1)}</div><div class='b'>{prose(1)}</div>", paragraphs(1)),
        (
            f"<p>{paragraphs(1)[0]}</p><h2>{LONG}</h2>{prose(1)}",
            [paragraphs(1)[0], LONG, *paragraphs(1)],
        ),
        (f"<p>{LONG}</p>" * 4, [LONG] * 4),
    ],
    ids=["passage", "lead", "short lines"],
)
def test_a_repeated_passage_is_in_the_text_once_but_not_a_lead_or_short_lines(
    body: str, texts: list[str]
) -> None:
    assert article_in(body).text == "\n\n".join(texts)


def test_a_table_with_a_dropped_line_is_no_longer_a_table() -> None:
    rows = f"<tr><td>{LONG} a</td><td>{LONG} b</td></tr><tr><td>{LONG} c</td><td>{LONG} d</td></tr>"
    whole = f"<div><p>{LONG}</p><table>{rows}</table></div>"
    assert [block.type for block in article_in(whole).blocks] == ["paragraph", "table"]
    broken = whole.replace(f"{LONG} d", "d")
    assert [block.type for block in article_in(broken).blocks] == ["paragraph"] * 4


def test_the_container_is_the_smallest_element_around_the_body() -> None:
    outline, finding = finding_in(
        f'<div id="menu">Home</div><div id="main"><p>{LONG}</p><p>{LONG}</p></div>'
    )
    assert outline.elements[finding.container].get("id") == "main"


@pytest.mark.parametrize(
    ("body", "images"),
    [
        ("<div>{text}<figure><img src='/a.jpg'><figcaption>short</figcaption></figure></div>", 1),
        ("<div>{text}<img src='/a.jpg'>{text}</div>", 1),
        ("<div><p>{line}</p></div><div><img src='/logo.jpg'></div><div>{text}</div>", 0),
        ("<div>{text}<a href='/other'>More<img src='/a.jpg'></a></div>", 0),
        ("<div>{text}<div><a href='/other'><img src='/a.jpg'></a></div></div>", 0),
    ],
)
def test_images_are_those_in_the_core_that_link_nowhere_else(body: str, images: int) -> None:
    text = f"<p>{LONG}</p>" * 6
    assert len(article_in(body.format(text=text, line=LONG)).images) == images


def test_confidence_is_the_expected_f1() -> None:
    _, finding = finding_in(f"<p>{LONG}</p><p>two words</p>")
    expected = 2 * 7 * LIKELY / (7 + 7 * LIKELY + 2 * (1 - LIKELY))
    assert finding.confidence == pytest.approx(expected, abs=0.002)


def test_no_other_choice_of_lines_has_a_greater_expected_f1() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        probabilities, lengths = rng.random(7), rng.integers(1, 30, 7).astype(float)
        chosen, f1 = choose_lines(probabilities, lengths)
        likely = probabilities @ lengths
        for bits in range(1, 2**7):
            subset = np.array([bits >> place & 1 for place in range(7)], dtype=bool)
            words = lengths[subset]
            expected = 2 * (probabilities[subset] @ words) / (words.sum() + likely)
            assert expected <= f1 + 1e-12
            if (subset == chosen).all():
                assert expected == pytest.approx(f1)


def test_a_page_with_too_many_lines_is_judged_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    outline = Outline.of(page("<p>one line of a page that has many</p>" * 25).document)
    whole = judge_page(outline, model=LONG_LINES)
    monkeypatch.setattr(page_model, "MAX_LINES", 10)
    in_parts = judge_page(outline, model=LONG_LINES)
    assert len(in_parts.of_roles) == 25
    assert in_parts.of_roles == pytest.approx(whole.of_roles)
    assert in_parts.kinds == whole.kinds


def test_without_article_lines_nothing_is_found() -> None:
    outline = Outline.of(page("<p>two words</p>").document)
    assert find_body(outline, judge_page(outline, model=LONG_LINES)) is None
