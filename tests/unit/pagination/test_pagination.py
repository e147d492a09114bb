"""Links to the parts of an article, and articles joined from their parts."""

from typing import Any

import pytest

from detourage.html import parse_page
from detourage.pagination import Pagination, read_pagination
from detourage.pagination.joining_parts import (
    Member,
    chain_of,
    is_contained_in,
    joined_values,
    urls_of,
)

URL = "https://paper.example/news/story"


def read_links(body: str, url: str = URL, *, head: str = "") -> Pagination:
    text = "<p>The council met on Tuesday evening to decide about the old bridge.</p>"
    html = f"<!doctype html><html><head>{head}</head><body>{text}{body}</body></html>"
    return read_pagination(parse_page(html, url))


@pytest.mark.parametrize(
    ("previous", "following"),
    [
        ("« Previous", "Next »"),
        ("Page précédente", "Page suivante"),
        ("Vorherige Seite", "Nächste Seite"),
        ("Zurück", "Weiter"),
        ("Anterior", "Siguiente"),
        ("Pagina precedente", "Pagina successiva"),
        ("Poprzednia strona", "Następna strona"),
        ("Предыдущая страница", "Следующая страница"),
        ("Προηγούμενες", "Επόμενες σελίδες"),
        ("الصفحة السابقة", "الصفحة التالية"),
        ("上一页", "下一页"),
        ("前のページ", "次のページ"),
        ("이전", "다음"),
        ("‹", "›"),
        ("<", ">"),
    ],
)
def test_words_and_arrows_link_to_the_adjacent_parts(previous: str, following: str) -> None:
    before = previous.replace("<", "&lt;")
    after = following.replace(">", "&gt;")
    found = read_links(
        f"<div><a href='?page=2'>{before}</a> <a href='?page=4'>{after}</a></div>", f"{URL}?page=3"
    )
    assert (found.previous, found.next) == (f"{URL}?page=2", f"{URL}?page=4")
    assert found.number == 3


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        ("/story", "/story?page=2", "/story?page=3"),
        ("/story", "/story/page/2/", "/story/page/3/"),
        ("/story/", "/story/2/", "/story/3/"),
        ("/story.html", "/story-2.html", "/story-3.html"),
        ("/story.html", "/story_2.html", "/story_3.html"),
        ("/story", "/story/p2", "/story/p3"),
        ("/story", "/story/seite-2", "/story/seite-3"),
        ("/story?start=0", "/story?start=20", "/story?start=40"),
        ("/index.php?id=7", "/index.php?id=7&seite=2", "/index.php?id=7&seite=3"),
    ],
)
def test_numbers_link_to_the_parts_that_they_denote(first: str, second: str, third: str) -> None:
    host = "https://paper.example"
    pager = f"<b>1</b> <a href='{second}'>2</a> <a href='{third}'>3</a>"
    found = read_links(f"<p class='x'>{pager}</p>", host + first)
    assert found.number == 1
    assert (found.pages[2], found.pages[3]) == (host + second, host + third)
    assert (found.next, found.previous) == (host + second, None)
    links = f"<a href='{first}'>1</a> <span>2</span> <a href='{third}'>3</a>"
    on_second = read_links(f"<p>{links}</p>", host + second)
    assert (on_second.number, on_second.previous, on_second.next) == (2, host + first, host + third)


PAGER_WITH_ENDS = (
    "<nav class='pagination'><a href='?page=1'>|&lt;</a> <a href='?page=4'>&lt;</a>"
    " <a href='?page=6'>&gt;</a> <a href='?page=9'>Last</a>"
    " <a href='?page=all'>View all</a></nav>"
)
PICTURE_PAGER = (
    "<a class='nav-previous' href='?page=1'><img src='a.gif'></a>"
    "<a class='nav-next' href='?page=3'><img src='b.gif'></a>"
)
ARTICLE_URL = "https://paper.example/a"


@pytest.mark.parametrize(
    ("body", "url", "links"),
    [
        (
            PAGER_WITH_ENDS,
            f"{ARTICLE_URL}?page=5",
            {"first": f"{ARTICLE_URL}?page=1", "last": f"{ARTICLE_URL}?page=9"},
        ),
        (PAGER_WITH_ENDS, f"{ARTICLE_URL}?page=5", {"whole": f"{ARTICLE_URL}?page=all"}),
        (
            PICTURE_PAGER,
            f"{ARTICLE_URL}?page=2",
            {"previous": f"{ARTICLE_URL}?page=1", "next": f"{ARTICLE_URL}?page=3"},
        ),
    ],
    ids=["first and last", "single page", "classes of pictures"],
)
def test_links_are_recognised_by_their_markup(
    body: str, url: str, links: dict[str, object]
) -> None:
    found = read_links(body, url)
    assert {name: getattr(found, name) for name in links} == links


@pytest.mark.parametrize(
    "body",
    [
        # These lead to another article: by words, an arrow, rel, or in a "pagination" element.
        "<a href='/news/another'>Next article</a>",
        "<div class='post-navigation'><a rel='next' href='/news/another'>Next</a></div>",
        "<div class='pagination'><a rel='next' href='/news/another'>Next</a></div>",
        "<a href='/news/another'>»</a>",
        "<a href='/news/story-2'>Weiter</a>",
        # These belong to a carousel, calendar, list of years, page sizes, another thread or site.
        "<div class='carousel'><a href='#' class='next'>›</a><a href='#2'>2</a></div>",
        "<table class='calendar'><tr>"
        + "".join(f"<td><a href='/2024/05/{day}'>{day}</a></td>" for day in range(1, 8))
        + "</tr></table>",
        "<p><a href='/2021'>2021</a> <a href='/2022'>2022</a> <a href='/2023'>2023</a></p>",
        "<p><a href='?limit=10'>10</a> <a href='?limit=25'>25</a> <a href='?limit=50'>50</a></p>",
        "<p>Old thread (<a href='/t/9/page-2'>2</a> <a href='/t/9/page-3'>3</a>)</p>",
        "<p><b>1</b> <a href='https://other.example/news/story?page=2'>2</a></p>",
        # These are links to pages of comments, to pages of a list, and to all articles.
        "<div class='comment-pager'><a href='?cpage=2'>Next</a></div>",
        "<a href='?681beb97_page=9'>Next</a>",
        "<a href='/news/all'>View all</a>",
    ],
)
def test_other_links_are_not_links_to_parts(body: str) -> None:
    assert not read_links(body)


@pytest.mark.parametrize(
    "href",
    ["http://[", "//", "?page=" + "9" * 5_000, "?" + "a=1&" * 5_000, "/" * 10_000, "?page=\ud800"],
)
def test_odd_urls_are_accepted(href: str) -> None:
    found = read_links(f"<div class='pagination'><b>1</b> <a href='{href}'>2</a> <a>Next</a></div>")
    assert isinstance(found, Pagination)


def test_the_number_of_links_read_is_limited() -> None:
    links = "".join(f"<a href='?page={number}'>{number}</a> " for number in range(1, 30_000))
    found = read_links(f"<div class='pagination'>{links}</div>", f"{URL}?page=7")
    assert len(found.pages) == 1_000
    assert (found.number, found.next) == (7, f"{URL}?page=8")


STORY = "https://paper.example/story"


def address(number: int) -> str:
    return STORY if number == 1 else f"{STORY}?page={number}"


def message(*texts: str, title: str = "The bridge", **values_to_replace: Any) -> dict[str, Any]:
    blocks, text = [], ""
    for each in texts:
        start = len(text) + 2 if text else 0
        text = f"{text}\n\n{each}" if text else each
        blocks.append({"type": "paragraph", "text": each, "start": start, "end": len(text)})
    empty: dict[str, Any] = {"lead": None, "images": [], "embeds": [], "comments": []}
    values = {"title": title, "text": text, "blocks": blocks, "confidence": 0.9}
    return {**empty, **values, "metadata": {"kind": "article"}, **values_to_replace}


def article_part(number: int, *texts: str, of: int = 3, **values_to_replace: Any) -> Member:
    links = Pagination(
        number=number,
        pages={each: address(each) for each in range(1, of + 1) if each != number},
        next=address(number + 1) if number < of else None,
        previous=address(number - 1) if number > 1 else None,
    )
    part_texts = texts or (f"Part {number} begins.", f"Part {number} ends.")
    return Member(number, address(number), links, lambda: message(*part_texts, **values_to_replace))


def test_only_the_first_part_keeps_its_locations() -> None:
    chain = [article_part(number, images=[], comments=[]) for number in (1, 2)]
    for each in chain:
        comment = {"author": "Ann", "date": None, "text": each.url, "parent": None}
        for block in each.message["blocks"]:
            block |= {"xpath": "p", "texts": [[0, 3, 9, 3]]}
        each.message["images"].append({"url": each.url, "block": 0, "location": {"xpath": "img"}})
        each.message["comments"].append({**comment, "location": {"xpath": "/html/body/p"}})
    joined = joined_values(chain)
    assert ["texts" in each for each in joined["blocks"]] == [True, True, False, False]
    assert ["xpath" in each for each in joined["blocks"]] == [True, True, False, False]
    assert ["location" in each for each in joined["images"]] == [True, False]
    assert ["location" in each for each in joined["comments"]] == [True, False]


def test_repetitions_in_later_parts_are_omitted_and_offsets_are_correct() -> None:
    chain = [
        article_part(1, "A lead that all parts show.", "One.", "Two."),
        article_part(2, "The bridge", "A lead that all parts show.", "Three.", "Two.", "Four."),
        article_part(3, "A lead that all parts show.", "Five.", "Two."),
    ]
    joined = joined_values(chain)
    assert joined["text"].split("\n\n") == [
        "A lead that all parts show.",
        *("One.", "Two.", "Three.", "Two.", "Four.", "Five."),
    ]
    for block in joined["blocks"]:
        assert joined["text"][block["start"] : block["end"]] == block["text"]


def test_links_and_pictures_keep_their_positions() -> None:
    images = [{"url": f"https://paper.example/{n}.jpg", "block": n} for n in (0, 2)]
    second = article_part(
        2, "A lead that all parts show.", "See the bridge.", "Three.", images=images
    )
    start = second.message["text"].index("bridge")
    link = {"start": start, "end": start + len("bridge"), "url": "https://paper.example/b"}
    second.message["blocks"][1]["links"] = [link]
    joined = joined_values([article_part(1, "A lead that all parts show.", "One."), second])
    [found] = [link for block in joined["blocks"] for link in block.get("links", ())]
    assert joined["text"][found["start"] : found["end"]] == "bridge"
    texts_below = [joined["blocks"][image["block"]]["text"] for image in joined["images"]]
    assert texts_below == ["See the bridge.", "Three."]


def test_pictures_are_listed_once_and_replies_keep_their_parents() -> None:
    def comment(text: str, parent: int | None = None) -> dict[str, Any]:
        return {"author": "Ann", "date": None, "text": text, "parent": parent}

    picture = {"url": "https://paper.example/a.jpg", "alt": None, "caption": None}
    chain = [
        article_part(1, images=[picture], comments=[comment("First"), comment("Answer", 0)]),
        article_part(
            2, images=[picture], comments=[comment("Second"), comment("Another answer", 0)]
        ),
        article_part(3, comments=[comment("First"), comment("Answer", 0), comment("Third", 1)]),
    ]
    joined = joined_values(chain)
    assert joined["images"] == [picture]
    assert [(each["text"], each["parent"]) for each in joined["comments"]] == [
        *(("First", None), ("Answer", 0), ("Second", None), ("Another answer", 2), ("Third", 1))
    ]


def test_parts_are_joined_until_one_is_missing() -> None:
    parts = [article_part(number, of=4) for number in (1, 2, 4)]
    chain = chain_of(parts[0], parts[::-1])
    assert [each.url for each in chain] == [address(1), address(2)]
    assert urls_of(chain) == {number: address(number) for number in (1, 2, 3, 4)}


def test_a_part_of_another_article_is_not_joined() -> None:
    first, second = article_part(1), article_part(2)
    elsewhere = Pagination(number=2, previous="https://paper.example/other")
    stranger = Member(2, second.url, elsewhere, second.read)
    assert chain_of(first, [stranger]) == [first]
    silent = Member(2, second.url, Pagination(next=address(3)), second.read)
    assert chain_of(first, [silent]) == [first, silent]
    other_title = Member(2, second.url, silent.links, lambda: message("Three.", title="Another"))
    assert chain_of(first, [other_title]) == [first]


def test_a_page_cannot_join_an_article_that_does_not_link_to_it() -> None:
    victim = Member(1, STORY, Pagination(next=address(2)), lambda: message("One.", "Two."))
    claim = Pagination(number=2, pages={1: STORY}, previous=STORY)
    attacker = Member(
        9, "https://paper.example/evil", claim, lambda: message("Pills.", title="The bridge")
    )
    assert chain_of(victim, [victim, attacker]) == [victim]


def test_the_number_of_joined_parts_is_limited() -> None:
    parts = [article_part(number, of=400) for number in range(1, 401)]
    chain = chain_of(parts[0], parts)
    assert len(chain) == 50
    assert len(urls_of(chain)) <= 100


def test_a_single_page_version_must_contain_the_part() -> None:
    first = article_part(1)
    assert is_contained_in(first, message("Part 1 begins.", "Part 1 ends.", "Part 2 begins."))
    assert not is_contained_in(first, message("Something else.", "And more of it, at some length."))
    assert not is_contained_in(first, first.message)
