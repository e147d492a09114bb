import json

import pytest

from detourage.article import Article
from detourage.reader import extract_article
from detourage.roles import CHOOSABLE_ROLES, TEXT_ROLES
from tests.unit.reader.article_pages import amid, page, paragraphs, prose, sentence

A, B, C = sentence(1), sentence(2), sentence(3)
NOISE = (
    "<script>var a = 1;</script><style>p {}</style><noscript>No scripts here.</noscript>"
    "<button>Subscribe</button><select><option>One</option></select>"
    "<textarea>Type</textarea><template><p>Later</p></template>"
)


def extract(body: str) -> Article:
    return extract_article(page(f"<div>{body}</div>"), None)


def test_offsets_point_to_every_block() -> None:
    article = extract(
        f"{prose(1)}<h2>Middle</h2><ul><li>{A}</li><li>{B}</li></ul>"
        f"<blockquote>{C}</blockquote><pre>a = 1\n\nb = 2</pre>{prose(2)}"
    )
    assert len(article.blocks) == 17
    for block in article.blocks:
        assert block.text == article.text[block.start : block.end]
    assert article.text == "\n\n".join(block.text for block in article.blocks)
    assert article.text.split("\n\n") == [block.text for block in article.blocks]


@pytest.mark.parametrize(
    ("markup", "block"),
    [
        ("<h2>A heading of some length</h2>", ("heading", "A heading of some length")),
        (f"<p>{A}</p>", ("paragraph", A)),
        (f"<ul><li>{A}</li></ul>", ("list_item", A)),
        (f"<ol><li><p>{A}</p></li></ol>", ("list_item", A)),
        (f"<blockquote><p>{A}</p></blockquote>", ("quote", A)),
        (f"<figure><img src='/a.jpg'><figcaption>{A}</figcaption></figure>", ("caption", A)),
        (f'<p class="wp-caption-text">{A}</p>', ("caption", A)),
        (f"<pre>{A}\n  indented</pre>", ("code", f"{A}\n  indented")),
        (
            "<table><tr><th>Town</th><th>Votes cast by noon</th></tr>"
            "<tr><td>Ellersby</td><td>1,204</td></tr></table>",
            ("table", "Town\tVotes cast by noon\nEllersby\t1,204"),
        ),
    ],
)
def test_block_types_follow_the_markup(markup: str, block: tuple[str, str]) -> None:
    found = amid(markup, text_roles=CHOOSABLE_ROLES).blocks
    assert block in [(each.type, each.text) for each in found]


def test_each_block_has_one_of_the_chosen_roles() -> None:
    story = page(
        "<nav><a href='/'>Home</a> <a href='/news'>News</a></nav><article><h1>The bridge reopens"
        f"</h1><p class='byline'>By <a rel='author' href='/jane'>Jane Doe</a></p>{prose(1)}"
        f"<h2>What it cost</h2>{prose(2)}</article>",
        "<title>The bridge reopens | Post</title><meta name='author' content='Jane Doe'>",
    )
    article = extract_article(story, None, (), TEXT_ROLES)
    assert article == extract_article(story, None)
    assert {block.role for block in article.blocks} <= set(TEXT_ROLES)
    assert "Jane Doe" not in article.text


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        (f"{A}<br>{B} <br> <br/>{C}", [f"{A}\n{B}", C]),
        (f"{A}<p>{B}</p>{C}", [A, B, C]),
        (f"<p>{A} im<b>port</b>ant <a href='/x'>one</a>, here.</p>", [f"{A} important one, here."]),
        (f"<p>{A} be<!-- here -->fore.</p>", [f"{A} before."]),
        (f"<p>{A}</p><p>* * *</p><p>—</p><p>{B}</p>", [A, B]),
        (
            "<p>Soft\u00adly \u200b spoken\n\t words,\u00a0and &#8203;long ones\ufeff.</p>",
            ["Softly spoken words, and long ones."],
        ),
        (f"<p>{A}</p>{NOISE}<p>{B}</p>", [A, B]),
        (
            f"<table><tr><td>{prose(1)}</td><td>Two</td></tr><tr><td>{prose(2)}</td></tr></table>",
            [*paragraphs(1), "Two", *paragraphs(2)],
        ),
    ],
    ids=[
        *("line breaks", "text beside blocks", "inline elements", "markup comments", "ornaments"),
        *("white space", "scripts and forms", "layout table"),
    ],
)
def test_blocks_and_two_line_breaks_separate_paragraphs(body: str, texts: list[str]) -> None:
    blocks = extract(body).blocks
    assert [(block.type, block.text) for block in blocks] == [("paragraph", text) for text in texts]


def test_characters_rejected_by_json_or_the_database_are_removed() -> None:
    body = f"<p>{A} bell\x07 escape\x1b null&#0; next&#x85; vertical\x0b end\uffff.</p>"
    text = extract(body).text
    assert not any(ord(character) < 32 or character in "\x7f\uffff" for character in text)
    assert json.loads(json.dumps(text)) == text
