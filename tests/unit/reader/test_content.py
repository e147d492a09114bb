import json

from detourage.comments import CommentPattern
from detourage.html import Page, parse_page
from detourage.reader import TemplateKnowledge
from detourage.reader.content import (
    MAX_SEARCHED_LINES,
    comment_pattern_of,
    explain_content,
    pattern_of_group,
    patterns_for_page,
    read_content,
)
from tests.pages import paragraphs
from tests.unit.comments.comment_pages import REMARKS, URL
from tests.unit.reader.discussion_pages import NAMES, comment_list


def page(seed: int, comments: int, *, end: str = "") -> Page:
    """Return an article page with the given number of comments below the article."""
    said = [
        f"{REMARKS[number % 5]} {REMARKS[(number + number // 5 + seed) % 5]}"
        for number in range(comments)
    ]
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs(seed))
    return parse_page(
        f"<html lang='en'><head><title>Bridge {seed}</title></head><body><div id='menu'>"
        "<a href='/a'>News</a> <a href='/b'>Sport</a> <a href='/c'>Weather</a></div>"
        f"<div id='main'><h1>Bridge {seed}</h1><div class='story'>{text}</div>"
        f"{comment_list([(each, '') for each in said])}</div>{end}</body></html>",
        URL,
    )


def test_a_page_may_have_comments_although_its_group_has_none() -> None:
    found = comment_pattern_of(page(3, 5))
    assert found is not None
    elsewhere = CommentPattern.from_json(found.to_json().replace("comment", "remark"))
    patterns = patterns_for_page(comment_pattern_of(page(1, 5)), elsewhere)
    assert len(read_content(page(1, 5), None, patterns).comments) == 5


def test_the_comments_of_a_long_page_are_found_when_it_is_read() -> None:
    links = "".join(
        f"<li><a href='/{number}'>Part {number}</a>" for number in range(MAX_SEARCHED_LINES)
    )
    long = page(1, 5, end=f"<ul>{links}</ul>")
    assert comment_pattern_of(long) is None
    assert len(read_content(long, None, patterns_for_page(None, None)).comments) == 5


def test_the_explanation_matches_the_extraction() -> None:
    shown, template_page = page(2, 1), page(5, 4)
    own = comment_pattern_of(shown)
    of_group = pattern_of_group([own, *(comment_pattern_of(page(seed, 8)) for seed in (3, 4))])
    patterns = patterns_for_page(own, of_group)
    content = read_content(shown, TemplateKnowledge.from_pages([template_page]), patterns)
    explained = explain_content(shown, template_page, patterns)
    assert explained.article == content
    assert len(content.comments) == 1
    taken_out = [line.text for line in explained.lines if line.verdict == "comment"]
    assert f"{REMARKS[0]} {REMARKS[2]}" in taken_out


def test_comments_rendered_only_by_scripts_are_read_from_json() -> None:
    comments = [
        {"author": name, "content": said, "date": f"2024-05-0{number + 1}"}
        for number, (name, said) in enumerate(zip(NAMES[:2], REMARKS[:2], strict=True))
    ]
    script = f"<script>window.state = {json.dumps({'comments': comments})};</script>"
    found = read_content(page(1, 0, end=script)).comments
    assert [(each.author, each.text) for each in found] == [
        *zip(NAMES[:2], REMARKS[:2], strict=True)
    ]
    shown = read_content(page(1, 5, end=script)).comments
    assert [each.author for each in shown] == list(NAMES[:5])
