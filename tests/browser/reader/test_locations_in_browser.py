"""The locations of an article refer to the tree that a real browser with scripting builds."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

import detourage
from tests.pages import prose

pytestmark = pytest.mark.browser

URL = "https://news.example/story"
PROSE = prose(3)
HTML = (
    "<!doctype html><title>Bridge story number 3</title><body><article><h1>Bridge story number 3"
    f"</h1><!-- body -->{PROSE}<p><img data-src=a.jpg><noscript><img src=a.jpg></noscript>The "
    "<!-- --><b>mayor<!-- --> of</b> Aberdon<!-- --> said: &quot;Nobody\n  &amp; nothing stops"
    "</i> it.&quot;</p><table>Before the table stood a sentence of some words.<tr><td>One"
    f"<td>Two<tr><td>Three<td>Four</table><p>Unclosed paragraphs<p>are not rare.{PROSE}"
)
TEXT_OF_ELEMENT = """([path, start, end]) => {
    const type = XPathResult.FIRST_ORDERED_NODE_TYPE;
    const element = document.evaluate(path, document, null, type).singleNodeValue;
    const own = [...element.childNodes].filter(each => each.nodeType === Node.TEXT_NODE);
    return own.map(each => each.data).join('').slice(start, end);
}"""


@pytest.fixture(scope="module")
def browser_page(playwright_browser: Browser) -> Iterator[Page]:
    """A browser page that loads nothing except what the test provides."""
    page = playwright_browser.new_page()
    page.route("**/*", lambda route: route.abort())
    yield page
    page.close()


def test_a_browser_finds_every_text_node_of_an_article(browser_page: Page) -> None:
    article = detourage.extract(HTML, URL)
    assert article is not None
    assert "mayor of Aberdon" in article.text
    browser_page.set_content(HTML)
    for block in article.blocks:
        for passage in article.locate(block.start, block.end):
            arguments = [passage.xpath, passage.start, passage.end]
            assert browser_page.evaluate(TEXT_OF_ELEMENT, arguments) == passage.text
