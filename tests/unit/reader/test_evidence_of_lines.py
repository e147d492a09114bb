import pytest

from detourage.html import Page
from detourage.reader import TemplateKnowledge
from detourage.reader.evidence import UNKNOWN, gather_evidence
from detourage.reader.evidence.layout import MAX_AWAY
from detourage.reader.outline import Outline
from tests.unit.reader.article_pages import page, prose

FIRST = """
<div id="nav"><ul><li><a href="/a">Home</a></li><li><a href="/b">Sport news</a></li></ul></div>
<h1>Harbour opens</h1>
<div class="article">
  <p>The harbour <b>opened</b> on Monday. Boats came, too!</p>
  <p>See <a href="/more">more photos</a></p>
  One line<br>another line
</div>"""
SECOND = FIRST.replace("The harbour", "A library").replace("Harbour opens", "Library")


def rows(shown: Page, other: Page | None = None) -> dict[str, dict[str, float]]:
    knowledge = TemplateKnowledge.from_pages([other]) if other is not None else None
    evidence = gather_evidence(Outline.of(shown.document), knowledge, shown.url)
    features = evidence.features
    return {
        line.text: dict(zip(features.columns, map(float, row), strict=True))
        for line, row in zip(evidence.lines, features.rows, strict=True)
    }


def test_lines_end_at_blocks_and_line_breaks() -> None:
    assert list(rows(page(FIRST))) == [
        "Home",
        "Sport news",
        "Harbour opens",
        "The harbour opened on Monday. Boats came, too!",
        "See more photos",
        "One line",
        "another line",
    ]


PARTED = """
<div class="post-comments"><div><p>First here!</p></div></div>
<div class="teaser"><p>Read this...</p></div>
<h1>Harbour opens</h1>
<div class="article">
  <figure><img src="/a.jpg"><figcaption class="photo-credit">The harbour</figcaption></figure>
  <p>The harbour was opened on a Monday in the year 2019, and all of the town had come to
     look at the boats of the guests, large and small.</p>
  <p><b>By Ann Marsh</b></p>
  <p>It took them ten years to build it, twice as many as the town had been told when the
     first stone was laid by the harbour master and his wife.</p>
  <p>It took them ten years.</p>
</div>"""

ROLES = (
    "<nav><a href='/'>Home</a></nav><h1>Storm over the harbour</h1>"
    "<p class='byline'>By <a rel='author' href='/authors/ada'>Ada Miller</a></p>"
    "<time>Monday, 3 June 2024</time>"
    f"<p>It came at night and took forty roofs with it.</p>{prose(1)}"
    "<figure><img src='/a.jpg' alt='The quay after'>"
    "<figcaption>The quay. Photo: Reuters</figcaption></figure>"
    "<blockquote><p>“We saw nothing.”</p></blockquote>"
    "<p><a href='https://other.example/x'>READ MORE ›</a></p>"
)
PAGES = {"story": FIRST, "packets": PARTED, "roles": ROLES}


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("story", "Sport news", {"words": 2, "link_density": 1, "other_names": 1, "lists": 1}),
        (
            "story",
            "Harbour opens",
            {"in_headline": 1, "lines_from_headline": 0, "path_on_other": UNKNOWN},
        ),
        (
            "story",
            "The harbour opened on Monday. Boats came, too!",
            {"words": 8, "link_density": 0, "sentences": 2, "commas": 1, "ends_sentence": 1},
        ),
        ("story", "See more photos", {"link_density": pytest.approx(2 / 3), "body_names": 1}),
        ("story", "another line", {"words-1": 2, "words+1": UNKNOWN, "same_container-1": 1}),
        ("packets", "First here!", {"named_comment": pytest.approx(0.7**2), "named_related": 0}),
        ("packets", "Read this...", {"named_related": pytest.approx(0.7), "ends_in_ellipsis": 1}),
        ("packets", "The harbour", {"named_caption": 1}),
        (
            "packets",
            "By Ann Marsh",
            {
                "capitalised": 1,
                "lines_to_prose_before": 1,
                "words_to_prose_before": 0,
                "lines_to_prose_after": 1,
                "prose_in_container_after": 1,
                "prose_lines_before": 1,
                "prose_lines_after": 1,
                "siblings": 4,
            },
        ),
        (
            "packets",
            "It took them ten years.",
            {"lines_to_prose_after": MAX_AWAY, "line_to_packet_end": 0, "same_text": 1},
        ),
        ("roles", "Storm over the harbour", {"within_heading": 1}),
        ("roles", "By Ada Miller", {"begins_byline": 1, "lines_since_h1": pytest.approx(1)}),
        (
            "roles",
            "Monday, 3 June 2024",
            {
                "says_months": 1,
                "says_weekdays": 1,
                "date_share": pytest.approx(1),
                "within_time": 1,
            },
        ),
        ("roles", "The quay. Photo: Reuters", {"within_figcaption": 1, "says_picture": 2}),
        ("roles", "“We saw nothing.”", {"within_quote": 1, "is_quoted": 1}),
        ("roles", "READ MORE ›", {"all_capitals": 1, "has_arrow": 1, "begins_related": 1}),
        ("roles", "Home", {"within_nav": 1}),
    ],
)
def test_features_of_a_line_and_its_surroundings(
    name: str, line: str, expected: dict[str, float]
) -> None:
    found = rows(page(PAGES[name]))[line]
    assert {column: found[column] for column in expected} == expected


def test_repeated_text_is_distinguished_by_position() -> None:
    shown = page(f"<p>Advertisement</p>{prose(1)}<p>Advertisement</p>")
    features = gather_evidence(Outline.of(shown.document)).features
    seen = features.chosen(("seen_before",)).rows[:, 0].tolist()
    assert (seen[0], seen[-1]) == (0, 1)


def test_another_page_of_the_template_reveals_repetition() -> None:
    found = rows(page(FIRST), page(SECOND))
    assert found["Sport news"]["text_on_other"] == 1
    assert found["Sport news"]["new_at_path"] == 0
    story = found["The harbour opened on Monday. Boats came, too!"]
    assert (story["text_on_other"], story["path_on_other"]) == (0, 1)
    assert story["new_at_path"] == pytest.approx(8 / 11)


def test_counts_are_the_same_with_and_without_another_page() -> None:
    alone, beside = rows(page(FIRST)), rows(page(FIRST), page(SECOND))
    assert list(alone["Home"]) == list(beside["Home"])


def test_a_page_without_words_has_no_lines() -> None:
    assert rows(page("<p>***</p>"), page(FIRST)) == {}
