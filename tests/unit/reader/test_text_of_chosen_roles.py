from detourage.reader import extract_article
from detourage.roles import TEXT_ROLES
from tests.unit.reader.article_pages import page, prose

STORY = page(
    "<nav><a href='/'>Home</a> <a href='/news'>News</a></nav><article><h1>The bridge reopens</h1>"
    "<p class='byline'>By <a rel='author' href='/jane'>Jane Doe</a></p>"
    f"<time datetime='2025-05-01'>1 May 2025</time>{prose(1)}<h2>What it cost</h2>{prose(2)}"
    "</article>",
    "<title>The bridge reopens | Post</title><meta name='author' content='Jane Doe'>",
)


def test_each_block_has_one_of_the_chosen_roles() -> None:
    article = extract_article(STORY, None, (), TEXT_ROLES)
    assert len(article.blocks) >= 2
    assert {block.role for block in article.blocks} <= set(TEXT_ROLES)
    assert "Jane Doe" not in article.text
    assert "1 May 2025" not in article.text


def test_the_default_roles_give_the_default_text() -> None:
    assert extract_article(STORY, None) == extract_article(STORY, None, (), TEXT_ROLES)
