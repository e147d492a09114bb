"""Features for judging the roles of lines."""

import pytest

from tests.unit.article.article_pages import page, prose
from worker.article.evidence import Evidence, gather_evidence
from worker.article.outline import Outline
from worker.html import Page

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


def evidence_of(shown: Page) -> Evidence:
    return gather_evidence(Outline.of(shown.document), url=shown.url)


def columns(body: str = f"{TOP}{prose(1)}{END}") -> dict[str, dict[str, float]]:
    """Return the feature columns of each line, by the text of the line."""
    evidence = evidence_of(page(body))
    return {
        line.text: dict(zip(evidence.features.columns, row, strict=True))
        for line, row in zip(evidence.lines, evidence.features.rows.tolist(), strict=True)
    }


@pytest.mark.parametrize(
    ("text", "column", "value"),
    [
        ("Storm over the harbour", "within_heading", 1.0),
        ("By Ada Miller", "begins_byline", 1.0),
        ("By Ada Miller", "lines_since_h1", 1.0),
        ("Monday, 3 June 2024", "says_months", 1.0),
        ("Monday, 3 June 2024", "says_weekdays", 1.0),
        ("Monday, 3 June 2024", "date_share", 1.0),
        ("Monday, 3 June 2024", "within_time", 1.0),
        ("The quay. Photo: Reuters", "within_figcaption", 1.0),
        ("The quay. Photo: Reuters", "says_picture", 2.0),
        ("“We saw nothing.”", "within_quote", 1.0),
        ("“We saw nothing.”", "is_quoted", 1.0),
        ("READ MORE ›", "all_capitals", 1.0),
        ("READ MORE ›", "has_arrow", 1.0),
        ("READ MORE ›", "begins_related", 1.0),
        ("Home", "within_nav", 1.0),
    ],
)
def test_each_column_measures_what_its_name_says(text: str, column: str, value: float) -> None:
    assert columns()[text][column] == pytest.approx(value)


def column(evidence: Evidence, name: str) -> list[float]:
    found: list[float] = evidence.features.chosen((name,)).rows[:, 0].tolist()
    return found


def test_repeated_text_is_distinguished_by_position() -> None:
    shown = page(f"<p>Advertisement</p>{prose(1)}<p>Advertisement</p>")
    seen = column(evidence_of(shown), "seen_before")
    assert (seen[0], seen[-1]) == (0, 1)


def test_a_page_without_lines_has_no_evidence() -> None:
    evidence = evidence_of(page("<p>*</p>"))
    assert not evidence.lines
    assert not len(evidence.features.rows)
