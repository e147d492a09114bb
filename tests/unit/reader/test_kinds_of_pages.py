from detourage.reader import extract_article
from tests.unit.reader.article_pages import page, prose


def declared(kind: str) -> str:
    return f'<script type="application/ld+json">{{"@type": "{kind}"}}</script>'


def test_thousands_of_declarations_do_not_change_the_kind() -> None:
    head = declared("NewsArticle") * 3_000
    body = f"<article><h1>Bridge reopens</h1>{prose(1)}{prose(2)}</article>"
    shown = page(body, head, "https://news.example/2025/05/01/bridge-reopens")
    assert extract_article(shown, None).metadata.kind == "article"
