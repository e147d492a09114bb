import json

import pytest

from detourage.article import Article
from detourage.reader import extract_article
from detourage.roles import CHOOSABLE_ROLES, TEXT_ROLES
from tests.unit.reader.article_pages import article_around, page, paragraphs, prose, sentence

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
    found = article_around(markup, text_roles=CHOOSABLE_ROLES).blocks
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
        *("line breaks", "text next to blocks", "inline elements", "markup comments", "ornaments"),
        *("whitespace", "scripts and forms", "layout table"),
    ],
)
def test_blocks_and_two_line_breaks_separate_paragraphs(body: str, texts: list[str]) -> None:
    blocks = extract(body).blocks
    assert [(block.type, block.text) for block in blocks] == [("paragraph", text) for text in texts]


TEX = '<annotation encoding="application/x-tex">x = {1 \\over 2}</annotation>'


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (
            "<p>%s <b>This is bold</b><span> </span><i>and this</i> not.</p>",
            "%s This is bold and this not.",
        ),
        ("<p>%s An apple <img src=/apple.png>!</p>", "%s An apple !"),
        (
            "<p>%s Its height is <math><mi>h</mi><mo>=</mo><mn>2</mn></math>.</p>",
            "%s Its height is h=2.",
        ),
        (
            f"<p>%s</p><div><math><semantics><mi>x</mi>{TEX}</semantics></math></div>",
            "%s\n\nx = {1 \\over 2}",
        ),
        (
            f"<p>%s It is <span><span><math><semantics><mi>x</mi>{TEX}</semantics></math></span>"
            "<span aria-hidden=true>x=½</span></span> here.</p>",
            "%s It is x=½ here.",
        ),
    ],
    ids=[
        "space in an element",
        "mark after a picture",
        "formula",
        "formula in TeX",
        "shown formula",
    ],
)
def test_spaces_marks_and_formulas_within_the_text_are_kept(markup: str, text: str) -> None:
    assert text % A in extract(prose(1) + markup % A + prose(2)).text


def test_code_keeps_the_spaces_between_coloured_words() -> None:
    code = "<pre><i>def</i><i> </i><b>f</b>(n):<br><i>  </i>return<i> </i>n</pre>"
    assert "def f(n):\n  return n" in extract(prose(1) + code + prose(2)).text


def test_characters_rejected_by_json_or_the_database_are_removed() -> None:
    body = f"<p>{A} bell\x07 escape\x1b null&#0; next&#x85; vertical\x0b end\uffff.</p>"
    text = extract(body).text
    assert not any(ord(character) < 32 or character in "\x7f\uffff" for character in text)
    assert json.loads(json.dumps(text)) == text


SITE = "https://news.example"
A, B, C = sentence(1), sentence(2), sentence(3)


def links(article: Article) -> list[tuple[str, str]]:
    return [
        (article.text[link.start : link.end], link.url)
        for each in article.blocks
        for link in each.links
    ]


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        (
            f'<p>{A} <a href="/b"> The <b>old</b>\n bridge </a>.</p>',
            [("The old bridge", f"{SITE}/b")],
        ),
        (
            f'<p><a href="/b">One</a><a href="/c">two</a> {A}</p>',
            [("One", f"{SITE}/b"), ("two", f"{SITE}/c")],
        ),
        (f'<p>{A}<br><a href="/b">{B}</a></p>', [(B, f"{SITE}/b")]),
        (f'<p>{A} <a href="/b">so\u00adft\u200bly</a></p>', [("softly", f"{SITE}/b")]),
        (f'<p>{A} <a href="/b"> </a><a name="x">none</a> <a href="javascript:x()">no</a></p>', []),
    ],
)
def test_links_have_text_and_target(markup: str, found: list[tuple[str, str]]) -> None:
    assert links(article_around(markup)) == found


def test_a_page_with_many_links_and_images_keeps_them_all() -> None:
    sections = [
        f"<h2>Section {n}</h2><p><img src='/{n}.jpg'>{sentence(n)} "
        + " ".join(f"<a href='/{n}-{k}'>Source {n}-{k}</a> {sentence(n + k)}" for k in range(7))
        + "</p>"
        for n in range(10)
    ]
    article = article_around("".join(sections))
    assert len(links(article)) == 70
    next_blocks = [article.blocks[image.block or 0].text for image in article.images]
    assert all(text.startswith(sentence(n)) for n, text in enumerate(next_blocks))
    assert len(next_blocks) == 10


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        (f"<strong>Bold</strong> <i>slanted</i> {A}", [("Bold", "bold"), ("slanted", "italic")]),
        (f"{A} <b>all <em>of it</em></b>", [("all of it", "bold"), ("of it", "italic")]),
        (f"{A} <b><b>twice</b></b> once", [("twice", "bold")]),
        (f"{A} <b></b><i> </i>", []),
    ],
)
def test_emphasis_is_preserved(markup: str, found: list[tuple[str, str]]) -> None:
    article = article_around(f"<p>{markup}</p>")
    marked = [each for block in article.blocks for each in block.emphasis]
    assert [(article.text[each.start : each.end], each.kind) for each in marked] == found


def test_lists_keep_their_nesting_and_their_numbers() -> None:
    article = article_around(
        f"<ol start='3'><li>{A}<ul><li>{B}</li></ul></li>"
        f"<li><p>{C}</p><p>{sentence(4)}</p></li><li value='9'>{sentence(5)}</li></ol>"
    )
    items = [(each.level, each.marker) for each in article.blocks if each.type == "list_item"]
    assert items == [(1, "3."), (2, "-"), (1, "4."), (1, None), (1, "9.")]


@pytest.mark.parametrize("number", ["", "x", "-3", "9" * 5000, "\u0663"])
def test_a_list_without_a_declared_start_begins_at_one(number: str) -> None:
    article = article_around(f"<ol start='{number}'><li>{A}</li></ol>")
    assert [each.marker for each in article.blocks if each.text == A] == ["1."]


def test_tables_keep_their_cells_and_the_links_in_them() -> None:
    rows = [(f"Town of Ellersby {n}", f"{n},204 votes") for n in range(1, 6)]
    cells = "".join(f"<tr><td>{town}</td><td>{votes}</td></tr>" for town, votes in rows)
    cells += "<tr><td>All towns</td><td><a href='/e'>6,020</a> votes</td></tr>"
    caption = "<caption>Votes in the towns</caption>"
    article = article_around(f"<table>{caption}{cells}</table>", text_roles=CHOOSABLE_ROLES)
    [table] = [each for each in article.blocks if each.type == "table"]
    assert table.rows == (*rows, ("All towns", "6,020 votes"))
    assert links(article) == [("6,020", f"{SITE}/e")]


@pytest.mark.parametrize(
    ("markup", "language"),
    [
        ('<pre><code class="language-python">x = 1</code></pre>', "python"),
        ('<pre class="brush: js">x = 1</pre>', "js"),
        ('<div class="highlight highlight-source-c++"><pre>x = 1</pre></div>', "c++"),
        ('<pre data-lang="Rust">x = 1</pre>', "rust"),
        ("<pre>x = 1</pre>", None),
        ('<pre class="languages wide">x = 1</pre>', None),
    ],
)
def test_code_keeps_its_language(markup: str, language: str | None) -> None:
    article = article_around(markup)
    assert [each.language for each in article.blocks if each.type == "code"] == [language]


def test_images_and_embeds_are_placed_before_the_next_block() -> None:
    article = article_around(
        f'<p>{A}</p><img src="/a.jpg"><p>{B}</p><iframe src="https://v.example/1"></iframe>'
        f'<p>\u2014<img src="/b.jpg"></p><p>{C}</p><p>{sentence(4)}<img src="/c.jpg"></p>'
    )
    texts = [each.text for each in article.blocks]
    after = [texts[image.block or 0] for image in article.images[:2]]
    assert after == [B, C]
    assert texts[(article.images[2].block or 0) - 1] == sentence(4)
    assert texts[article.embeds[0].block or 0] == C


def test_positions_do_not_count_a_repeated_headline() -> None:
    body = f"<p>Bridge to close</p><img src='/a.jpg'><p>{A}</p>{prose(1)}"
    story = page(f"<div>{body}</div>", "<title>Bridge to close</title>", f"{SITE}/story")
    article = extract_article(story, None)
    assert article.blocks[0].text == A
    assert [image.block for image in article.images] == [0]
