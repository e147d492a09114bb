import json
from collections.abc import Sequence
from typing import Any

from worker.html import Page, parse_page

URL = "https://news.example/2024/05/bridge-opens"

SAID = (
    "The first bicycle has crossed the new bridge, with the mayor right behind it on foot.",
    "Engineers have taken the last fence away. They wait for the inspector, who is late.",
    "Two hundred people stand on the east bank, most of them with umbrellas against the rain.",
    "The ferry makes its last trip this morning; the captain says that he will miss the queue.",
    "Good morning from the river, where the new bridge is to open in a few hours.",
)
TITLES = ("It is open", "Fence gone", "Crowd in the rain", "Last trip of the ferry", "Good morning")
CLOCKS = ("11:42", "11:05", "10:31", "09:50", "08:00")


def live_page(body: str, *, title: str = "The bridge opens: live blog", head: str = "") -> Page:
    return parse_page(live_html(body, title=title, head=head), URL)


def live_html(body: str, *, title: str = "The bridge opens: live blog", head: str = "") -> str:
    return (
        f"<html lang='en'><head><title>{title}</title>"
        '<meta property="article:published_time" content="2024-05-03T08:00:00+02:00">'
        '<meta property="article:modified_time" content="2024-05-03T11:42:00+02:00">'
        f"{head}</head><body><nav><a href='/a'>News</a> <a href='/b'>Sport</a></nav>"
        f"<main><h1>{title}</h1><p>The town gets its bridge back today, after two years of work"
        f" and a winter of waiting, and we follow it from both banks.</p>{body}</main>"
        "</body></html>"
    )


def blocks(
    numbers: Sequence[int] = range(5), *, ids: bool = True, said: Sequence[str] = SAID
) -> str:
    return (
        "<div class='feed'>"
        + "".join(
            f"<div class='entry'{f' id=e{4711 - number}' if ids else ''}>"
            f"<time>{CLOCKS[number]}</time><h3>{TITLES[number]}</h3><p>{said[number]}</p></div>"
            for number in numbers
        )
        + "</div>"
    )


def declared(numbers: Sequence[int] = range(5), **more: Any) -> str:
    """Return the JSON-LD of a live report."""
    report = {
        "@context": "https://schema.org",
        "@type": "LiveBlogPosting",
        "headline": "The bridge opens",
        "url": URL,
        "liveBlogUpdate": [
            {
                "@type": "BlogPosting",
                "@id": f"{URL}#e{4711 - number}",
                "headline": TITLES[number],
                "datePublished": f"2024-05-03T{CLOCKS[number]}:00+02:00",
                "articleBody": SAID[number],
                "author": {"@type": "Person", "name": "Mara Holm"},
            }
            for number in numbers
        ],
        **more,
    }
    return f'<script type="application/ld+json">{json.dumps(report)}</script>'
