import json
import weakref

from detourage.comments import CommentPattern, winner
from detourage.comments.pattern import Signature
from detourage.html import Page, parse_page
from detourage.reader import TemplateKnowledge
from detourage.reader.article_and_comments import explain_content, read_content, search_for_vote
from tests.pages import paragraphs
from tests.unit.comments.comment_pages import REMARKS, URL
from tests.unit.reader.discussion_pages import NAMES, comment_list


def page(seed: int, comments: int, *, end: str = "") -> Page:
    """Return an article page with the given number of comments below the article."""
    remarks = [
        f"{REMARKS[number % 5]} {REMARKS[(number + number // 5 + seed) % 5]}"
        for number in range(comments)
    ]
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs(seed))
    return parse_page(
        f"<html lang='en'><head><title>Bridge {seed}</title></head><body><div id='menu'>"
        "<a href='/a'>News</a> <a href='/b'>Sport</a> <a href='/c'>Weather</a></div>"
        f"<div id='main'><h1>Bridge {seed}</h1><div class='story'>{text}</div>"
        f"{comment_list([(each, '') for each in remarks])}</div>{end}</body></html>",
        URL,
    )


def test_a_page_may_have_comments_that_do_not_match_its_group() -> None:
    pattern = CommentPattern(Signature("div", ".remark", ""), 0, 1.0)
    assert len(read_content(page(1, 5), None, pattern).comments) == 5


def test_the_explanation_matches_the_extraction() -> None:
    shown_page, template_page = page(2, 1), page(5, 4)
    won = winner(search_for_vote(each, None) for each in (shown_page, page(3, 8), page(4, 8)))
    assert won is not None
    pattern = CommentPattern.from_json(won)
    content = read_content(shown_page, TemplateKnowledge.from_pages([template_page]), pattern)
    explained = explain_content(shown_page, template_page, pattern)
    assert explained.article == content
    assert len(content.comments) == 1
    comment_lines = [line.text for line in explained.lines if line.verdict == "comment"]
    assert f"{REMARKS[0]} {REMARKS[2]}" in comment_lines


def test_comments_rendered_only_by_scripts_are_read_from_json() -> None:
    signed = [*zip(NAMES[:2], REMARKS[:2], strict=True)]
    comments = [{"author": name, "content": text, "date": "2024-05-01"} for name, text in signed]
    script = f"<script>window.state = {json.dumps({'comments': comments})};</script>"
    found = read_content(page(1, 0, end=script)).comments
    assert [(each.author, each.text) for each in found] == signed
    assert [each.author for each in read_content(page(1, 5, end=script)).comments] == [*NAMES[:5]]


def test_a_page_is_freed_without_garbage_collection() -> None:
    read_content(read_page := page(1, 5))
    document = weakref.ref(read_page.flat)
    del read_page
    assert document() is None
