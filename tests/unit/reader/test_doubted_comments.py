"""Comments in unfamiliar markup are found if their lines have the role of a comment."""

import pytest

from detourage.reader.content import read_content
from tests.unit.reader.discussion_pages import article_page

SAID = {
    "Walter Bell": "We should have repaired the old bridge when it was still cheap, I said so.",
    "Ida Moss": "And who would have paid for the steel, Walter? Not you, as far as I remember.",
    "pier_sitter": "The real question is why nobody looked at the pillars for twenty years.",
    "Tom R.": "Take the ferry then. Nobody forces you to drive through the town at eight.",
}


def _hashed(names: list[str]) -> str:
    """Return comments with generated class names, below a heading with their number."""
    return f'<div class="sc-q-0"><div class="sc-q-1">Comments ({len(names)})</div>' + "".join(
        f'<div class="sc-q-2"><div class="sc-q-3"><span class="sc-q-4">{name}</span><span'
        f' class="sc-q-5">{hours}h</span></div><div class="sc-q-6">{SAID[name]}</div><div'
        ' class="sc-q-7"><button>▲ 3</button><button>Reply</button></div></div>'
        for hours, name in enumerate(names, 2)
    )


def _folded(names: list[str]) -> str:
    """Return comments in elements that fold, each with a title like that of a message."""
    return "".join(
        '<details class="MessageBox" open><summary><h3 class="MessageTitle">Re: Bridge story</h3>'
        f'<p class="MessagePoster">Posted May {day}, 2026 1:10 UTC by <b>{name}</b> (subscriber,'
        f' #{day})</p></summary><div class="Formatted"><p>{SAID[name]}</p></div></details>'
        for day, name in enumerate(names, 12)
    )


@pytest.mark.parametrize(
    ("below", "count"),
    [(_hashed([*SAID]), 4), (_folded([*SAID]), 4), (_folded([*SAID][:2]), 2)],
    ids=["generated class names", "folding elements", "two are enough"],
)
def test_comments_are_found_without_their_heading(below: str, count: int) -> None:
    comments = read_content(article_page(below)).comments
    assert [(each.author, each.text) for each in comments] == [*SAID.items()][:count]


def test_signed_and_dated_teasers_are_not_comments() -> None:
    teasers = "<h2>More stories</h2>" + "".join(
        f'<div class="sc-q-2"><a href="/{day}"><span class="sc-q-4">{text}</span></a><div'
        f' class="sc-q-5">By {name}, May {day}, 2026</div></div>'
        for day, (name, text) in enumerate(SAID.items(), 12)
    )
    assert not read_content(article_page(teasers)).comments
