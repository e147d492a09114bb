import pytest

from detourage.html import Page
from detourage.reader import MenuPageError, extract_article
from tests.unit.reader.article_pages import page, prose, sentence

LAST_PARAGRAPH = f"<p>{sentence(90, 30)}</p>"


def headline(seed: int) -> str:
    return f'<a href="/story/{seed}.html">{sentence(seed, 9)}</a>'


def teasers(count: int, words: int = 25) -> str:
    items = range(count)
    return "".join(
        f"<li><h3>{headline(n)}</h3><p>{sentence(100 + n, words)}</p></li>" for n in items
    )


def is_menu(read_page: Page) -> bool:
    try:
        extract_article(read_page, None)
    except MenuPageError:
        return True
    return False


MENUS = [
    f"<h1>Sport</h1><ul>{teasers(9)}</ul>{LAST_PARAGRAPH}",
    "".join(
        f"<tr><td><img src='/{n}.jpg'></td><td>{headline(n)}<br>{sentence(50 + n)}"
        f'<br><a href="/story/{n}.html">Read more</a></td></tr>'
        for n in range(12)
    ).join(["<table>", f"</table>{LAST_PARAGRAPH}"]),
    "".join(
        f'<article><a href="/{n}.html"><h2>{sentence(n, 8)}</h2></a>'
        f"<p>{sentence(70 + n, 40)}</p></article>"
        for n in range(10)
    ),
    "".join(f"<li>{headline(n)}</li>" for n in range(60)).join(
        ["<h1>Archive</h1><ul>", f"</ul><p>{sentence(3, 15)}</p>"]
    ),
    "".join(
        f'<li><a href="/{n}">市政府宣布第{n}座大桥将于明年春天重新开放</a></li>' for n in range(40)
    ).join(["<ul>", "</ul><p>版权所有</p>"]),
]
ARTICLES = [
    f"<div>{prose(1)}</div><ul>{teasers(9)}</ul>{LAST_PARAGRAPH}",
    f"<h1>{sentence(5, 8)}</h1><p>{sentence(1, 30)} {sentence(2, 30)}</p>"
    f"<ul>{teasers(6, 20)}</ul>{LAST_PARAGRAPH}",
    f"<ul>{teasers(9)}<li><h3>{headline(9)}</h3>{prose(1)}</li></ul>",
    "".join(
        f"<p>{sentence(n)} {headline(n)} {sentence(n + 50)} {headline(n + 50)}</p>"
        for n in range(12)
    ).join(["<div>", "</div>"]),
    f'<div><a href="/print.html">{prose(1)}</a></div>{LAST_PARAGRAPH}',
    f"<ul>{teasers(4)}</ul><p>{sentence(8)}</p>",
]


@pytest.mark.parametrize(
    ("body", "expected"),
    [*((body, True) for body in MENUS), *((body, False) for body in ARTICLES)],
    ids=[
        *("list", "table", "articles", "headlines alone", "Chinese headlines alone"),
        *("next to a list", "short news next to a list", "in the markup of the list"),
        *("full of links", "within a single link", "few headlines"),
    ],
)
def test_headlines_are_a_menu_and_articles_are_not(body: str, expected: bool) -> None:
    assert is_menu(page(body)) is expected


def test_a_menu_has_its_own_outcome_and_a_probability() -> None:
    with pytest.raises(MenuPageError) as caught:
        extract_article(page(f"<ul>{teasers(9)}</ul>"), None)
    assert caught.value.outcome == "menu"
    assert caught.value.probability >= 0.5


def test_a_list_of_links_to_other_sites_is_an_article_of_kind_listing() -> None:
    outbound = "".join(
        f'<li><h3><a href="https://site{n}.example/{n}">{sentence(n, 9)}</a></h3>'
        f"<p>{sentence(100 + n, 25)}</p></li>"
        for n in range(9)
    )
    article = extract_article(page(f"<h1>What we read</h1><ul>{outbound}</ul>"), None)
    assert all(sentence(100 + n, 25) in article.text for n in range(9))
    assert article.metadata.kind == "listing"
    assert article.confidence <= 0.5


def test_a_dated_report_is_not_a_menu() -> None:
    head = (
        '<meta property="og:type" content="article">'
        '<meta property="article:published_time" content="2024-05-03T10:00:00Z">'
    )
    assert is_menu(page(f"<h1>The week</h1><ul>{teasers(9)}</ul>"))
    assert not is_menu(page(f"<h1>The week</h1><ul>{teasers(9)}</ul>", head))
