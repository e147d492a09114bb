import pytest

from detourage.article import Article
from detourage.reader import extract_article
from detourage.roles import CHOOSABLE_ROLES
from tests.unit.reader.article_pages import amid, page, prose, sentence

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
    assert links(amid(markup)) == found


def test_a_page_with_many_links_and_images_keeps_them_all() -> None:
    sections = [
        f"<h2>Section {n}</h2><p><img src='/{n}.jpg'>{sentence(n)} "
        + " ".join(f"<a href='/{n}-{k}'>Source {n}-{k}</a> {sentence(n + k)}" for k in range(7))
        + "</p>"
        for n in range(10)
    ]
    article = amid("".join(sections))
    assert len(links(article)) == 70
    shown_before = [article.blocks[image.block or 0].text for image in article.images]
    assert all(text.startswith(sentence(n)) for n, text in enumerate(shown_before))
    assert len(shown_before) == 10


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
    article = amid(f"<p>{markup}</p>")
    marked = [each for block in article.blocks for each in block.emphasis]
    assert [(article.text[each.start : each.end], each.kind) for each in marked] == found


def test_lists_keep_their_nesting_and_their_numbers() -> None:
    article = amid(
        f"<ol start='3'><li>{A}<ul><li>{B}</li></ul></li>"
        f"<li><p>{C}</p><p>{sentence(4)}</p></li><li value='9'>{sentence(5)}</li></ol>"
    )
    items = [(each.level, each.marker) for each in article.blocks if each.type == "list_item"]
    assert items == [(1, "3."), (2, "-"), (1, "4."), (1, None), (1, "9.")]


@pytest.mark.parametrize("number", ["", "x", "-3", "9" * 5000, "\u0663"])
def test_a_list_without_a_declared_start_begins_at_one(number: str) -> None:
    article = amid(f"<ol start='{number}'><li>{A}</li></ol>")
    assert [each.marker for each in article.blocks if each.text == A] == ["1."]


def test_tables_keep_their_cells_and_the_links_in_them() -> None:
    rows = [(f"Town of Ellersby {n}", f"{n},204 votes") for n in range(1, 6)]
    cells = "".join(f"<tr><td>{town}</td><td>{votes}</td></tr>" for town, votes in rows)
    cells += "<tr><td>All towns</td><td><a href='/e'>6,020</a> votes</td></tr>"
    article = amid(f"<table>{cells}</table>", text_roles=CHOOSABLE_ROLES)
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
    article = amid(markup)
    assert [each.language for each in article.blocks if each.type == "code"] == [language]


def test_images_and_embeds_are_placed_before_the_next_block() -> None:
    article = amid(
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
    shown = page(f"<div>{body}</div>", "<title>Bridge to close</title>", f"{SITE}/story")
    article = extract_article(shown, None)
    assert article.blocks[0].text == A
    assert [image.block for image in article.images] == [0]
