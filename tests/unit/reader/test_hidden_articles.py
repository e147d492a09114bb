import json
from html import escape
from typing import Any

import pytest

from detourage.article import Article
from detourage.reader import NeedsRenderingError, NoTextError, extract_article
from detourage.reader.content import explain_content
from tests.unit.reader.article_pages import page, paragraphs, prose

TITLE = "Council decides about the bridge after three hours"
HEAD = f"<title>{TITLE}</title><meta property='og:title' content='{TITLE}'>"
STORY = paragraphs(1)
TEXT = "\n\n".join(STORY)
SHELL = '<div id="root"></div><script src="/app.js"></script>'


def article(body: str, head: str = HEAD) -> Article:
    return extract_article(page(body, head=head), None)


def linked_data(**values: Any) -> str:
    value = {"@context": "https://schema.org", "@type": "NewsArticle", **values}
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def state(value: Any) -> str:
    return f'<script id="data" type="application/json">{json.dumps(value)}</script>'


@pytest.mark.parametrize(
    "body",
    ["\n".join(STORY), "".join(f"<p>{text}</p>" for text in STORY), escape(prose(1))],
    ids=["plain", "markup", "escaped markup"],
)
def test_an_undisplayed_article_body_is_extracted(body: str) -> None:
    found = article(linked_data(headline=TITLE, articleBody=body) + SHELL)
    assert (found.method, found.title, found.text) == ("articleBody", TITLE, TEXT)
    assert [block.text for block in found.blocks] == STORY
    assert found.xpath == "/html/body/script[1]"


STATES = {
    "string": {"page": {"title": TITLE, "body": TEXT}},
    "markup": {"page": {"title": TITLE, "body": "".join(f"<p>{text}</p>" for text in STORY)}},
    "dated": {"article": {"published": "2024-05-06T10:00:00Z", "content": TEXT}},
    "blocks": {"title": TITLE, "blocks": [{"kind": "text", "value": text} for text in STORY]},
    "list of strings": {"title": TITLE, "paragraphs": STORY},
    "rich text": {
        "title": TITLE,
        "children": [
            {"type": "paragraph", "children": [{"text": text[:20]}, {"text": text[20:]}]}
            for text in STORY
        ],
    },
    "json in json": {"cache": json.dumps({"a:1": {"headline": TITLE, "text": TEXT}})},
}
VALUE = json.dumps(STATES["blocks"])
PROGRAMS = {
    "assigned": f"window.__STATE__ = {VALUE};",
    "assigned among others": f"var a = 1; window['state']={VALUE}; start(a)",
    "argument": f"boot({VALUE});",
    "in an argument": f"self.chunks.push([1, {VALUE}])",
    "in a markup comment": f"<!--\nwindow.state = {VALUE};\n-->",
    "in a string": f"window.state = JSON.parse({json.dumps(json.dumps(STATES['string']))});",
}


@pytest.mark.parametrize(
    "script",
    [*map(state, STATES.values()), *(f"<script>{each}</script>" for each in PROGRAMS.values())],
    ids=[*STATES, *PROGRAMS],
)
def test_the_state_of_a_framework_is_read_wherever_it_is(script: str) -> None:
    found = article(SHELL + script)
    assert (found.method, found.text) == ("json-state", TEXT)


TEASERS = [{"link": f"/story/{n}", "summary": text} for n, text in enumerate(STORY)]
DEEP = "[" * 100_000
SHELLS = {
    "empty": SHELL,
    "noscript": "<noscript>You need to enable JavaScript to run this app.</noscript>"
    '<div id="app"></div><script>start()</script>',
    "custom element": '<my-app><div class="spinner"></div></my-app>'
    '<script type="module" src="/a.js"></script>',
    "cookies": f"<p>We use cookies.</p>{SHELL}",
    "no title or date": SHELL + state({"consent": {"notice": TEXT}}),
    "list of other articles": SHELL + state({"title": TITLE, "more": TEASERS}),
    "too deep": SHELL + linked_data(articleBody="<div>" * 1000 + " ".join(STORY)),
}
HOSTILE_SCRIPTS = (
    '<script type="application/ld+json">{"articleBody": "cut off</script>',
    f'<script type="application/json">{DEEP}</script>',
    f'<script type="application/ld+json">"articleBody"{DEEP}</script>',
    f"<script>x = {DEEP}</script>",
    f"<script>{'a({' * 100_000}</script>",
    '<script type="application/json">{"n": ' + "9" * 10_000 + "}</script>",
    '<script type="application/json">"\\ud800 \\u0000"</script>',
    '<script type="application/ld+json">[null, {"articleBody": {"a": [1.5, true]}}]</script>',
)


@pytest.mark.parametrize(
    "body",
    [*SHELLS.values(), *(SHELL + script for script in HOSTILE_SCRIPTS)],
    ids=[*SHELLS, *map(str, range(len(HOSTILE_SCRIPTS)))],
)
def test_a_shell_without_the_article_needs_rendering(body: str) -> None:
    with pytest.raises(NeedsRenderingError) as caught:
        article(body)
    assert caught.value.outcome == "needs-rendering"


@pytest.mark.parametrize("tag", ["noscript", "template shadowrootmode='open'"])
def test_elements_hidden_until_scripts_run_are_read(tag: str) -> None:
    body = f'<x-story><{tag}><div class="article">{prose(1)}</div></{tag.split()[0]}></x-story>'
    found = article(body + SHELL)
    assert (found.method, found.text) == (tag.split()[0], TEXT)
    assert found.xpath == f"/html/body/x-story/{tag.split()[0]}/div"
    assert article(f'<div class="article">{prose(3)}</div>' + body).method == "lines"


@pytest.mark.parametrize(
    "hidden",
    [
        *HOSTILE_SCRIPTS,
        linked_data(articleBody=TEXT + "More."),
        state({"title": TITLE, "body": TEXT + "More."}),
        f"<x-story><noscript><div>{prose(3)}</div></noscript></x-story>{SHELL}",
    ],
    ids=lambda hidden: hidden[:60],
)
def test_visible_text_takes_precedence_over_any_script(hidden: str) -> None:
    found = article(f'<div class="article">{prose(1)}</div>{hidden}')
    assert (found.method, found.text) == ("lines", TEXT)


@pytest.mark.parametrize(
    "body", ["<p>--</p>", '<div id="root"></div>', '<script src="/app.js"></script><p>--</p>']
)
def test_a_page_that_is_merely_empty_does_not_need_rendering(body: str) -> None:
    with pytest.raises(NoTextError):
        article(body)


def test_the_explanation_of_a_hidden_article_keeps_no_line() -> None:
    hidden = page(f"<p>Loading.</p>{linked_data(articleBody=TEXT)}", head=HEAD)
    explained = explain_content(hidden)
    assert explained.article is not None
    assert explained.article.method == "articleBody"
    assert {line.verdict for line in explained.lines} == {"dropped"}
