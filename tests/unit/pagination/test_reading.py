import pytest

from detourage.html import parse_page
from detourage.pagination import Pagination, read_pagination

URL = "https://paper.example/news/story"


def read(body: str, url: str = URL, *, head: str = "") -> Pagination:
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
        ("Προηγούμενη", "Επόμενη"),
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
    found = read(
        f"<div><a href='?page=2'>{before}</a> <a href='?page=4'>{after}</a></div>", f"{URL}?page=3"
    )
    assert (found.previous, found.next) == (f"{URL}?page=2", f"{URL}?page=4")
    assert found.number == 3


@pytest.mark.parametrize(
    ("own", "second", "third"),
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
def test_numbers_link_to_the_parts_that_they_denote(own: str, second: str, third: str) -> None:
    host = "https://paper.example"
    pager = f"<b>1</b> <a href='{second}'>2</a> <a href='{third}'>3</a>"
    found = read(f"<p class='x'>{pager}</p>", host + own)
    assert found.number == 1
    assert (found.pages[2], found.pages[3]) == (host + second, host + third)
    assert (found.next, found.previous) == (host + second, None)
    links = f"<a href='{own}'>1</a> <span>2</span> <a href='{third}'>3</a>"
    on_second = read(f"<p>{links}</p>", host + second)
    assert (on_second.number, on_second.previous, on_second.next) == (2, host + own, host + third)


def test_the_current_part_may_be_marked_instead_of_omitted() -> None:
    found = read(
        "<ul class='pager'><li><a href='/a1'>1</a></li>"
        "<li class='active'><a href='/a2' aria-current='page'>2</a></li>"
        "<li><a href='/a3'>3</a></li></ul>",
        "https://paper.example/other-name",
    )
    assert (found.number, found.previous, found.next) == (
        2,
        "https://paper.example/a1",
        "https://paper.example/a3",
    )


def test_single_page_first_and_last_links_are_found() -> None:
    found = read(
        "<nav class='pagination'><a href='?page=1'>|&lt;</a> <a href='?page=4'>&lt;</a>"
        " <a href='?page=6'>&gt;</a> <a href='?page=9'>Last</a>"
        " <a href='?page=all'>View all</a></nav>",
        f"{URL}?page=5",
    )
    assert (found.first, found.last) == (f"{URL}?page=1", f"{URL}?page=9")
    assert found.whole == f"{URL}?page=all"


def test_class_names_describe_the_target_of_a_picture() -> None:
    found = read(
        "<a class='nav-previous' href='?page=1'><img src='a.gif'></a>"
        "<a class='nav-next' href='?page=3'><img src='b.gif'></a>",
        f"{URL}?page=2",
    )
    assert (found.previous, found.next) == (f"{URL}?page=1", f"{URL}?page=3")


@pytest.mark.parametrize(
    "body",
    [
        # These links lead to another article: by words, by an arrow, by a rel attribute, or in a
        # "pagination" element.
        "<a href='/news/another'>Next article</a>",
        "<div class='post-navigation'><a rel='next' href='/news/another'>Next</a></div>",
        "<div class='pagination'><a rel='next' href='/news/another'>Next</a></div>",
        "<a href='/news/another'>»</a>",
        "<a href='/news/story-2'>Weiter</a>",
        # These belong to a carousel, a calendar, a list of years, page sizes, another thread or
        # another site.
        "<div class='carousel'><a href='#' class='next'>›</a><a href='#2'>2</a></div>",
        "<table class='calendar'><tr>"
        + "".join(f"<td><a href='/2024/05/{day}'>{day}</a></td>" for day in range(1, 8))
        + "</tr></table>",
        "<p><a href='/2021'>2021</a> <a href='/2022'>2022</a> <a href='/2023'>2023</a></p>",
        "<p><a href='?limit=10'>10</a> <a href='?limit=25'>25</a> <a href='?limit=50'>50</a></p>",
        "<p>Old thread (<a href='/t/9/page-2'>2</a> <a href='/t/9/page-3'>3</a>)</p>",
        "<p><b>1</b> <a href='https://other.example/news/story?page=2'>2</a></p>",
        # These are the pagination of comments or of a list, and a link to all articles.
        "<div class='comment-pager'><a href='?cpage=2'>Next</a></div>",
        "<a href='?681beb97_page=9'>Next</a>",
        "<a href='/news/all'>View all</a>",
    ],
)
def test_links_to_something_else_are_not_parts(body: str) -> None:
    assert not read(body)


@pytest.mark.parametrize(
    "href",
    ["http://[", "//", "?page=" + "9" * 5_000, "?" + "a=1&" * 5_000, "/" * 10_000, "?page=\ud800"],
)
def test_odd_urls_are_accepted(href: str) -> None:
    found = read(f"<div class='pagination'><b>1</b> <a href='{href}'>2</a> <a>Next</a></div>")
    assert isinstance(found, Pagination)


def test_the_number_of_links_read_is_limited() -> None:
    links = "".join(f"<a href='?page={number}'>{number}</a> " for number in range(1, 30_000))
    found = read(f"<div class='pagination'>{links}</div>", f"{URL}?page=7")
    assert len(found.pages) == 1_000
    assert (found.number, found.next) == (7, f"{URL}?page=8")
