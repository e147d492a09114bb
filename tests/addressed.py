"""The same article under five URLs (with tracking parameters, AMP, mobile, print)."""

from tests.pages import article_html, prose

PLAIN = "https://www.example.org/bridge-7.html"
TRACKED = f"{PLAIN}?utm_source=letter&utm_medium=mail#top"
AMP = "https://www.example.org/amp/bridge-7.html"
MOBILE = "https://m.example.org/bridge-7.html"
PRINT = f"{PLAIN}?print=1"
FIVE_URLS = (PLAIN, TRACKED, AMP, MOBILE, PRINT)


def article_under_five_urls(seed: int = 7) -> dict[str, str]:
    """Return the HTML of an article by URL; the plain and the tracked URL have the same page."""
    title = f"Bridge story number {seed}"
    body = prose(seed)
    canonical = f"<link rel=canonical href='{PLAIN}'>"
    plain = article_html(seed).replace("<head>", f"<head>{canonical}")
    return {
        PLAIN: plain,
        TRACKED: plain,
        AMP: f"<!doctype html><html amp><head><title>{title} | AMP</title>{canonical}</head>"
        f"<body><header>Paper</header><main><h1>{title}</h1>{body}</main></body></html>",
        MOBILE: f"<!doctype html><html><head><title>{title} - Paper mobile</title></head><body>"
        f"<nav><a href='/'>Home</a></nav><h1>{title}</h1><article>{body}</article></body></html>",
        PRINT: f"<!doctype html><html><head><title>{title}</title></head><body>"
        f"<h2>{title}</h2>{body}<hr><p>Printed from the paper.</p></body></html>",
    }


def with_canonical_url(html: str, url: str) -> str:
    """Return the page with a declaration that the given URL is its canonical one."""
    return html.replace("<head>", f"<head><link rel='canonical' href='{url}'>", 1)
