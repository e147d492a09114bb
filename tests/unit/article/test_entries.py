import pytest

from models.messages import ArticleMessage
from tests.unit.article.discussion_pages import NEGATIVES, article_page, article_posts
from tests.unit.article.live_pages import CLOCKS, SAID, TITLES, URL, blocks, declared, live_page
from worker.article.article_values import article_values
from worker.article.entry import compared
from worker.article.reader import Content, Entry, explain_content, read_content
from worker.html import Page


def entries(page: Page) -> tuple[Entry, ...]:
    return read_content(page).entries


def told(content: Content) -> list[dict[str, object]]:
    values = {"url": URL, "site": "news.example", **article_values(content)}
    message = ArticleMessage.model_construct(**values)
    found = message.model_dump(mode="json", include={"entries"})["entries"]
    assert isinstance(found, list)
    return found


def test_displayed_entries_have_time_title_and_text_and_stay_in_the_article() -> None:
    content = read_content(live_page(blocks()))
    found = content.entries
    assert all(text in content.article.text for text in SAID)
    assert [entry.title for entry in found] == list(TITLES)
    assert [entry.text for entry in found] == list(SAID)
    assert [entry.written_time for entry in found] == list(CLOCKS)
    # The page was both published and modified on this day, so the entry must be from this day, too.
    assert str(found[0].time) == "2024-05-03T11:42:00"
    assert [entry.id for entry in found] == ["e4711", "e4710", "e4709", "e4708", "e4707"]


def test_entries_may_be_headings_followed_by_content() -> None:
    flow = "".join(
        f"<h2>{clock.replace(':', '.')} Uhr: {title}</h2><p>{text}</p><p>More of {title}.</p>"
        for clock, title, text in zip(CLOCKS, TITLES, SAID, strict=True)
    )
    found = entries(live_page(flow, title="Die Brücke: Liveticker"))
    assert [entry.title for entry in found] == list(TITLES)
    assert found[1].text == f"{SAID[1]}\n\nMore of Fence gone."
    assert found[1].written_time == "11.05 Uhr"


def test_declared_entries_are_read_although_the_page_displays_none() -> None:
    (first, *_) = found = entries(live_page("<div id='app'></div>", head=declared()))
    assert [entry.title for entry in found] == list(TITLES)
    assert (first.id, first.author, first.text) == ("e4711", "Mara Holm", SAID[0])
    assert str(first.time) == "2024-05-03T11:42:00+02:00"


def test_declared_and_displayed_entries_are_merged_in_page_order() -> None:
    found = entries(live_page(blocks(range(1, 5)), head=declared(range(3))))
    assert [entry.title for entry in found] == list(TITLES)
    assert [str(entry.time)[11:] for entry in found] == [
        *("11:42:00+02:00", "11:05:00+02:00", "10:31:00+02:00"),
        *("09:50:00", "08:00:00"),
    ]
    assert [entry.author for entry in found] == ["Mara Holm"] * 3 + [None] * 2


def test_entries_in_microdata_are_read() -> None:
    marked = blocks().replace("class='entry'", "itemprop='liveBlogUpdate' itemscope")
    found = entries(live_page(marked, title="The bridge opens"))
    assert [entry.text for entry in found] == list(SAID)


@pytest.mark.parametrize(
    "body",
    [
        article_posts(),
        *NEGATIVES.values(),
        # These are teasers of other articles on the site, with times.
        "<div class='live-feed'>"
        + "".join(
            f"<div class='item'><time>{clock}</time><a href='/s/{clock}'><h3>{title}</h3></a>"
            f"<p>{text}</p></div>"
            for clock, title, text in zip(CLOCKS, TITLES, SAID, strict=True)
        )
        + "</div>",
    ],
)
def test_an_article_that_is_not_a_declared_live_report_has_no_entries(body: str) -> None:
    assert entries(article_page(body)) == ()
    assert entries(live_page(body, title="We went live: a look back")) == ()
    assert entries(live_page(blocks(), title="A day at the river in five pictures")) == ()


def test_microdata_may_give_times_that_the_page_does_not_display() -> None:
    body = "".join(
        f"<div itemprop='liveBlogUpdate' itemscope><meta itemprop='datePublished'"
        f" content='2024-05-03 {clock}:00'><h2 itemprop='headline'>{title}</h2><p>{text}</p></div>"
        for clock, title, text in zip(CLOCKS, TITLES, SAID, strict=True)
    )
    found = entries(live_page(body))
    assert [entry.title for entry in found] == list(TITLES)
    assert str(found[0].time) == "2024-05-03T11:42:00"


def test_declared_reports_with_other_urls_are_ignored() -> None:
    other = declared(url="https://news.example/2024/05/harbour-closes")
    several = "".join(declared(url=f"{URL}-{number}") for number in range(2))
    for head in (other, several):
        assert entries(live_page("<p>Two stories.</p>", title="News", head=head)) == ()
    same = declared(url=f"{URL}.amp")
    assert len(entries(live_page("<p>One story.</p>", head=same))) == 5


@pytest.mark.parametrize("has_ids", [True, False])
def test_a_later_fetch_distinguishes_new_entries_from_changed_ones(has_ids: bool) -> None:
    def read(numbers: range, said: tuple[str, ...] = SAID) -> Content:
        return read_content(live_page(blocks(numbers, ids=has_ids, said=said)))

    first = read(range(1, 5))
    assert {(entry.is_new, entry.is_changed) for entry in compared(first.entries, None)} == {
        (None, None)
    }
    corrected = (*SAID[:3], "The ferry makes its very last trip this afternoon.", SAID[4])
    later = compared(read(range(5), corrected).entries, told(first))
    assert [entry.is_new for entry in later] == [True, False, False, False, False]
    assert [entry.is_changed for entry in later] == [False, False, False, True, False]
    assert [entry.id for entry in later[1:]] == [entry.id for entry in first.entries]


def test_an_entry_keeps_its_id_when_the_page_no_longer_states_it() -> None:
    first = read_content(live_page("<div id='app'></div>", head=declared()))
    shown = read_content(live_page(blocks(ids=False)))
    later = compared(shown.entries, told(first))
    assert [entry.id for entry in later] == [entry.id for entry in first.entries]
    assert not any(entry.is_new for entry in later)


def test_running_numbers_are_not_ids() -> None:
    def read(numbers: range) -> tuple[Entry, ...]:
        counted = blocks(numbers, ids=False)
        for place in range(len(numbers)):
            counted = counted.replace("'entry'>", f"'entry' id='p{place}'>", 1)
        return entries(live_page(counted))

    assert read(range(5))[1:] == read(range(1, 5))


@pytest.mark.parametrize(
    "value",
    [
        "1",
        '"text"',
        "[[[1]]]",
        '{"headline": 5, "articleBody": ["x"], "datePublished": {}, "author": [[]]}',
        '[{"articleBody": "\\ud800 \\u0000 said", "@id": "#\\ud800\\u0000a"}]',
        '[{"headline": "a\\u0000\\udfffb"}]',
    ],
)
def test_hostile_declarations_are_harmless(value: str) -> None:
    script = f'{{"@type": "LiveBlogPosting", "liveBlogUpdate": {value}}}'
    head = f'<script type="application/ld+json">{script}</script>'
    content = read_content(live_page("<p>One more.</p>", head=head))
    for entry in content.entries:
        said = f"{entry.id}{entry.title}{entry.text}"
        assert "\x00" not in said
        said.encode()


def test_the_explanation_has_the_same_entries() -> None:
    page = live_page(blocks(), head=declared(range(2)))
    assert explain_content(page).entries == entries(page)


def test_entries_with_the_same_id_are_distinguished_by_content() -> None:
    found = entries(live_page(blocks().replace("e4710", "e4711")))
    assert [entry.text for entry in found] == list(SAID)
    assert len({entry.id for entry in found}) == 5
