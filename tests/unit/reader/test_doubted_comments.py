"""Comments in unfamiliar markup are found if their lines have the role of a comment."""

from detourage.article import Article
from detourage.reader.content import read_content
from tests.unit.reader.discussion_pages import article_page

SAID = {
    "Walter Bell": "We should have repaired the old bridge when it was still cheap, I said so.",
    "Ida Moss": "And who would have paid for the steel, Walter? Not you, as far as I remember.",
    "pier_sitter": "The real question is why nobody looked at the pillars for twenty years.",
    "Tom R.": "Take the ferry then. Nobody forces you to drive through the town at eight.",
}


def _article(below: str) -> Article:
    return read_content(article_page(below))


def _hashed(names: list[str]) -> str:
    """Return comments with generated class names, below a heading with their number."""
    return (
        f'<div class="sc-q-0"><div class="sc-q-1">Comments ({len(names)})</div>'
        + "".join(
            f'<div class="sc-q-2"><div class="sc-q-3"><span class="sc-q-4">{name}</span><span'
            f' class="sc-q-5">{hours}h</span></div><div class="sc-q-6">{SAID[name]}</div><div'
            ' class="sc-q-7"><button>▲ 3</button><button>Reply</button></div></div>'
            for hours, name in enumerate(names, 2)
        )
        + "</div>"
    )


def _folded(names: list[str]) -> str:
    """Return comments in elements that fold, each with a title like that of a message."""
    return "".join(
        '<details class="MessageBox" open><summary><h3 class="MessageTitle">Re: Bridge story</h3>'
        f'<p class="MessagePoster">Posted May {day}, 2026 1:10 UTC by <b>{name}</b> (subscriber,'
        f' #{day})</p></summary><div class="Formatted"><p>{SAID[name]}</p></div></details>'
        for day, name in enumerate(names, 12)
    )


def test_comments_with_generated_class_names_are_found_without_their_heading() -> None:
    article = _article(_hashed([*SAID]))
    assert {each.author: each.text for each in article.comments} == SAID


def test_two_comments_are_enough() -> None:
    article = _article(_folded([*SAID][:2]))
    assert [each.author for each in article.comments] == [*SAID][:2]


def test_comments_in_folding_elements_are_found() -> None:
    article = _article(_folded([*SAID]))
    assert {each.author: each.text for each in article.comments} == SAID


def test_signed_and_dated_teasers_are_not_comments() -> None:
    teasers = "<h2>More stories</h2>" + "".join(
        f'<div class="sc-q-2"><a href="/{day}"><span class="sc-q-4">{text}</span></a><div'
        f' class="sc-q-5">By {name}, May {day}, 2026</div></div>'
        for day, (name, text) in enumerate(SAID.items(), 12)
    )
    assert not _article(teasers).comments
