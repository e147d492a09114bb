import numpy as np
import pytest

from tests.unit.article.article_pages import page, paragraphs, prose
from worker.article import extract_article
from worker.article.article import article_of
from worker.article.classification import (
    choose_lines,
    find_body,
    judge_lines,
    trained_model,
)
from worker.article.finding import Finding
from worker.article.line_classifier import MAX_LINES, LineClassifier
from worker.article.outline import Outline
from worker.article.rendering import render
from worker.article.result import Extraction
from worker.inference import BoostedTrees, DecisionTree

# Gives lines of more than five words a probability of 0.9 of belonging to the article.
LONG_LINES = LineClassifier(
    BoostedTrees(
        trained_model().columns,
        0.0,
        (
            DecisionTree(
                column=[trained_model().columns.index("words"), -1, -1],
                threshold=[5, 0, 0],
                left=[1, 0, 0],
                right=[2, 0, 0],
                value=[0, -2.1972246, 2.1972246],
            ),
        ),
    )
)
LONG = "This line has more than five words"


def finding_in(body: str) -> tuple[Outline, Finding]:
    outline = Outline.of(page(body).document)
    finding = find_body(outline, judge_lines(outline, model=LONG_LINES))
    assert finding is not None
    return outline, finding


def article_in(body: str) -> Extraction:
    outline, finding = finding_in(body)
    return article_of("https://news.example/a", outline, (), finding)


def test_lines_are_kept_and_dropped_one_by_one() -> None:
    article = article_in(f"<div>{LONG} 1<br>short<br><b>{LONG}</b> 2<p>menu</p>{LONG} 3</div>")
    assert article.text.split() == f"{LONG} 1 {LONG} 2 {LONG} 3".split()
    assert [block.text for block in article.blocks] == [f"{LONG} {n}" for n in (1, 2, 3)]


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
    assert finding.confidence == pytest.approx(2 * 7 * 0.9 / (7 + 7 * 0.9 + 2 * 0.1))


def test_a_doubtful_line_is_kept_if_all_are_doubtful() -> None:
    lengths = np.array([10.0, 10.0, 10.0])
    chosen, f1 = choose_lines(np.array([0.45, 0.1, 0.5]), lengths)
    assert chosen.tolist() == [True, False, True]
    assert f1 == pytest.approx(2 * 9.5 / (20 + 10.5))
    chosen, _ = choose_lines(np.array([0.4, 0.99, 0.99]), lengths)
    assert chosen.tolist() == [False, True, True]


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


def test_both_members_of_the_classifier_count_equally() -> None:
    outline = Outline.of(page(f"<div><p>{LONG}.</p><p>Read also</p></div>").document)
    judged = judge_lines(outline)
    trees, network = judged.log_odds
    assert not np.allclose(trees, network)
    both = 1 / (1 + np.exp(-(trees + network) / 2))
    assert judged.probabilities == pytest.approx(both)


def test_pages_with_too_many_lines_are_classified_without_the_network() -> None:
    outline = Outline.of(page("<p>a line</p>" * (MAX_LINES + 1)).document)
    assert len(judge_lines(outline).log_odds) == 1


def test_without_article_lines_there_is_no_finding() -> None:
    outline = Outline.of(page("<p>two words</p>").document)
    assert find_body(outline, judge_lines(outline, model=LONG_LINES)) is None


def test_all_lines_are_rendered_if_none_are_specified() -> None:
    outline = Outline.of(page("<div>one<br>two</div>").document)
    assert render(outline, Finding("all", 0), "").stretches[0].text == "one\ntwo"


def test_the_trained_classifier_excludes_the_template() -> None:
    menu = "".join(f'<li><a href="/{n}">Section {n}</a></li>' for n in range(9))
    shown = page(
        f'<div id="nav"><ul>{menu}</ul></div><div class="article">{prose(1)}</div>'
        f'<div class="related"><h3>Related</h3><ul>{menu}</ul></div><div>© News 2024</div>'
    )
    article = extract_article(shown, None)
    assert (article.method, article.text) == ("lines", "\n\n".join(paragraphs(1)))
    assert article.confidence > 0.9
