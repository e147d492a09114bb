"""Entries of generated live reports: ``python -m benchmarks.stories.live_reports``.

The reports are in the languages of the sample and have layouts of real live reports. The script
prints how many entries are extracted with their time, headline and text. It also checks that no
entries are extracted if the page does not declare itself a live report, or if its blocks link to
other pages.
"""

import argparse
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from html import escape

from worker.article import NoArticleError
from worker.article.reader import Content, read_content
from worker.html import parse_page
from worker.sample.site import Site, all_sites
from worker.sample.story import Newsroom, Story

ENTRIES = 12
"""Number of entries per report."""

REPORTS = 10
"""Number of reports per layout and site."""

SEED = 7

_LIVE = {"en": "Live blog", "fr": "En direct", "pl": "Relacja na żywo", "ar": "مباشر", "zh": "直播"}
_Entry = tuple[datetime, str, str]


def _clock(moment: datetime) -> str:
    return f"{moment:%H:%M}"


def _element(entry: _Entry, number: int) -> str:
    moment, title, text = entry
    return (
        f"<div class='entry' id='e{90000 + number}'><span class='when'>{_clock(moment)}</span>"
        f"<h3>{title}</h3><p>{text}</p></div>"
    )


def _dated_article(entry: _Entry, _: int) -> str:
    moment, title, text = entry
    return (
        f"<article><header><time datetime='{moment.isoformat()}'>{_clock(moment)}</time></header>"
        f"<h2>{title}</h2><p>{text}</p></article>"
    )


def _item(entry: _Entry, _: int) -> str:
    moment, title, text = entry
    return f"<li><b>{_clock(moment)}</b> <strong>{title}</strong><p>{text}</p></li>"


def _heading(entry: _Entry, _: int) -> str:
    moment, title, text = entry
    return f"<h2>{_clock(moment)}: {title}</h2><p>{text}</p><p>{text[::-1]}</p>"


def _row(entry: _Entry, _: int) -> str:
    moment, title, text = entry
    return f"<tr><td>{_clock(moment)}</td><td><h4>{title}</h4>{text}</td></tr>"


def _paragraph(entry: _Entry, _: int) -> str:
    moment, title, text = entry
    return f"<p><strong>{_clock(moment)} – {title}</strong> {text}</p>"


def _term(entry: _Entry, _: int) -> str:
    moment, title, text = entry
    return f"<dt>{_clock(moment)}</dt><dd><h3>{title}</h3><p>{text}</p></dd>"


def _teaser(entry: _Entry, number: int) -> str:
    moment, title, text = entry
    return (
        f"<div class='entry'><span>{_clock(moment)}</span><a href='/story/{number}'>"
        f"<h3>{title}</h3></a><p>{text}</p></div>"
    )


LAYOUTS: dict[str, Callable[[_Entry, int], str]] = {
    "an element each": _element,
    "an article each, time declared": _dated_article,
    "items of a list": _item,
    "headings and paragraphs": _heading,
    "rows of a table": _row,
    "paragraphs": _paragraph,
    "terms and descriptions": _term,
}
_AROUND = {"items of a list": "ul", "rows of a table": "table", "terms and descriptions": "dl"}


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    by_language = {site.language.code: site for site in all_sites().values()}
    print("| layout | reports | entries | found | with time and headline | too many | no report |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, layout in LAYOUTS.items():
        figures = [0] * 5
        reports = 0
        for code, site in sorted(by_language.items()):
            for number in range(REPORTS):
                entries, stories = _entries(site, number)
                page = _page(stories, entries, layout, _AROUND.get(name, "div"), _LIVE[code])
                other = _page(stories, entries, layout, _AROUND.get(name, "div"), "")
                found = _counted(_read(page), entries)
                figures = [a + b for a, b in zip(figures, (*found, _size(other)), strict=True)]
                reports += 1
        print(f"| {name} | {reports} | {' | '.join(map(str, figures))} |")
    teasers = 0
    for code, site in by_language.items():
        for number in range(REPORTS):
            entries, stories = _entries(site, number)
            teasers += _size(_page(stories, entries, _teaser, "div", _LIVE[code]))
    print(f"\nentries of {REPORTS * len(by_language)} live reports that show teasers: {teasers}")


def _entries(site: Site, number: int) -> tuple[list[_Entry], Sequence[Story]]:
    newsroom = Newsroom(site, SEED)
    stories = newsroom.latest(40 + (ENTRIES + 1) * number, ENTRIES + 1)
    last = datetime(2024, 5, 3, 21, 40, tzinfo=UTC)
    return [
        (
            last - timedelta(minutes=29 * place + number),
            escape(story.title, quote=False),
            escape(story.lead, quote=False),
        )
        for place, story in enumerate(stories[1:])
    ], stories


def _page(
    stories: Sequence[Story],
    entries: Sequence[_Entry],
    layout: Callable[[_Entry, int], str],
    around: str,
    live: str,
) -> str:
    story = stories[0]
    shown = "".join(layout(entry, len(entries) - place) for place, entry in enumerate(entries))
    title = escape(f"{live}: {story.title}" if live else story.title)
    return (
        f"<html lang='{story.site.language.code}'><head><title>{title}</title>"
        "<meta property='article:published_time' content='2024-05-03T12:00:00'>"
        "<meta property='article:modified_time' content='2024-05-03T21:40:00'></head>"
        "<body><nav><a href='/a'>1</a> <a href='/b'>2</a> <a href='/c'>3</a></nav>"
        f"<main><h1>{title}</h1><p>{escape(story.lead)}</p><{around}>{shown}</{around}></main>"
        "<footer><p>© 2024</p></footer></body></html>"
    )


def _read(html: str) -> Content | None:
    try:
        return read_content(parse_page(html, "https://news.example/story/0"))
    except NoArticleError:
        return None


def _size(html: str) -> int:
    content = _read(html)
    return len(content.entries) if content else 0


def _counted(content: Content | None, entries: Sequence[_Entry]) -> tuple[int, int, int, int]:
    """Count the entries that are expected, found, complete and superfluous."""
    read = content.entries if content else ()
    found = whole = 0
    for moment, title, text in entries:
        same = [each for each in read if _squeezed(text) in _squeezed(each.text)]
        found += len(same) == 1
        whole += any(
            _squeezed(each.title or "") == _squeezed(title)
            and each.time is not None
            and (each.time.day, each.time.clock) == (moment.date(), moment.time())
            for each in same
        )
    return len(entries), found, whole, max(0, len(read) - len(entries))


def _squeezed(text: str) -> str:
    return "".join(text.split())


if __name__ == "__main__":
    main()
