"""Make the README's pictures: a page of the sample crawl beside its article, and explained.

Run as ``python -m benchmarks.picture docs/result.png docs/explained.png``; Debian's package
``chromium`` renders them.
"""

import base64
import html
import subprocess
import sys
import tempfile
from copy import deepcopy
from itertools import pairwise
from pathlib import Path

from lxml import etree

from worker.extraction import Extraction, NoArticleError, explain_article, extract_article
from worker.inspection.explained_html import to_html
from worker.pages import Page, parse_page
from worker.sample import generate

SITE = "harbour-post.example"
TEMPLATE = "harbour-post.example/2023/news"

OUTLINE = "outline:4px solid #1a9641;outline-offset:4px;background:#1a964114"

LAYOUT = """<!doctype html><meta charset="utf-8"><style>
body{{margin:0;display:flex;font:15px/1.5 sans-serif;background:#eee;height:1500px;
overflow:hidden}}
iframe{{border:0;width:1000px;height:1500px;background:#fff}}
main{{width:600px;box-sizing:border-box;padding:28px;height:1500px;overflow:hidden;background:#fff;
margin-left:16px}}
small{{color:#666;font-family:monospace}} h1{{font-size:24px;line-height:1.25}}
</style><iframe srcdoc="{page}"></iframe>
<main><small>{about}</small><h1>{title}</h1>{text}</main>"""


def main(result: Path, explained: Path) -> None:
    """Write the pictures."""
    pages = [
        parse_page(base64.b64decode(each.message["html_base64"]), each.message["url"])
        for each in generate()
        if each.gold["template_class"] == TEMPLATE
    ]
    page, article = _first_article(pages)
    _draw(_layout(page, article), result)
    _draw(to_html(explain_article(page, pages[-1]), page, len(pages)), explained)


def _draw(layout: str, picture: Path) -> None:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "layout.html"
        file.write_text(layout, encoding="utf-8")
        subprocess.run(
            [
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                # A sandboxed frame in a process of its own is often not drawn in time.
                "--disable-features=IsolateSandboxedIframes",
                "--disable-sync",
                "--hide-scrollbars",
                "--window-size=1616,1500",
                f"--user-data-dir={directory}/profile",
                f"--screenshot={picture.resolve()}",
                file.as_uri(),
            ],
            check=True,
            capture_output=True,
        )


def _first_article(pages: list[Page]) -> tuple[Page, Extraction]:
    for page, other in pairwise(pages):
        try:
            article = extract_article(page, other)
        except NoArticleError:
            continue
        if article.xpath is not None:
            return page, article
    raise SystemExit("no page of the sample gives an article")


def _layout(page: Page, article: Extraction) -> str:
    document = deepcopy(page.document)
    (container,) = document.xpath(article.xpath)
    container.set("style", OUTLINE)
    rendered = etree.tostring(document, method="html", encoding="unicode")
    return LAYOUT.format(
        page=html.escape(rendered, quote=True),
        about=html.escape(f"{page.url} · {article.method} · {article.xpath}"),
        title=html.escape(article.title or ""),
        text="".join(f"<p>{html.escape(block.text)}</p>" for block in article.blocks),
    )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
