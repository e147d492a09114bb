"""Pages of multi-part articles, written for the tests."""

from tests.pages import message, prose

SITE = "paper.example"
STORY = f"https://{SITE}/news/the-old-bridge"
TITLE = "The long story of the old bridge"


def address(number: int) -> str:
    """Return the URL of a part."""
    return STORY if number == 1 else f"{STORY}?page={number}"


def part_html(
    number: int,
    of: int = 3,
    *,
    seed: int | None = None,
    title: str = TITLE,
    story: str = STORY,
    whole: str | None = None,
) -> str:
    """Return a part of an article that links to the other parts."""

    def link(other: int, label: str, rel: str = "") -> str:
        href = story if other == 1 else f"{story}?page={other}"
        return f"<a href='{href}'{rel}>{label}</a>"

    numbers = [link(n, str(n)) if n != number else f"<span>{n}</span>" for n in range(1, of + 1)]
    before = link(number - 1, "Previous", " rel='prev'") if number > 1 else ""
    after = link(number + 1, "Next", " rel='next'") if number < of else ""
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


def part_messages(of: int = 3) -> list[bytes]:
    """Return the page messages of a multi-part article."""
    return [
        message(address(number), part_html(number, of), site=SITE) for number in range(1, of + 1)
    ]
