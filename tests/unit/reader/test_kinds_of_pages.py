from detourage.reader import extract_article
from detourage.reader.outline import Outline
from detourage.reader.whole_page import declared_types
from tests.unit.reader.article_pages import page, prose


def declared(kind: str) -> str:
    return f'<script type="application/ld+json">{{"@type": "{kind}"}}</script>'


def test_thousands_of_declarations_do_not_change_the_kind() -> None:
    head = declared("NewsArticle") * 3_000
    body = f"<article><h1>Bridge reopens</h1>{prose(1)}{prose(2)}</article>"
    shown = page(body, head, "https://news.example/2025/05/01/bridge-reopens")
    assert extract_article(shown, None).metadata.kind == "article"


def test_declared_types_are_found_in_head_and_body() -> None:
    head = f"<meta property='og:type' content='website'>{declared('Product')}"
    shown = page(f"<div itemscope itemtype='https://schema.org/Offer'>{prose(1)}</div>", head)
    assert declared_types(Outline.of(shown.flat)) == ["product", "offer", "website"]
    below = page(f"{prose(1)}{declared('Product')}")
    assert declared_types(Outline.of(below.flat)) == ["product"]
