from tests.pages import paragraphs
from worker.workflow.walls import has_replaced

ARTICLE = " ".join(paragraphs(7))


def test_an_unrelated_short_text_replaces_the_article() -> None:
    assert has_replaced("Please log in to read on.", ARTICLE)
    assert has_replaced("Robots?", ARTICLE)


def test_teasers_corrections_and_other_articles_do_not_replace_the_article() -> None:
    assert not has_replaced(ARTICLE[:300], ARTICLE)
    assert not has_replaced(ARTICLE.replace("bridge", "ferry"), ARTICLE)
    assert not has_replaced(" ".join(f"word{n}" for n in range(200)), ARTICLE)
