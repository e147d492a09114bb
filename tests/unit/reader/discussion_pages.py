"""Generated forum threads, pages with comments, and pages that only resemble discussions."""

from collections.abc import Sequence

from detourage.html import Page, parse_page
from tests.pages import paragraphs

NAMES = ("mara_holm", "Jonas77", "ferryfan", "OldMiller", "tilda", "Marek W")

POST_TEXTS = (
    "Has anybody here replaced the hinge of a Brandt 40 themselves? Mine squeaks since the"
    " winter, and the shop wants a new door for it. I took the cover off and found two screws.",
    "Yes, last autumn. You need a long hex key and some patience. Do not lose the washer that"
    " sits behind the plate, because nobody sells it alone.",
    "I would first try graphite. Oil collects dust there and makes it worse after some weeks.",
    "Graphite helped me for a year. Then I changed the hinge as Jonas says, it took an hour.",
    "Thanks to all of you. The graphite is ordered, and I shall write how it went.",
    "Mine broke when I pulled the pin out, so warm the plate with a dryer before you begin.",
)

ARTICLE = (*paragraphs(3), *paragraphs(4))

FORUM = "https://forum.example/threads/squeaking-hinge.4711/"
TITLE = "Squeaking hinge of a Brandt 40"


def forum_page(body: str, *, url: str = FORUM) -> Page:
    """Parse a page of a forum thread with the given posts."""
    links = "".join(
        f'<a href="/forums/{name}/">{name.title()}</a> ' for name in ("doors", "windows", "tools")
    )
    return parse_page(
        f'<html lang="en"><head><title>{TITLE} | Workshop Forum</title>'
        '<meta property="og:type" content="website"></head><body>'
        f'<nav>{links}<a href="/login">Log in</a> <a href="/register">Register</a></nav>'
        f'<h1 class="thread-title">{TITLE}</h1>{body}'
        '<form action="/reply"><textarea name="message"></textarea><button>Post reply</button>'
        "</form><footer><a href='/help'>Help</a> <a href='/terms'>Terms</a></footer></body></html>",
        url,
    )


def article_posts() -> str:
    """Return posts in ``article`` elements, each with its author's rank and similar details."""
    return "".join(
        f'<article class="message" id="post-{n}"><div class="message-user"><img alt="" src="/a{n}">'
        f'<h4 class="username"><a href="/members/{NAMES[n]}.{n}/">{NAMES[n]}</a></h4>'
        f'<h5 class="userTitle">Well-known member</h5><dl><dt>Joined</dt><dd>May {n + 2}, 2019</dd>'
        f"<dt>Messages</dt><dd>{100 + 31 * n}</dd></dl></div>"
        f'<header><time datetime="2024-05-0{n + 1}T10:15:00">May {n + 1}, 2024</time>'
        f'<a href="#post-{n}">#{n + 1}</a></header>'
        f'<div class="message-body"><p>{text}</p></div>'
        f'<div class="lastEdit">Last edited: May {n + 2}, 2024</div>'
        f'<aside class="signature">My workshop: {n} benches and no end</aside>'
        '<footer><a href="/like">Like</a> <a href="/reply">Reply</a></footer></article>'
        for n, text in enumerate(POST_TEXTS)
    )


def table_posts() -> str:
    """Return posts in table rows without any class names."""
    return "".join(
        f'<table width="100%" border="1"><tr><td width="20%"><b>{NAMES[n]}</b><br>Posts: {40 + n}'
        f"</td><td>Posted: May {n + 1}, 2024 10:15 am<hr>{text}</td></tr></table>"
        for n, text in enumerate(POST_TEXTS)
    )


def list_posts() -> str:
    """Return posts in a definition list, each with its author and date as the term."""
    return "".join(
        f"<dt><b>{NAMES[n]}</b> wrote on May {n + 1}, 2024:</dt><dd>{text}</dd>"
        for n, text in enumerate(POST_TEXTS)
    )


def answers() -> str:
    """Return a question and its answers as on a Q&A site, with votes; the first is accepted."""
    opening_tags = [
        '<div id="question" class="question">',
        '</div><h2>3 Answers</h2><div class="answer">',
    ]
    opening_tags += ['</div><div class="answer">'] * 2
    return "".join(
        f'{opening_tags[n]}<div class="votes"><button>Up</button><span>{12 - n}</span>'
        f"<button>Down</button>{'<i class=accepted>Accepted</i>' if n == 1 else ''}</div>"
        f'<div class="post-text"><p>{text}</p></div><div class="user-info">answered'
        f' <time datetime="2024-05-0{n + 1}">May {n + 1}, 2024</time>'
        f' <a href="/users/{n}/{NAMES[n]}">{NAMES[n]}</a></div>'
        for n, text in enumerate(POST_TEXTS[:4])
    )


def comment_list(comments: Sequence[tuple[str, str]]) -> str:
    """Return a list of comments, given the text of each and the markup of its replies."""
    items = "".join(
        f'<li class="comment" id="comment-{n}"><cite class="fn">{NAMES[n % 6]}</cite>'
        f'<time datetime="2024-05-0{n + 1}">May {n + 1}, 2024</time><p>{text}</p>'
        f'<a href="#r">Reply</a>{replies}</li>'
        for n, (text, replies) in enumerate(comments)
    )
    return f"<ol class='commentlist'>{items}</ol>"


def article_page(below: str, *, head: str = "") -> Page:
    """Parse an article page with the given markup below the article."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in ARTICLE)
    return parse_page(
        f"<html lang='en'><head><title>The bridge</title>{head}</head><body>"
        "<div id='menu'><a href='/a'>News</a> <a href='/b'>Sport</a></div>"
        f"<main><h1>The bridge</h1><div class='story'>{text}</div>{below}</main></body></html>",
        "https://news.example/a/1",
    )


NOT_DISCUSSIONS = {
    "questions": "<section class='faq'>"
    + "".join(
        f"<div class='item'><h3>Question {n}: what does a hinge of size {n} cost?</h3>"
        f"<div class='body'><p>{text}</p></div></div>"
        for n, text in enumerate(POST_TEXTS, 1)
    )
    + "</section>",
    "steps": "<ol class='steps'>"
    + "".join(
        f"<li class='step'><h4>Step {n}</h4><p>{text}</p><img src='/s{n}.jpg' alt='Step {n}'></li>"
        for n, text in enumerate(POST_TEXTS, 1)
    )
    + "</ol>",
}
"""Markup that resembles a discussion but is not one, by its kind."""
