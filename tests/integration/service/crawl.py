"""Messages sent to the shared deployment: pages with articles, and messages of every other kind."""

import base64
import json

from tests.pages import article_html, message

UNUSABLE: dict[str, bytes] = {
    "not-json": b"{broken",
    "invalid-message": b'["a list"]',
    "no-url": json.dumps({"version": 1, "html": "<p>a</p>"}).encode(),
    "unsupported-url": message("ftp://bad.example/a", "<p>a</p>"),
    "oversized": message("https://bad.example/big", "a" * (11 * 1024 * 1024)),
    "no-html": message("https://bad.example/none"),
    "unsupported-version": message("https://bad.example/a", "a", version=9),
}
"""Messages that are quarantined, by the reason."""

_CONTENTS: dict[str, bytes] = {
    "https://bad.example/pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj",
    "https://bad.example/image": b"\x89PNG\r\n\x1a\n" + bytes(200),
    "https://bad.example/empty": b"",
    "https://bad.example/noise": bytes((n * n * 31 + n * 7 + n // 5) % 256 for n in range(5000)),
}

REJECTED: dict[str, bytes] = {
    **{
        url: message(url, html_base64=base64.b64encode(content).decode())
        for url, content in _CONTENTS.items()
    },
    "https://bad.example/deep": message("https://bad.example/deep", "<div>" * 100_000 + "text"),
}
"""Messages whose content is not a readable page, by URL."""

OUTCOMES = {
    "https://bad.example/pdf": "not-html",
    "https://bad.example/image": "not-html",
    "https://bad.example/empty": "empty",
    "https://bad.example/noise": "undecodable",
    "https://bad.example/deep": "too-deep",
}
"""Outcomes of the `REJECTED` pages, by URL."""


def page_with_metadata(seed: int) -> bytes:
    """Return a page message for an article that declares authors, a date and a section."""
    record = {
        "@type": "NewsArticle",
        "author": [{"name": "Jane Doe"}, {"name": "John Roe"}],
        "datePublished": f"2024-05-0{seed + 1}T00:30:00+02:00",
        "articleSection": "Bridges",
    }
    head = f'<script type="application/ld+json">{json.dumps(record)}</script></head>'
    html = article_html(seed).replace("</head>", head)
    return message(f"https://good.example/a/{seed}", html, id=str(seed))
