"""Generation of inexpensive pages for any number of sites that do not share templates.

Processing such a page takes a fraction of the time of a real page, but loads the queues just as
much. Nearly all pages of a site have different trees.
"""

import json
import random
from collections.abc import Iterator

from tests.pages import SENTENCES

CONTAINERS = ("div", "section", "article", "main")
INLINE = ("b", "i", "em", "strong", "span", "code")
TEMPLATES = 2


def page_message(host: str, number: int) -> bytes:
    """Return a page message of a site."""
    url = f"https://{host}/{number}"
    return json.dumps({"version": 1, "url": url, "html": page_html(host, number)}).encode()


def page_html(host: str, number: int) -> str:
    """Return a page with one of the templates of a site."""
    of_template = random.Random(f"{host}/{number % TEMPLATES}")
    of_page = random.Random(f"{host}#{number}")
    containers = [of_template.choice(CONTAINERS) for _ in range(of_template.randint(2, 6))]
    names = [f"{of_template.choice('abcdefgh')}{of_template.randint(10, 99)}" for _ in containers]
    links = "".join(
        f"<li><a href='/{section}'>Section {section}</a></li>"
        for section in range(of_template.randint(5, 12))
    )
    mark = "".join(
        f"<{tag}>-</{tag}>" for tag in of_template.choices(INLINE, k=of_template.randint(3, 9))
    )
    title = f"Story {number} of {host.partition('.')[0]}"
    body = "".join(_paragraph(of_page, number) for _ in range(of_page.randint(4, 9)))
    named = zip(containers, names, strict=True)
    opening = "".join(f"<{tag} class='{name}'>" for tag, name in named)
    closing = "".join(f"</{tag}>" for tag in reversed(containers))
    return (
        f"<!doctype html><html lang='en'><head><title>{title}</title></head><body>"
        f"<ul class='menu'>{links}</ul>{opening}<h1>{title}</h1>{body}{closing}"
        f"<div class='foot'>{mark}<p>All rights reserved by the paper.</p></div></body></html>"
    )


def _paragraph(of_page: random.Random, number: int) -> str:
    sentences = of_page.sample(SENTENCES, 3)
    place = of_page.randrange(4)
    if place < len(sentences):
        tag = of_page.choice(INLINE)
        sentences[place] = f"<{tag}>{sentences[place]}</{tag}>"
    return f"<p>{' '.join(sentences)} Note {number}-{of_page.randrange(1000)}.</p>"


def crawl(sites: int, pages: int, *, at_once: int) -> Iterator[bytes]:
    """Yield the page messages of a crawl that alternates between `at_once` sites.

    `pages` is the total number; the first ``pages % sites`` sites have one page more than the
    others.
    """
    for first in range(0, sites, at_once):
        batch = range(first, min(first + at_once, sites))
        for number in range(-(-pages // sites)):
            for site in batch:
                if number < pages // sites + (site < pages % sites):
                    yield page_message(f"site-{site}.example", number)
