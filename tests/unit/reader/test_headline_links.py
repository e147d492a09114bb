import re
from collections.abc import Iterable

import pytest

from detourage.html import Page, parse_page
from detourage.html.addresses import absolute
from detourage.messages import PageMessage
from detourage.reader import headline_links
from detourage.sample import generate
from tests.unit.reader.article_pages import page, sentence

SITE = "https://news.example"


def found(shown: Page) -> list[tuple[str, str]]:
    return [(each.url, each.headline) for each in headline_links(shown)]


def link(number: int, words: int = 9) -> str:
    return f'<a href="/story/{number}.html">{sentence(number, words)}</a>'


def stories(*numbers: int, words: int = 9) -> list[tuple[str, str]]:
    return [(f"{SITE}/story/{n}.html", sentence(n, words)) for n in numbers]


MENU = "".join(f'<li><a href="/{name}/">{name}</a></li>' for name in ("Home", "Sport", "Money"))


ENTRIES = "".join(f"<li>{link(n)}</li>" for n in range(10, 20))
ITEMS = "".join(f"<li>{link(n)}</li>" for n in range(4))


@pytest.mark.parametrize(
    ("body", "numbers"),
    [
        (
            "".join(
                f"<li><h3>{link(n)}</h3><p>{sentence(50 + n, 20)}</p></li>" for n in (3, 1, 2)
            ).join([f"<ul>{MENU}</ul><ul>", f"</ul><footer>{link(9)}</footer>"]),
            (3, 1, 2),
        ),
        (f"<nav><ul>{ENTRIES}</ul></nav><ul>{ITEMS}</ul>", range(4)),
        (f'<div class="main-menu"><ul>{ENTRIES}</ul></div><ul>{ITEMS}</ul>', range(4)),
        (
            f'<h1><a href="/">{sentence(1)}</a></h1><h2><a href="#top">{sentence(2)}</a></h2>'
            f"<h2>{link(3)}</h2>",
            (3,),
        ),
        ("".join(f"<p>{link(n)}, 27 February 2026 by Ann Miller</p>" for n in range(5)), range(5)),
        (
            "".join(
                f"<li>{sentence(n, 30)} <br><a href='/{n}'>Read the whole story here</a></li>"
                for n in range(12)
            ).join(["<ul>", "</ul>"]),
            (),
        ),
    ],
    ids=[
        *("page order without menus", "menu by its element", "menu by its class"),
        *("links to the page and home", "author and date behind", "repeated link texts"),
    ],
)
def test_headlines_are_links_to_other_pages_outside_of_menus(
    body: str, numbers: Iterable[int]
) -> None:
    assert found(page(body)) == stories(*numbers)


def test_a_card_is_listed_with_its_headline_whatever_other_links_it_has() -> None:
    cards = "".join(
        f'<div><a href="/story/{n}.html#photo">Picture</a><h2>{link(n)}</h2>'
        f'<p><a href="/story/{n}.html">{sentence(70 + n, 30)}</a></p>'
        f'<a href="/story/{n}.html">Read more about this</a></div>'
        for n in range(5)
    )
    assert found(page(cards)) == stories(*range(5))


def test_a_list_of_names_is_found_if_there_are_no_headlines() -> None:
    names = ["Emma", "Ulysses", "Beloved", "Dracula", "Persuasion", "Middlemarch", "Walden"]
    items = "".join(
        f'<tr><td><a href="/book/{name}">{name}</a></td><td>rated {n} by many readers</td></tr>'
        for n, name in enumerate(names)
    )
    assert found(page(f"<ul>{MENU}</ul><table>{items}</table>")) == [
        (f"{SITE}/book/{name}", name) for name in names
    ]


def test_headlines_without_spaces_between_words_are_found() -> None:
    titles = [f"市政府宣布第{n}座大桥将于明年春天重新开放" for n in range(6)]
    items = "".join(f'<li><a href="/{n}">{title}</a></li>' for n, title in enumerate(titles))
    assert [headline for _, headline in found(page(f"<ul>{items}</ul>"))] == titles


def test_advertisements_and_links_to_anything_but_pages_are_omitted() -> None:
    others = (
        f'<h2><a rel="nofollow sponsored" href="https://shop.example/">{sentence(1)}</a></h2>'
        f'<h2><a href="javascript:open(1)">{sentence(2)}</a></h2>'
        f'<h2><a href="mailto:a@b.example">{sentence(3)}</a></h2>'
        f'<h2><a href="//[broken/">{sentence(4)}</a></h2>'
        f'<h2><a href="/{"a" * 10_000}">{sentence(5)}</a></h2>'
    )
    assert found(page(f"{others}<h2>{link(6)}</h2>")) == stories(6)


def test_a_page_with_very_many_headlines_gives_only_the_first() -> None:
    links = "".join(f'<p><a href="/{n}">one two three four five {n}</a></p>' for n in range(5_000))
    assert len(found(page(links))) == 1_000


@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_section_fronts_of_the_sample_give_every_story_on_them(noise: float) -> None:
    crawl = [*generate(noise=noise)]
    titles = {each.gold["url"]: each.gold["title"] for each in crawl if each.gold["title"]}
    shown = 0
    for each in crawl:
        if each.gold["kind"] != "menu":
            continue
        front = PageMessage.model_validate(each.message)
        parsed = parse_page(front.content, front.url, content_type=front.content_type)
        links = dict(found(parsed))
        hrefs = parsed.document.xpath("//a[not(ancestor::*[contains(@class, 'menu')])]/@href")
        for url in titles.keys() & {absolute(href, front.url) for href in hrefs}:
            shown += 1
            assert links.get(url) == " ".join(titles[url].split())
        is_story = [re.search(r"\d{4}", url) is not None for url in links]
        assert all(is_story), "an entry of a menu"
    assert shown > 20
