"""Features for classifying the roles of lines."""

import numpy as np
import pytest

from tests.unit.article.article_pages import page, prose
from worker.article.classification import judge_lines
from worker.article.outline import Outline
from worker.article.roles.evidence import REACH, gather, near_article

HEAD = (
    "<title>Storm over the harbour | Gazette</title>"
    "<meta property='og:title' content='Storm over the harbour'>"
    "<meta name='author' content='Ada Miller'>"
    "<meta name='description' content='It came at night and took forty roofs with it.'>"
)
TOP = (
    "<nav><a href='/'>Home</a></nav><h1>Storm over the harbour</h1>"
    "<p class='byline'>By <a rel='author' href='/authors/ada'>Ada Miller</a></p>"
    "<time>Monday, 3 June 2024</time>"
    "<p>It came at night and took forty roofs with it.</p>"
)
END = (
    "<figure><img src='/a.jpg' alt='The quay after'>"
    "<figcaption>The quay. Photo: Reuters</figcaption></figure>"
    "<blockquote><p>“We saw nothing.”</p></blockquote>"
    "<p><a href='https://other.example/x'>READ MORE ›</a></p>"
)


def columns(body: str = f"{TOP}{prose(1)}{END}") -> dict[str, dict[str, float]]:
    """Return the feature columns of each line, by the text of the line."""
    shown = page(body, HEAD)
    outline = Outline.of(shown.document)
    judged = judge_lines(outline, url=shown.url)
    stretch = gather(outline, judged, whole=True)
    return {
        line.text: dict(zip(stretch.features.columns, row, strict=True))
        for line, row in zip(judged.evidence.lines, stretch.features.rows.tolist(), strict=True)
    }


@pytest.mark.parametrize(
    ("text", "column", "value"),
    [
        ("Storm over the harbour", "like_og_title", 1.0),
        ("Storm over the harbour", "within_heading", 1.0),
        ("By Ada Miller", "of_authors", 1.0),
        ("By Ada Miller", "names_author", 2.0),
        ("By Ada Miller", "to_author", 1.0),
        ("By Ada Miller", "begins_byline", 1.0),
        ("By Ada Miller", "lines_since_h1", 1.0),
        ("Monday, 3 June 2024", "says_months", 1.0),
        ("Monday, 3 June 2024", "says_weekdays", 1.0),
        ("Monday, 3 June 2024", "date_share", 1.0),
        ("Monday, 3 June 2024", "within_time", 1.0),
        ("It came at night and took forty roofs with it.", "like_description", 1.0),
        ("It came at night and took forty roofs with it.", "opens_description", 1.0),
        ("The quay. Photo: Reuters", "within_figcaption", 1.0),
        ("The quay. Photo: Reuters", "says_picture", 2.0),
        ("“We saw nothing.”", "within_quote", 1.0),
        ("“We saw nothing.”", "is_quoted", 1.0),
        ("READ MORE ›", "all_capitals", 1.0),
        ("READ MORE ›", "has_arrow", 1.0),
        ("READ MORE ›", "begins_related", 1.0),
        ("READ MORE ›", "links_outside", 1.0),
        ("Home", "within_nav", 1.0),
        ("The quay. Photo: Reuters", "to_image", 1.0),
        ("The quay. Photo: Reuters", "like_image", 2 / 5),
        ("“We saw nothing.”", "to_image", -1.0),
    ],
)
def test_each_column_measures_what_its_name_says(text: str, column: str, value: float) -> None:
    assert columns()[text][column] == pytest.approx(value)


def test_authors_are_taken_from_structured_data() -> None:
    linked = '{"@graph": [{"@type": "Person", "name": "Jo Tan"}, {"name": "Gazette"}]}'
    shown = page(f"<p>Jo Tan</p><p>Gazette</p>{prose(1)}", f"<script>{linked}</script>")
    outline = Outline.of(shown.document)
    stretch = gather(outline, judge_lines(outline), whole=True)
    of_authors = stretch.features.rows[:, stretch.features.columns.index("of_authors")]
    assert of_authors[:2].tolist() == [1.0, 0.0]


def test_repeated_text_is_distinguished_by_position() -> None:
    body = f"<p>Advertisement</p>{prose(1)}<p>Advertisement</p>"
    shown = page(body)
    outline = Outline.of(shown.document)
    stretch = gather(outline, judge_lines(outline), whole=True)
    seen = stretch.features.rows[:, stretch.features.columns.index("seen_before")]
    assert (seen[0], seen[-1]) == (0, 1)


def test_lines_far_from_the_article_are_ignored() -> None:
    probabilities = np.full(200, 0.01)
    probabilities[[80, 100]] = 0.9
    near = np.flatnonzero(near_article(probabilities)).tolist()
    assert near == [*range(80 - REACH, 81 + REACH), *range(100 - REACH, 101 + REACH)]
    assert near_article(np.full(5, 0.9)).all()
    assert not near_article(np.full(5, 0.01)).any()


def test_a_page_without_lines_has_no_stretches() -> None:
    outline = Outline.of(page("<p>*</p>").document)
    stretch = gather(outline, judge_lines(outline), whole=True)
    assert not len(stretch.places)
