import math

import pytest

from detourage.html import Page
from detourage.reader import Explanation, explain_article
from detourage.reader.content import explain_content
from detourage.reader.evidence import UNKNOWN
from detourage.reader.page_model import trained_model
from detourage.reader.phrases import aspects_of, phrase
from tests.unit.reader.article_pages import page, paragraphs, prose

COLUMNS = trained_model().network.columns

MENU = "".join(f'<li><a href="/{n}">Section {n}</a></li>' for n in range(9))
NOTE = "All rights reserved by the paper, which also answers for it."


def story(seed: int) -> Page:
    return page(
        f'<div class="menu"><ul>{MENU}</ul></div><h1>What number {seed} of the stories tells</h1>'
        f'<div class="article">{prose(seed)}</div><div class="foot"><p>{NOTE}</p></div>',
        head=f"<title>What number {seed} of the stories tells</title>",
        url=f"https://news.example/{seed}",
    )


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    return explain_article(story(1), story(2))


def test_the_kept_lines_make_up_the_article(explanation: Explanation) -> None:
    assert explanation.article is not None
    kept = [line.text for line in explanation.lines if line.verdict == "kept"]
    assert kept == [block.text for block in explanation.article.blocks] == paragraphs(1)
    titles = [line.text for line in explanation.lines if line.verdict == "title"]
    assert titles == [explanation.article.title]


def test_the_reasons_add_up_to_the_probability(explanation: Explanation) -> None:
    for line in explanation.lines:
        odds = explanation.mean + sum(reason.contribution for reason in line.reasons)
        assert 1 / (1 + math.exp(-odds)) == pytest.approx(line.probability)
        weights = [abs(reason.contribution) for reason in line.reasons]
        assert weights == sorted(weights, reverse=True)


def test_repetition_is_named_and_counts_against_a_line(explanation: Explanation) -> None:
    repeated = [
        reason.contribution
        for line in explanation.lines
        for reason in line.reasons
        if reason.phrase == "repeated on the other page of the template"
    ]
    assert sum(repeated) < 0
    assert explanation.other_url == "https://news.example/2"


def test_reasons_do_not_mention_another_page_if_there_is_none() -> None:
    alone = explain_article(story(1), None)
    assert alone.other_url is None
    reasons = {reason.aspect: reason for reason in alone.lines[0].reasons}
    assert reasons["other page"].contribution == 0


def test_the_xpath_locates_the_line(explanation: Explanation) -> None:
    [note] = [line for line in explanation.lines if line.text == NOTE]
    [element] = story(1).document.xpath(note.xpath)
    assert element.text == NOTE


def test_a_menu_is_explained_without_an_article() -> None:
    items = "".join(f'<li><a href="/{n}">The headline of story {n}</a></li>' for n in range(40))
    menu = page(f"<ul>{items}</ul>")
    explained = explain_article(menu, None)
    assert (explained.outcome, explained.article) == ("menu", None)
    assert explain_content(menu).explanation.outcome == "menu"
    assert explain_content(menu).comments == ()
    assert {line.verdict for line in explained.lines} == {"dropped"}
    assert explained.detail


def test_a_page_without_words_has_no_lines() -> None:
    explained = explain_article(page("<p>---</p>"), None)
    assert (explained.outcome, explained.lines) == ("no-text", ())


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_has_a_description(column: str) -> None:
    # A column without a description would be described by its name and value.
    for value in (0.0, 0.5, 1.0, 7.0, UNKNOWN):
        said = phrase(column, value)
        assert said
        assert said != f"{column.replace('_', ' ')} {value:.3g}"


def test_every_column_belongs_to_one_aspect() -> None:
    columns = [column for aspect in aspects_of(COLUMNS) for column in aspect.columns]
    assert sorted(columns) == list(range(len(COLUMNS)))
