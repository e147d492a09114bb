"""Voting among the pages of a template group (Deturck 2015, conclusion)."""

from benchmarks.evaluation.methods import Neighbours, Source, get_extractor
from tests.unit.evaluation.methods.gull import FOOTER, SENTENCES, holds_story, page

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
