"""Whether a text took the place of an article."""

from tests.pages import paragraphs
from worker.workflow.context import took_place_of

ARTICLE = " ".join(paragraphs(7))


def test_a_short_text_that_shares_nothing_took_the_place() -> None:
    assert took_place_of("Please log in to read on.", ARTICLE)
    assert took_place_of("Robots?", ARTICLE)


def test_a_teaser_a_corrected_article_and_another_article_did_not() -> None:
    assert not took_place_of(ARTICLE[:300], ARTICLE)
    assert not took_place_of(ARTICLE.replace("bridge", "ferry"), ARTICLE)
    assert not took_place_of(" ".join(f"word{n}" for n in range(200)), ARTICLE)
