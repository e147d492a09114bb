"""Pages of articles that are split into several parts, which link to each other."""

from tests.pages import message, prose

SITE = "paper.example"
STORY = f"https://{SITE}/news/the-old-bridge"
TITLE = "The long story of the old bridge"


def address(number: int) -> str:
    """Return the URL of a part of the story; parts are numbered from 1."""
    return STORY if number == 1 else f"{STORY}?page={number}"


def part_html(
    number: int,
    total: int = 3,
    *,
    seed: int | None = None,
    title: str = TITLE,
    story: str = STORY,
    whole: str | None = None,
) -> str:
    """Return one of `total` parts of an article, with a pager that links to the other parts.

    The pager also has a link to `whole`, the URL of the unsplit article, if it is given.
    """

    def link(other: int, label: str, rel: str = "") -> str:
        href = story if other == 1 else f"{story}?page={other}"
        return f"<a href='{href}'{rel}>{label}</a>"

    numbers = [link(n, str(n)) if n != number else f"<span>{n}</span>" for n in range(1, total + 1)]
    before = link(number - 1, "Previous", " rel='prev'") if number > 1 else ""
    after = link(number + 1, "Next", " rel='next'") if number < total else ""
    single = f"<a href='{whole}'>Single page</a>" if whole else ""
    pager = f"<div class='pagination'>{before} {' '.join(numbers)} {after} {single}</div>"
    return page_html(pager, prose(100 * number if seed is None else seed), title)


def page_html(pager: str, body: str, title: str = TITLE) -> str:
    """Return a page with the given content, and with a pager below its article."""
    return (
        f"<!doctype html><html lang='en'><head><title>{title}</title></head><body>"
        "<div class='menu'><ul><li><a href='/s1'>Sports</a></li></ul></div>"
        f"<div class='main'><h1>{title}</h1><div class='story'>{body}</div>{pager}</div>"
        "<div class='foot'><p>All rights reserved by the paper.</p></div></body></html>"
    )


def part_messages(total: int = 3) -> list[bytes]:
    """Return page messages for all parts of an article."""
    numbers = range(1, total + 1)
    return [message(address(number), part_html(number, total), site=SITE) for number in numbers]
