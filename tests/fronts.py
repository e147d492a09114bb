"""Front pages that link to stories, written for the tests."""

import random

_WORDS = ("harbour", "council", "bridge", "strike", "market", "winter", "school", "river", "tram")


def headline(number: int) -> str:
    """Return a headline that is unique to the given number."""
    chance = random.Random(number)
    return " ".join(["Story", str(number), *chance.sample(_WORDS, 6)])


def front_html(numbers: range, next_page: str | None = None) -> str:
    """Return a section front that lists the stories with the given numbers."""
    items = "".join(
        f'<li><h3><a href="/story/{number}.html">{headline(number)}</a></h3>'
        f"<p>{headline(1000 + number)} {headline(2000 + number)}</p></li>"
        for number in numbers
    )
    pager = f'<div class="pager"><a rel="next" href="{next_page}">Next page</a></div>'
    return (
        "<html><head><title>Town</title></head><body>"
        '<nav><a href="/">Home</a> <a href="/town/">Town</a></nav>'
        f"<main><h1>Town</h1><ul>{items}</ul>{pager if next_page else ''}</main></body></html>"
    )


def listed(numbers: range, origin: str = "https://news.example") -> list[dict[str, str]]:
    """Return the links that should be found on such a front page."""
    return [
        {"url": f"{origin}/story/{number}.html", "headline": headline(number)} for number in numbers
    ]
