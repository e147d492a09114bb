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


def test_a_page_may_have_comments_although_its_group_has_none() -> None:
    pattern = comment_pattern_of(page(3, 5))
    assert pattern is not None
    other_pattern = CommentPattern.from_json(pattern.to_json().replace("comment", "remark"))
    patterns = patterns_for_page(comment_pattern_of(page(1, 5)), other_pattern)
    assert len(read_content(page(1, 5), None, patterns).comments) == 5


def test_the_comments_of_a_long_page_are_found_when_it_is_read() -> None:
    links = "".join(
        f"<li><a href='/{number}'>Part {number}</a>" for number in range(MAX_SEARCHED_LINES)
    )
    long = page(1, 5, end=f"<ul>{links}</ul>")
    assert comment_pattern_of(long) is None
    assert len(read_content(long, None, patterns_for_page(None, None)).comments) == 5


def test_the_explanation_matches_the_extraction() -> None:
    shown_page, template_page = page(2, 1), page(5, 4)
    own_pattern = comment_pattern_of(shown_page)
    group_pattern = pattern_of_group(
        [own_pattern, *(comment_pattern_of(page(seed, 8)) for seed in (3, 4))]
    )
    patterns = patterns_for_page(own_pattern, group_pattern)
    content = read_content(shown_page, TemplateKnowledge.from_pages([template_page]), patterns)
    explained = explain_content(shown_page, template_page, patterns)
    assert explained.article == content
    assert len(content.comments) == 1
    comment_lines = [line.text for line in explained.lines if line.verdict == "comment"]
    assert f"{REMARKS[0]} {REMARKS[2]}" in comment_lines


def test_comments_rendered_only_by_scripts_are_read_from_json() -> None:
    comments = [
        {"author": name, "content": text, "date": f"2024-05-0{number + 1}"}
        for number, (name, text) in enumerate(zip(NAMES[:2], REMARKS[:2], strict=True))
    ]
    script = f"<script>window.state = {json.dumps({'comments': comments})};</script>"
    found = read_content(page(1, 0, end=script)).comments
    assert [(each.author, each.text) for each in found] == [
        *zip(NAMES[:2], REMARKS[:2], strict=True)
    ]
    displayed = read_content(page(1, 5, end=script)).comments
    assert [each.author for each in displayed] == list(NAMES[:5])
