"""The kinds of generated pages, each obvious to a human reader."""

from tests.pages import SENTENCES
from tests.unit.article.article_pages import page, prose
from worker.article import extract_article
from worker.article.outline import Outline
from worker.article.whole_page import declared_types


def kind_of(body: str, head: str, url: str) -> str:
    return extract_article(page(body, head, url), None).metadata.kind


def declared(kind: str) -> str:
    return f'<script type="application/ld+json">{{"@type": "{kind}"}}</script>'


def post(number: int) -> str:
    first, second = SENTENCES[number % len(SENTENCES)], SENTENCES[(number + 3) % len(SENTENCES)]
    return (
        f"<div class='post'><a class='author'>reader{number}</a>"
        f"<time>May {number + 1}, 2025</time><p>{first} {second}</p>"
        "<button>Reply</button><button>Quote</button></div>"
    )


def test_a_news_page_is_an_article() -> None:
    head = f"<title>Bridge reopens | Post</title>{declared('NewsArticle')}"
    body = f"<article><h1>Bridge reopens</h1>{prose(1)}{prose(2)}</article>"
    assert kind_of(body, head, "https://news.example/2025/05/01/bridge-reopens") == "article"


def test_a_forum_thread_is_recognised() -> None:
    head = f"<title>An old pear tree - Garden Forum</title>{declared('DiscussionForumPosting')}"
    body = "<h1>How do I prune an old pear tree?</h1>" + "".join(map(post, range(8)))
    assert kind_of(body, head, "https://forum.garden.example/threads/old-pear.4711/") == "forum"


def test_thousands_of_declarations_do_not_change_the_kind() -> None:
    head = declared("NewsArticle") * 3_000
    body = f"<article><h1>Bridge reopens</h1>{prose(1)}{prose(2)}</article>"
    assert kind_of(body, head, "https://news.example/2025/05/01/bridge-reopens") == "article"


def test_declared_types_are_found_in_head_and_body() -> None:
    head = f"<meta property='og:type' content='website'>{declared('Product')}"
    shown = page(f"<div itemscope itemtype='https://schema.org/Offer'>{prose(1)}</div>", head)
    assert declared_types(Outline.of(shown.flat)) == ["product", "offer", "website"]
    below = page(f"{prose(1)}{declared('Product')}")
    assert declared_types(Outline.of(below.flat)) == ["product"]
