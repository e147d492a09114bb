import json
from html import escape
from typing import Any

import pytest

from detourage.article import Article
from detourage.reader import NeedsRenderingError, NoTextError, extract_article
from detourage.reader.article_and_comments import explain_content
from tests.unit.reader.article_pages import page, paragraphs, prose

TITLE = "Council decides about the bridge after three hours"
HEAD = f"<title>{TITLE}</title><meta property='og:title' content='{TITLE}'>"
PARAGRAPHS = paragraphs(1)
TEXT = "\n\n".join(PARAGRAPHS)
EMPTY_SHELL = '<div id="root"></div><script src="/app.js"></script>'


def read_body(body: str, head: str = HEAD) -> Article:
    return extract_article(page(body, head=head), None)


def script_with_linked_data(**values: Any) -> str:
    value = {"@context": "https://schema.org", "@type": "NewsArticle", **values}
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def script_with_state(value: Any) -> str:
    return f'<script id="data" type="application/json">{json.dumps(value)}</script>'


@pytest.mark.parametrize(
    "body",
    ["\n".join(PARAGRAPHS), "".join(f"<p>{text}</p>" for text in PARAGRAPHS), escape(prose(1))],
    ids=["plain", "markup", "escaped markup"],
)
def test_an_undisplayed_article_body_is_extracted(body: str) -> None:
    found = read_body(script_with_linked_data(headline=TITLE, articleBody=body) + EMPTY_SHELL)
    assert (found.method, found.title, found.text) == ("articleBody", TITLE, TEXT)
    assert [block.text for block in found.blocks] == PARAGRAPHS
    assert found.xpath == "/html/body/script[1]"


STATES = {
    "string": {"page": {"title": TITLE, "body": TEXT}},
    "markup": {"page": {"title": TITLE, "body": "".join(f"<p>{text}</p>" for text in PARAGRAPHS)}},
    "dated": {"article": {"published": "2024-05-06T10:00:00Z", "content": TEXT}},
    "blocks": {"title": TITLE, "blocks": [{"kind": "text", "value": text} for text in PARAGRAPHS]},
    "list of strings": {"title": TITLE, "paragraphs": PARAGRAPHS},
    "rich text": {
        "title": TITLE,
        "children": [
            {"type": "paragraph", "children": [{"text": text[:20]}, {"text": text[20:]}]}
            for text in PARAGRAPHS
        ],
    },
    "json in json": {"cache": json.dumps({"a:1": {"headline": TITLE, "text": TEXT}})},
}
STATE_IN_JSON = json.dumps(STATES["blocks"])
SCRIPTS = {
    "assigned": f"window.__STATE__ = {STATE_IN_JSON};",
    "assigned among others": f"var a = 1; window['state']={STATE_IN_JSON}; start(a)",
    "argument": f"boot({STATE_IN_JSON});",
    "in an argument": f"self.chunks.push([1, {STATE_IN_JSON}])",
    "in a markup comment": f"<!--\nwindow.state = {STATE_IN_JSON};\n-->",
    "in a string": f"window.state = JSON.parse({json.dumps(json.dumps(STATES['string']))});",
}


@pytest.mark.parametrize(
    "script",
    [
        *map(script_with_state, STATES.values()),
        *(f"<script>{each}</script>" for each in SCRIPTS.values()),
    ],
    ids=[*STATES, *SCRIPTS],
)
def test_the_state_of_a_framework_is_read_wherever_it_is(script: str) -> None:
    found = read_body(EMPTY_SHELL + script)
    assert (found.method, found.text) == ("json-state", TEXT)


TEASERS = [{"link": f"/story/{n}", "summary": text} for n, text in enumerate(PARAGRAPHS)]
DEEPLY_NESTED = "[" * 100_000
SHELLS_WITHOUT_ARTICLE = {
    "empty": EMPTY_SHELL,
    "noscript": "<noscript>You need to enable JavaScript to run this app.</noscript>"
    '<div id="app"></div><script>start()</script>',
    "custom element": '<my-app><div class="spinner"></div></my-app>'
    '<script type="module" src="/a.js"></script>',
    "cookies": f"<p>We use cookies.</p>{EMPTY_SHELL}",
    "no title or date": EMPTY_SHELL + script_with_state({"consent": {"notice": TEXT}}),
    "list of other articles": EMPTY_SHELL + script_with_state({"title": TITLE, "more": TEASERS}),
    "too deep": EMPTY_SHELL
    + script_with_linked_data(articleBody="<div>" * 1000 + " ".join(PARAGRAPHS)),
}
HOSTILE_SCRIPTS = (
    '<script type="application/ld+json">{"articleBody": "cut off</script>',
    f'<script type="application/json">{DEEPLY_NESTED}</script>',
    f'<script type="application/ld+json">"articleBody"{DEEPLY_NESTED}</script>',
    f"<script>x = {DEEPLY_NESTED}</script>",
    f"<script>{'a({' * 100_000}</script>",
    '<script type="application/json">{"n": ' + "9" * 10_000 + "}</script>",
    '<script type="application/json">"\\ud800 \\u0000"</script>',
    '<script type="application/ld+json">[null, {"articleBody": {"a": [1.5, true]}}]</script>',
)


@pytest.mark.parametrize(
    "body",
    [*SHELLS_WITHOUT_ARTICLE.values(), *(EMPTY_SHELL + script for script in HOSTILE_SCRIPTS)],
    ids=[*SHELLS_WITHOUT_ARTICLE, *map(str, range(len(HOSTILE_SCRIPTS)))],
)
def test_a_shell_without_the_article_needs_rendering(body: str) -> None:
    with pytest.raises(NeedsRenderingError) as caught:
        read_body(body)
    assert caught.value.outcome == "needs-rendering"


def test_an_article_with_an_empty_custom_element_needs_no_rendering() -> None:
    body = "<main><h1>Seals</h1><p>The seals of the bay have had more pups than in any other year"
    body += ", said the warden.</p><x-chart></x-chart><script src=/app.js></script></main>"
    assert read_body(body).text.startswith("The seals of the bay")


@pytest.mark.parametrize("tag", ["noscript", "template shadowrootmode='open'"])
def test_elements_hidden_until_scripts_run_are_read(tag: str) -> None:
    body = f'<x-story><{tag}><div class="article">{prose(1)}</div></{tag.split()[0]}></x-story>'
    found = read_body(body + script_with_state({"title": TITLE, "tags": "Ask for help. " * 99}))
    assert (found.method, found.text) == (tag.split()[0], TEXT)
    assert found.xpath == f"/html/body/x-story/{tag.split()[0]}/div"
    assert read_body(f'<div class="article">{prose(3)}</div>' + body).method == "lines"


@pytest.mark.parametrize(
    "hidden",
    [
        *HOSTILE_SCRIPTS,
        script_with_linked_data(articleBody=TEXT + "More."),
        script_with_state({"title": TITLE, "body": TEXT + "More."}),
        f"<x-story><noscript><div>{prose(3)}</div></noscript></x-story>{EMPTY_SHELL}",
    ],
    ids=lambda hidden: hidden[:60],
)
def test_visible_text_takes_precedence_over_any_script(hidden: str) -> None:
    found = read_body(f'<div class="article">{prose(1)}</div>{hidden}')
    assert (found.method, found.text) == ("lines", TEXT)


@pytest.mark.parametrize(
    "body", ["<p>--</p>", '<div id="root"></div>', '<script src="/app.js"></script><p>--</p>']
)
def test_a_page_that_is_merely_empty_does_not_need_rendering(body: str) -> None:
    with pytest.raises(NoTextError):
        read_body(body)


def test_all_visible_lines_of_a_hidden_article_are_explained_as_dropped() -> None:
    hidden = page(f"<p>Loading.</p>{script_with_linked_data(articleBody=TEXT)}", head=HEAD)
    explained = explain_content(hidden)
    assert explained.article is not None
    assert explained.article.method == "articleBody"
    assert {line.verdict for line in explained.lines} == {"dropped"}
