from tests.pages import paragraphs
from worker.workflow.walls import took_place_of

ARTICLE = " ".join(paragraphs(7))


def test_an_unrelated_short_text_replaces_the_article() -> None:
    assert took_place_of("Please log in to read on.", ARTICLE)
    assert took_place_of("Robots?", ARTICLE)


def test_teasers_corrections_and_other_articles_do_not_replace_the_article() -> None:
    assert not took_place_of(ARTICLE[:300], ARTICLE)
    assert not took_place_of(ARTICLE.replace("bridge", "ferry"), ARTICLE)
    assert not took_place_of(" ".join(f"word{n}" for n in range(200)), ARTICLE)
