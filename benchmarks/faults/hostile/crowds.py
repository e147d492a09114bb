"""Kinds of messages whose pages are harmless individually but hostile in combination.

The messages of a kind are sent in order, evenly distributed over the duration of the attack.
"""

import json
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache

from benchmarks.faults.hostile.sent import Draw, Kind, Make, Sent
from benchmarks.faults.hostile.waits import GoodPage

NOON = datetime(2023, 11, 8, 12, tzinfo=UTC)  # fetch times are given relative to this

WORDS_PER_TEXT = 450  # number of words per text, as in a typical news article

VERSIONS_PER_STORY = 24
"""Number of versions of each of the two stories between which pages flip. It is low enough that the
limit on regrouping still lets pages join both stories."""

FLIPPING_PAGES = 40  # number of pages that flip between stories

PARTS_OF_STORY = 100  # number of pages of the story in parts
PART_BYTES = 3 << 20
"""Size of the markup of a part, in bytes. A fortieth of the markup is text, so 50 parts form an
article of the maximum size."""

LIVE_UPDATES = 60_000  # number of updates of a live page
COMMENTS_PER_PAGE = 1_000  # number of comments of a live page

PAGES_PER_CYCLE = 10  # number of pages that form a cycle


def kinds(good: Sequence[GoodPage]) -> Iterator[Kind]:
    """Yield the kinds; messages of some kinds falsely declare the URLs of good pages."""
    yield Kind("stories", "near-copies of one site", _near_copy, 1500)
    yield Kind(
        "stories", "near-copies, each fetched earlier than all previous ones", _earlier_copy, 300
    )
    yield Kind("stories", "versions of two stories", _version, 2 * VERSIONS_PER_STORY)
    yield Kind("stories", "flips between the two, one and none", _flip, 10 * FLIPPING_PAGES)
    yield Kind("parts", f"{PARTS_OF_STORY} parts of 3 MiB", _part, PARTS_OF_STORY)
    yield Kind("parts", "cycles of rel=next", _cycle_of_parts, 10 * PAGES_PER_CYCLE)
    yield Kind("addresses", "cycles of rel=canonical", _cycle_of_canonicals, 10 * PAGES_PER_CYCLE)
    yield Kind("addresses", "cycles of redirects", _cycle_of_redirects, 10 * PAGES_PER_CYCLE)
    yield Kind("addresses", "variants of one address that agree or disagree", _variant, 200)
    yield Kind("addresses", "claims of good pages' addresses", _claim_good_page(good), len(good))
    yield Kind("live", "60,000 updates, 1,000 comments shown", _live_page(is_shown=True), 4)
    yield Kind("live", "60,000 updates, 1,000 comments declared", _live_page(is_shown=False), 4)


@cache
def _words(seed: str) -> tuple[str, ...]:
    """Return the words of a text; texts of different seeds have no words in common."""
    rng = random.Random(seed)
    return tuple("".join(rng.choices("bcdfghklmnprstvaeiou", k=7)) for _ in range(WORDS_PER_TEXT))


def _change_words(words: tuple[str, ...], number: int) -> str:
    """Return a text with five words changed."""
    rng = random.Random(number)
    own = list(words)
    for _ in range(5):
        own[rng.randrange(len(own))] = "".join(rng.choices("jqwxyz", k=7))
    return " ".join(own)


def _html(title: str, text: str, *, head: str = "", foot: str = "") -> str:
    """Return an article page whose paragraphs have thirty words each."""
    words = text.split(" ")
    body = "".join(
        f"<p>{' '.join(words[at : at + 30]).capitalize()}.</p>" for at in range(0, len(words), 30)
    )
    return (
        f"<!doctype html><html lang='en'><head><title>{title}</title>{head}</head><body>"
        "<ul class='menu'><li><a href='/news'>News</a></li><li><a href='/sport'>Sport</a></li>"
        f"</ul><main><h1>{title}</h1>{body}</main>{foot}</body></html>"
    )


def _noon_plus(minutes: int) -> str:
    return (NOON + timedelta(minutes=minutes)).isoformat()


# Each of the following functions makes one message of a kind; `draw.number` counts them.
def _near_copy(draw: Draw) -> Sent:
    """Return one of many copies of a text, each with five other words."""
    text = _change_words(_words("copies"), draw.number)
    html = _html("The ferry that came back", text)
    return draw.send(draw.body(html=html, fetched_at=_noon_plus(draw.number)), is_sound=True)


def _earlier_copy(draw: Draw) -> Sent:
    """Return a copy of a text that claims to have been fetched before all earlier copies."""
    text = _change_words(_words("earlier"), draw.number)
    html = _html("The mill that turned", text)
    url = f"https://earlier-{draw.number % 100}.example/{draw.number}"
    return draw.send(
        draw.body(url=url, html=html, fetched_at=_noon_plus(-draw.number)), is_sound=True
    )


def _version(draw: Draw) -> Sent:
    """Return a version of either of two stories, alternately, each version on another site."""
    story = draw.number % 2
    text = _change_words(_words(f"story {story}"), draw.number)
    html = _html(f"News about story {story}", text)
    url = f"https://victim-{draw.number}.example/story"
    return draw.send(draw.body(url=url, html=html, fetched_at=_noon_plus(0)), is_sound=True)


def _flip(draw: Draw) -> Sent:
    """Return the next fetch of a page whose text is from one story, the other, both or neither."""
    page, turn = draw.number % FLIPPING_PAGES, draw.number // FLIPPING_PAGES
    one, other = (_change_words(_words(f"story {each}"), draw.number) for each in (0, 1))
    own = _change_words(_words(f"page {page}"), draw.number)
    text = (f"{one} {other}", own, other, f"{other} {one}", one)[(page + turn) % 5]
    html = _html("News about all of it", text)
    url = f"https://flips.example/{page}"
    return draw.send(draw.body(url=url, html=html, fetched_at=_noon_plus(draw.number)))


def _part(draw: Draw) -> Sent:
    """Return one part of a story in a hundred parts; each part links to all others."""
    number = draw.number + 1
    links = "".join(f"<a href='/long?page={n}'>{n}</a> " for n in range(1, PARTS_OF_STORY + 1))
    neighbour_links = (
        f"<a rel=prev href='/long?page={number - 1}'>Previous page</a>" if draw.number else ""
    )
    if number < PARTS_OF_STORY:
        neighbour_links += f"<a rel=next href='/long?page={number + 1}'>Next page</a>"
    rng = random.Random(number)
    vocabulary = _words(f"part {number}")
    text = " ".join(rng.choices(vocabulary, k=PART_BYTES // 8 // 40))
    foot = f"<div class='pager'>{links}{neighbour_links}</div>"
    html = _html("A long story in parts", text, foot=foot)
    html += f"<script>{'window.a = 1; ' * ((PART_BYTES - len(html)) // 14)}</script>"
    return draw.send(draw.body(url=f"https://parts.example/long?page={number}", html=html))


def _positions_in_cycle(draw: Draw) -> tuple[int, int, int, int]:
    """Return a cycle's number, and the previous, current and next positions in the cycle."""
    cycle, position = divmod(draw.number, PAGES_PER_CYCLE)
    return cycle, (position - 1) % PAGES_PER_CYCLE, position, (position + 1) % PAGES_PER_CYCLE


def _cycle_of_parts(draw: Draw) -> Sent:
    """Return a part whose links to the next part lead back to the first one."""
    cycle, before, position, after = _positions_in_cycle(draw)
    foot = (
        f"<div class='pager'><a rel=prev href='/{cycle}?page={before}'>Previous page</a>"
        f"<a rel=next href='/{cycle}?page={after}'>Next page</a></div>"
    )
    html = _html(f"Story {cycle} in a circle", " ".join(_words(draw.message_id)), foot=foot)
    url = f"https://part-cycles.example/{cycle}?page={position}"
    return draw.send(draw.body(url=url, html=html))


def _cycle_of_canonicals(draw: Draw) -> Sent:
    """Return a page that declares the next page of its cycle as canonical."""
    cycle, _, position, after = _positions_in_cycle(draw)
    host = "https://canonical-cycles.example"
    head = f"<link rel=canonical href='{host}/{cycle}/{after}'>"
    html = _html(f"Story {cycle} elsewhere", " ".join(_words(f"canonical {cycle}")), head=head)
    return draw.send(draw.body(url=f"{host}/{cycle}/{position}", html=html))


def _cycle_of_redirects(draw: Draw) -> Sent:
    cycle, _, position, after = _positions_in_cycle(draw)
    host = "https://redirect-cycles.example"
    html = _html(f"Story {cycle} moves on", " ".join(_words(f"redirect {cycle}")))
    url, final = f"{host}/{cycle}/{position}", f"{host}/{cycle}/{after}"
    return draw.send(draw.body(url=url, html=html, status=200, final_url=final))


def _variant(draw: Draw) -> Sent:
    """Return a page at a real or alleged variant of one URL; every third page has another text."""
    text = " ".join(_words(f"variant {draw.number}" if draw.number % 3 == 2 else "variants"))
    page = "variants.example/story.html"
    urls = (
        f"https://{page}?utm_source={draw.number}",
        f"https://m.{page}?id={draw.number}",
        f"https://www.{page}?print={draw.number}",
        f"https://www.variants.example/amp/{draw.number}.html",
        f"https://evil-{draw.number}.variants.example/story.html",
    )
    head = f"<link rel=canonical href='https://www.{page}'>"
    html = _html("A story under many addresses", text, head=head)
    at = _noon_plus(draw.number)
    return draw.send(draw.body(url=draw.one_of(urls), html=html, fetched_at=at))


def _claim_good_page(good: Sequence[GoodPage]) -> Make:
    """Return a function that makes pages declaring a good page's URL as their own.

    Each page is on the host of the good page, and half of the pages are copies of it.
    """

    def make(draw: Draw) -> Sent:
        victim = draw.one_of(good)
        head = f"<link rel=canonical href='{victim.url}'>"
        text = "\n".join(victim.paragraphs) if draw.number % 2 else " ".join(_words(victim.url))
        html = _html("A claim", text.replace("\n", " "), head=head)
        return draw.send(draw.body(url=f"{victim.url}/claim", html=html, fetched_at=_noon_plus(0)))

    return make


def _live_page(*, is_shown: bool) -> Make:
    """Return a function that makes live blogs with many updates and comments."""

    def make(draw: Draw) -> Sent:
        updates = [{"headline": f"Note {n} of {draw.number}"} for n in range(LIVE_UPDATES)]
        comment_texts = [f"I do not agree with note {n}. " * 10 for n in range(COMMENTS_PER_PAGE)]
        report = {"@type": "LiveBlogPosting", "headline": "The bridge opens"}
        report["liveBlogUpdate"] = updates  # type: ignore[assignment]
        markup = ""
        if is_shown:
            markup = "".join(
                f"<div class='comment' id='c{n}'><b class='author'>Reader {n}</b>"
                f"<time datetime='2023-11-08T12:00'>12:00</time><p>{each}</p></div>"
                for n, each in enumerate(comment_texts)
            )
        else:
            report["comment"] = [  # type: ignore[assignment]
                {"@type": "Comment", "text": each, "author": {"name": f"Reader {n}"}}
                for n, each in enumerate(comment_texts)
            ]
        head = f'<script type="application/ld+json">{json.dumps(report)}</script>'
        text = " ".join(_words(draw.message_id))
        markup = f"<section>{markup}</section>"
        html = _html("The bridge opens: live blog", text, head=head, foot=markup)
        return draw.send(draw.body(html=html), is_sound=True)

    return make
