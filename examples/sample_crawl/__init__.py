"""A small crawl of fictional news sites, generated from word lists and page designs.

The crawl demonstrates the service without any publisher's pages, and measures it against known
correct results. It has five languages, three templates per design, one redesign, and a configurable
amount of noise.
"""

import base64
import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from examples.sample_crawl.language import stream
from examples.sample_crawl.page import Gold, PageMaker
from examples.sample_crawl.site import Site, all_sites
from examples.sample_crawl.story import Newsroom

__all__ = ["SMALL_CRAWL", "SamplePage", "all_sites", "generate", "small_crawl", "write_crawl"]

SMALL_CRAWL = Path(__file__).parents[1] / "crawl.jsonl.gz"
"""File with the result of `small_crawl`, used by the documentation."""

DEFAULT_PAGES_PER_TEMPLATE = 7
"""Enough pages for groups to form, but few enough for the pipeline to take about a minute."""


@dataclass(frozen=True)
class SamplePage:
    """A page of the crawl: the crawler's message, and the correct results.

    ``kind`` in `gold` is ``article``, ``menu`` (a list of articles) or ``service`` (text that is
    not an article); ``text`` is the body without the lead, with blank lines between paragraphs.
    """

    message: dict[str, Any]
    gold: dict[str, Any]


def generate(
    *,
    seed: int = 1869,
    pages_per_template: int = DEFAULT_PAGES_PER_TEMPLATE,
    sites: Iterable[str] | None = None,
    noise: float = 0.3,
) -> Iterator[SamplePage]:
    """Generate the pages of a crawl of fictional news sites, the same ones for equal arguments.

    `pages_per_template` applies to each of a design's three templates: news, opinion and section
    front. `sites` are domains of `all_sites`; None for all. `noise` is the variation among the
    pages of a template, from 0 (only the articles vary) to 1 (each optional block is on half of the
    pages, lists and discussions vary in length, and one page in ten has no template). Raise
    ValueError for an invalid argument.
    """
    if pages_per_template < 1:
        raise ValueError("pages_per_template must be at least 1")
    if not 0 <= noise <= 1:
        raise ValueError("noise must be between 0 and 1")
    chosen = list(all_sites()) if sites is None else list(dict.fromkeys(sites))
    unknown = set(chosen) - set(all_sites())
    if unknown:
        raise ValueError(f"unknown site: {', '.join(sorted(unknown))}")
    return _crawl([all_sites()[domain] for domain in chosen], seed, pages_per_template, noise)


def write_crawl(directory: Path, **options: Any) -> int:
    """Write a crawl as ``pages.jsonl.gz`` and ``gold.jsonl.gz``, and return its number of pages.

    The options are those of `generate`; equal options produce the same files, byte for byte.
    """
    directory.mkdir(parents=True, exist_ok=True)
    pages = list(generate(**options))
    messages, gold = [page.message for page in pages], [page.gold for page in pages]
    for name, records in (("pages", messages), ("gold", gold)):
        # Without a timestamp, so that equal options produce equal files.
        packed = gzip.compress(_lines(records), mtime=0)
        (directory / f"{name}.jsonl.gz").write_bytes(packed)
    return len(pages)


def small_crawl() -> bytes:
    """Return the messages of a few pages of one site, with their HTML as text."""
    messages = []
    for page in generate(sites=["harbour-post.example"], pages_per_template=3):
        html = base64.b64decode(page.message.pop("html_base64")).decode()
        messages.append(page.message | {"html": html})
    return _lines(messages)


def _lines(records: Iterable[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records).encode()


def _crawl(sites: Iterable[Site], seed: int, rounds: int, noise: float) -> Iterator[SamplePage]:
    for site in sites:
        newsroom = Newsroom(site, seed)
        for era, design in enumerate(site.designs):
            maker = PageMaker(site, design, newsroom, seed, noise)
            for position in range(era * rounds, (era + 1) * rounds):
                yield from _round(maker, position)


def _round(maker: PageMaker, position: int) -> Iterator[SamplePage]:
    """Yield two articles, a section front and, in some rounds, pages without a template."""
    stories = [maker.newsroom.story(2 * position), maker.newsroom.story(2 * position + 1)]
    newest = 2 * position + 2
    latest = stories[-1].published
    for story in stories:
        yield _page(maker, *maker.article(story), story.published)
    yield _page(maker, *maker.menu(position, newest), latest)
    # At full noise, one page without a template is added per ten others; a round has three others.
    per_round = 0.1 * maker.noise * 3
    for number in range(round(position * per_round), round((position + 1) * per_round)):
        yield _page(maker, *maker.one_off(number, newest), latest)


def _page(maker: PageMaker, markup: str, gold: Gold, published: datetime) -> SamplePage:
    site, design, url = maker.site, maker.design, gold["url"]
    rng = stream(url)
    identifier = f"{site.domain}-{rng.getrandbits(48):012x}"
    fetched_at = published + timedelta(minutes=rng.randint(150, 2_000))
    content = markup.encode(design.encoding, errors="xmlcharrefreplace")
    message = {
        "version": 1,
        "id": identifier,
        "url": url,
        "site": site.domain,
        "html_base64": base64.b64encode(content).decode("ascii"),
        "content_type": design.content_type,
        "fetched_at": fetched_at.isoformat(),
    }
    return SamplePage(message, {"id": identifier} | gold)
