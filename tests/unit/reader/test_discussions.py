"""Discussions, even in unfamiliar markup, and parts of pages that only resemble them."""

import pytest

from detourage.html import parse_page
from detourage.reader.article_and_comments import explain_content, read_content
from tests.unit.reader.discussion_pages import (
    ARTICLE,
    FORUM,
    NAMES,
    NOT_DISCUSSIONS,
    POST_TEXTS,
    TITLE,
    answers,
    article_page,
    article_posts,
    comment_list,
    forum_page,
    list_posts,
    table_posts,
)

JOINED = article_posts().replace("<dd>May 2,", '<dd><time datetime="2019-05-02">May 2,</time>')
IN_COMMENTS = table_posts().replace("<td>Posted", "<td class='comment'>Posted")


@pytest.mark.parametrize("posts", [JOINED, table_posts(), IN_COMMENTS])
def test_the_text_of_a_thread_consists_of_all_posts_in_order(posts: str) -> None:
    content = read_content(forum_page(posts))
    assert content.metadata.kind == "forum"
    places = [content.text.find(text) for text in POST_TEXTS]
    assert min(places) >= 0
    assert places == sorted(places)
    assert [comment.text for comment in content.comments] == list(POST_TEXTS)
    assert [comment.author for comment in content.comments] == list(NAMES)
    assert str(content.metadata.published)[:10] == "2024-05-01"


def test_a_thread_without_separable_posts_is_still_read_completely() -> None:
    text = read_content(forum_page(f"<dl>{list_posts()}</dl>")).text
    assert all(post in text for post in POST_TEXTS)


def test_authors_are_separate_lines_and_badges_and_signatures_are_omitted() -> None:
    article = read_content(forum_page(article_posts()))
    assert [block.text for block in article.blocks if block.role == "byline"] == list(NAMES)
    assert [block.role for block in article.blocks].count("dateline") == len(POST_TEXTS)
    for noise in ("Well-known member", "My workshop", "Last edited", "Joined", "Reply"):
        assert noise not in article.text


def test_a_question_is_read_with_its_answers() -> None:
    url = "https://answers.example/questions/4711/squeaking-hinge"
    content = read_content(forum_page(f"{answers()}</div>", url=url))
    assert content.metadata.kind == "forum"
    assert [content.text.count(text) for text in POST_TEXTS[:4]] == [1] * 4


def test_a_thread_displayed_only_without_scripts_is_read() -> None:
    page = parse_page(
        f"<html lang='en'><head><title>{TITLE} | Workshop Forum</title></head><body>"
        "<div id='app'></div><script src='/app.js'></script><noscript><div class='post'>"
        f"{article_posts()}</div></noscript></body></html>",
        FORUM,
    )
    content = read_content(page)
    assert content.method == "noscript"
    assert [comment.author for comment in content.comments] == list(NAMES)
    assert all(text in content.text for text in POST_TEXTS)
    assert explain_content(page).article == content


@pytest.mark.parametrize("below", NOT_DISCUSSIONS.values(), ids=NOT_DISCUSSIONS)
def test_similar_parts_by_one_author_are_not_a_discussion(below: str) -> None:
    content = read_content(article_page(below))
    assert content.comments == ()
    assert all(paragraph in content.text for paragraph in ARTICLE)


def test_a_comment_may_be_an_emoji_but_not_empty_or_a_picture() -> None:
    sticker = '<img src="/s.png" alt="thumbs up">'
    texts = (*POST_TEXTS[:3], "😀😀", sticker, "", *POST_TEXTS[3:])
    comments = read_content(article_page(comment_list([(text, "") for text in texts]))).comments
    assert [comment.text for comment in comments] == [
        *POST_TEXTS[:3],
        "😀😀",
        *POST_TEXTS[3:],
    ]


def test_replies_to_an_empty_comment_move_to_its_parent() -> None:
    answer = comment_list([("", comment_list([(POST_TEXTS[1], "")]))])
    thread = comment_list([(POST_TEXTS[0], answer), *((text, "") for text in POST_TEXTS[3:])])
    comments = read_content(article_page(thread)).comments
    assert [comment.text for comment in comments] == [POST_TEXTS[0], POST_TEXTS[1], *POST_TEXTS[3:]]
    assert [comment.parent for comment in comments] == [None, 0, None, None, None]


def test_the_text_of_displayed_entries_of_a_live_report_is_in_the_article() -> None:
    texts = [
        f"At {hour} the {what} was still closed, and the people on the {bank} bank waited."
        for hour, what, bank in (("ten", "bridge", "east"), ("nine", "road", "west"))
    ]
    entries = "".join(
        f"<div itemprop='liveBlogUpdate'><h3>{10 - place}:05</h3><p>{text}</p></div>"
        for place, text in enumerate(texts)
    )
    page = parse_page(
        f"<main><h1>The bridge opens</h1>{entries}</main>", "https://news.example/live"
    )
    content = read_content(page)
    assert all(text in content.text for text in texts)
    assert content.comments == ()


QUARREL = {
    "Walter Bell": "We should have repaired the old bridge when it was still cheap, I said so.",
    "Ida Moss": "And who would have paid for the steel, Walter? Not you, as far as I remember.",
    "pier_sitter": "The real question is why nobody looked at the pillars for twenty years.",
    "Tom R.": "Take the ferry then. Nobody forces you to drive through the town at eight.",
}


# Comments in collapsible elements, each with a title as in a forum
FOLDED = "".join(
    '<details class="MessageBox" open><summary><h3 class="MessageTitle">Re: Bridge story</h3>'
    f'<p class="MessagePoster">Posted May {day}, 2026 1:10 UTC by <b>{name}</b> (subscriber,'
    f' #{day})</p></summary><div class="Formatted"><p>{text}</p></div></details>'
    for day, (name, text) in enumerate(QUARREL.items(), 12)
)


def test_comments_are_found_without_their_heading() -> None:
    comments = read_content(article_page(FOLDED)).comments
    assert [(each.author, each.text) for each in comments] == [*QUARREL.items()]


def test_signed_and_dated_teasers_are_not_comments() -> None:
    teasers = "<h2>More stories</h2>" + "".join(
        f'<div class="sc-q-2"><a href="/{day}"><span class="sc-q-4">{text}</span></a><div'
        f' class="sc-q-5">By {name}, May {day}, 2026</div></div>'
        for day, (name, text) in enumerate(QUARREL.items(), 12)
    )
    assert not read_content(article_page(teasers)).comments
