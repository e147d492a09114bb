"""One article under five URLs, as news sites often publish the same article."""

from tests.pages import article_html, prose

PLAIN = "https://www.example.org/bridge-7.html"
TRACKED = f"{PLAIN}?utm_source=letter&utm_medium=mail#top"
AMP = "https://www.example.org/amp/bridge-7.html"
MOBILE = "https://m.example.org/bridge-7.html"
PRINT = f"{PLAIN}?print=1"
FIVE = (PLAIN, TRACKED, AMP, MOBILE, PRINT)


def five_pages(seed: int = 7) -> dict[str, str]:
    """Return the pages of one article under its five URLs, in four templates."""
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


def declaring(html: str, address: str) -> str:
    """Return a page that declares the given URL as canonical."""
    return html.replace("<head>", f"<head><link rel='canonical' href='{address}'>", 1)
