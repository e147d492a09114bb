"""Extraction of a page by comparison with an unrelated page on another host of the same domain."""

import pytest

from detourage.html import Page, parse_page
from detourage.reader import TemplateKnowledge
from detourage.reader.content import comment_pattern_of, pattern_of_group, read_content
from tests.pages import article_html, paragraphs


def _page(html: str, tenant: str) -> Page:
    return parse_page(html, f"https://{tenant}.letters.example/p/1")


@pytest.mark.parametrize("copied", [[0], [4], [1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4]])
def test_paragraphs_that_are_also_elsewhere_stay_in_the_article(copied: list[int]) -> None:
    own, other = article_html(1), article_html(7)
    for number in copied:
        other = other.replace(paragraphs(7)[number], paragraphs(1)[number])
    known = TemplateKnowledge.from_pages([_page(other, "evil")])
    text = read_content(_page(own, "victim"), known).text
    assert text == "\n\n".join(paragraphs(1))


def test_paragraphs_disguised_as_comments_elsewhere_stay_in_the_article() -> None:
    dressed = [
        article_html(seed).replace("<p>", "<p><b class='author'>bob</b> <time>3 May</time> ")
        for seed in range(10, 20)
    ]
    pattern = pattern_of_group(comment_pattern_of(_page(html, "evil")) for html in dressed)
    patterns = [pattern] if pattern is not None else None
    content = read_content(_page(article_html(1), "victim"), None, patterns)
    assert content.text == "\n\n".join(paragraphs(1))
    assert not content.comments
