"""Comparison of a page with other pages of its own host or of an unrelated host."""

import json
import zlib

import pytest

from detourage.comments import CommentPattern, winner
from detourage.html import Page, parse_page
from detourage.reader import TemplateKnowledge, extract_article
from detourage.reader.article_and_comments import read_content, search_for_vote
from tests.pages import article_html, paragraphs


def story(seed: int) -> Page:
    teaser = "</p><p>Read also what everyone reads today. They say it is all. 東京 𠀀</p>"
    return parse_page(article_html(seed).replace("</p></div></div>", f"{teaser}</div></div>"))


def _page_of_tenant(html: str, tenant: str) -> Page:
    return parse_page(html, f"https://{tenant}.letters.example/p/1")


def test_knowledge_has_the_same_effect_as_the_page_it_was_learned_from() -> None:
    for seed in range(1, 5):
        knowledge = TemplateKnowledge.from_pages([story(9)])
        assert extract_article(story(seed), knowledge) == extract_article(story(seed), story(9))


def test_knowledge_survives_serialisation_even_if_learned_from_no_pages() -> None:
    knowledge = TemplateKnowledge.from_pages([story(1), story(2)])
    restored = TemplateKnowledge.from_bytes(knowledge.to_bytes())
    assert restored.to_bytes() == knowledge.to_bytes()
    assert extract_article(story(3), restored) == extract_article(story(3), knowledge)
    nothing = TemplateKnowledge.from_bytes(TemplateKnowledge.from_pages([]).to_bytes())
    assert extract_article(story(1), nothing) == extract_article(story(1), None)


def test_invalid_bytes_and_another_format_are_rejected() -> None:
    for data in (b"", b"{}", *map(zlib.compress, (b"[]", b"{}", b"\xff"))):
        with pytest.raises(ValueError, match="not template knowledge"):
            TemplateKnowledge.from_bytes(data)
    values = json.loads(zlib.decompress(TemplateKnowledge.from_pages([story(1)]).to_bytes()))
    changes = [("format", 99, "format"), ("words", [1], "columns"), ("paths", "", "columns")]
    for key, value, message in changes:
        with pytest.raises(ValueError, match=message):
            TemplateKnowledge.from_bytes(zlib.compress(json.dumps(values | {key: value}).encode()))


@pytest.mark.parametrize("copied", [[0], [4], [1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4]])
def test_paragraphs_copied_by_another_page_stay_in_the_article(copied: list[int]) -> None:
    own_html, other_html = article_html(1), article_html(7)
    for number in copied:
        other_html = other_html.replace(paragraphs(7)[number], paragraphs(1)[number])
    knowledge = TemplateKnowledge.from_pages([_page_of_tenant(other_html, "evil")])
    text = read_content(_page_of_tenant(own_html, "victim"), knowledge).text
    assert text == "\n\n".join(paragraphs(1))


def test_paragraphs_copied_as_comments_by_another_page_stay_in_the_article() -> None:
    htmls = [
        article_html(seed).replace("<p>", "<p><b class='author'>bob</b> <time>3 May</time> ")
        for seed in range(10, 20)
    ]
    won = winner(search_for_vote(_page_of_tenant(html, "evil"), None) for html in htmls)
    pattern = CommentPattern.from_json(won) if won is not None else None
    content = read_content(_page_of_tenant(article_html(1), "victim"), None, pattern)
    assert content.text == "\n\n".join(paragraphs(1))
    assert not content.comments
