import pytest

from detourage.article import Article
from detourage.html import Page
from detourage.papers.deturck.retained import (
    CHOSEN,
    READINGS,
    Reading,
    character_similarity,
    find_body,
)
from detourage.reader.article_from_body import article_of
from detourage.reader.outline import Outline
from detourage.reader.titles import Titles
from tests.unit.reader.article_pages import page, paragraphs, prose, sentence

MENU = "".join(f'<li><a href="/s/{name}">{name} news</a></li>' for name in ("city", "sport", "art"))


def story_page(seed: int, *, body: str | None = None, beside: str = "", after: str = "") -> Page:
    return page(
        f'<div id="masthead"><ul>{MENU}</ul></div>'
        f'<div id="main"><div class="top"><h1>Headline number {seed}</h1>'
        f"<p>{sentence(seed)}</p></div>"
        f'<div class="text">{prose(seed) if body is None else body}</div>{after}</div>'
        f'<div id="side">{beside}</div>'
        f'<div id="legal"><p>{sentence(7, 30)} {sentence(8, 30)}</p></div>'
    )


def extract_article(shown_page: Page, other: Page, reading: Reading = CHOSEN) -> Article:
    outline, pivot = Outline.of(shown_page.flat), Outline.of(other.flat)
    finding = find_body(outline, pivot, reading)
    assert finding is not None
    return article_of(shown_page.url, outline, [Titles.of(pivot)], finding)


def test_the_body_is_the_large_text_that_differs_from_the_other_page() -> None:
    article = extract_article(story_page(1), story_page(2))
    assert article.method == "deturck_2015"
    assert article.text == "\n\n".join(paragraphs(1))
    assert article.title == "Headline number 1"
    assert article.xpath == "/html/body/div[2]/div[2]"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"beside": f"<div>{prose(50, 20)}</div>"}, {"beside": f"<div>{prose(50, 20)}</div>"}),
        *(
            (
                {"after": f'<div class="{name}">{prose(70, 9)}</div>'},
                {"after": f'<div class="{name}">{prose(80, 3)}</div>'},
            )
            for name in ("comments", "article-comment", "userComments", "photo-gallery")
        ),
        ({"body": prose(1) + f'<div class="comments">{prose(70, 2)}</div>'}, {}),
    ],
    ids=["on both pages", "comments", "comment", "user comments", "gallery", "in the body"],
)
def test_texts_of_the_template_and_of_readers_are_excluded_however_large(
    first: dict[str, str], second: dict[str, str]
) -> None:
    article = extract_article(story_page(1, **first), story_page(2, **second))
    assert article.text == "\n\n".join(paragraphs(1))


SHIFTED = page(f'<div class="banner"></div><div class="text">{prose(1)}</div>')
PLAIN = page(f'<div class="text">{prose(2)}</div>')


def test_an_element_missing_from_the_other_page_is_specific_to_the_page() -> None:
    article = extract_article(SHIFTED, PLAIN)
    assert (article.method, article.text) == ("deturck_2015", "\n\n".join(paragraphs(1)))


def found_xpath(page: Page, other: Page, reading: str) -> str | None:
    """Return the XPath of the body that a variant of the method finds, or None."""
    outline = Outline.of(page.flat)
    finding = find_body(outline, Outline.of(other.flat), READINGS[reading])
    if finding is None:
        return None
    return str(page.document.getroottree().getpath(outline.elements[finding.container]))


def test_the_thesis_prunes_elements_below_two_percent() -> None:
    # The named elements have 10 and 5 of the 310 tokens: 3.2 and 1.6 %. Paragraphs are no zones.
    def story_page(seed: int, words: int) -> Page:
        text = sentence(seed, 310 - words)
        return page(f'<div class="box">{sentence(seed + 50, words)}</div><p>{text}</p>')

    assert found_xpath(story_page(1, 10), story_page(2, 10), "chosen") is None
    assert found_xpath(story_page(1, 10), story_page(2, 10), "thesis") == "/html/body/div"
    assert found_xpath(story_page(1, 5), story_page(2, 5), "thesis") is None


def test_the_thesis_keeps_any_text_that_is_not_identical() -> None:
    # 35 of the 36 words are equal, so the cosine is 35/36. Text with a cosine of 0.9 or more
    # belongs to the template.
    counter = " ".join(sentence(9, 36).split()[:35])

    def counted(seed: int, number: str) -> Page:
        return page(f'<div class="count">{counter} {number}</div><p>{sentence(seed, 30)}</p>')

    first, second = counted(1, "seven"), counted(2, "eight")
    assert found_xpath(first, second, "chosen") is None
    assert found_xpath(first, second, "thesis") == "/html/body/div"
    assert found_xpath(first, counted(2, "seven"), "thesis") is None


def test_two_pages_with_the_same_text_have_no_zone() -> None:
    assert found_xpath(story_page(1), story_page(1), "chosen") is None


def test_strict_variants_ignore_nodes_without_a_counterpart() -> None:
    assert found_xpath(SHIFTED, PLAIN, "thesis") == "/html/body/div[2]"
    assert found_xpath(SHIFTED, PLAIN, "comparable") is None
    assert found_xpath(PLAIN, page(f'<div class="text">{prose(1)}</div>'), "comparable") is not None


def test_character_comparison_cannot_distinguish_texts_with_the_same_letters() -> None:
    # "Two texts of the West have the same share of characters whatever they say" (4.4.2).
    first = page(f'<div class="text"><p>{" ".join(["listen to no one"] * 40)}</p></div>')
    second = page(f'<div class="text"><p>{" ".join(["silent on one to"] * 40)}</p></div>')
    assert found_xpath(first, second, "thesis") == "/html/body/div"
    assert found_xpath(first, second, "characters") is None


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [
        # a occurs twice and once: 1 - 1/2. b occurs once in both: 1. c occurs only in the second:
        # 0. The sum is divided by 3 letters.
        ("aab", "abc", (1 / 2 + 1 + 0) / 3),
        ("listen", "silent", 1),
        ("aaaa", "aa", 1 / 2),
        ("abc", "xyz", 0),
        ("", "", 0),
        ("abc", "", 0),
        # Only lower-case letters from a to z count.
        ("Été 2015, a", "BCD a", (0 + 1) / 2),
        ("部长", "部长", 0),
    ],
)
def test_letters_are_compared_by_frequency(first: str, second: str, value: float) -> None:
    assert character_similarity(first, second) == pytest.approx(value)
    assert character_similarity(second, first) == pytest.approx(value)
