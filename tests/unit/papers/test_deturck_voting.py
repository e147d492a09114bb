"""Voting among the pages of a template group (Deturck 2015, conclusion)."""

import pytest

from benchmarks.evaluation.methods import Neighbours, Source, get_extractor
from tests.unit.evaluation.methods.gull import FOOTER, SENTENCES, holds_story, page
from worker.article import NoArticleError, NoTextError

VOTE = get_extractor("deturck_2015_vote")
LONG_BOX = "".join(f"<p>{word} and again: {' '.join(SENTENCES['school'])}</p>" for word in "abcde")


def with_box(story: str) -> Source:
    """Return a page with a box above its article that the heuristic mistakes for the body."""
    shown = page(story)
    assert isinstance(shown.html, bytes)
    box = f'<div class="box"><p>First: {SENTENCES["library"][0]}</p>{LONG_BOX}</div>'.encode()
    html = shown.html.replace(b'<div class="foot footer">', box + b'<div class="foot footer">')
    return Source(html, f"https://gull.example/{story}-with-box.html")


def test_a_page_on_which_the_heuristic_errs_gets_the_element_of_the_others() -> None:
    group = [page(story) for story in ("library", "school")]
    odd = with_box("harbour")
    alone = get_extractor("deturck_2015").extract(odd, Neighbours(group[0]))
    assert not holds_story(alone.text, "harbour")
    for others in (group, group[::-1]):
        voted = VOTE.extract(odd, Neighbours(group[0], tuple(others)))
        assert holds_story(voted.text, "harbour")
        assert FOOTER not in voted.text
        assert voted.title == "News of the harbour"


def test_pages_that_return_the_same_element_keep_it() -> None:
    for story in SENTENCES:
        others = tuple(page(other) for other in SENTENCES if other != story)
        voted = VOTE.extract(page(story), Neighbours(others[0], others))
        alone = get_extractor("deturck_2015").extract(page(story), Neighbours(others[0]))
        assert voted.text == alone.text


def test_a_page_needs_another_page_with_a_different_text() -> None:
    with pytest.raises(NoArticleError) as error:
        VOTE.extract(page("harbour"))
    assert error.value.outcome == "no-comparable-page"
    with pytest.raises(NoTextError):
        VOTE.extract(page("harbour"), Neighbours(page("harbour"), (page("harbour"),)))
