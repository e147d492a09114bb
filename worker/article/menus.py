"""Pages that list other pages: home pages, section fronts, tags, search results.

Such a page is told by its structure. Its lines are headlines, each one a link of its own, and
between them short teasers, over and over in the same place of the tree; or hardly anything but
headlines. Nothing longer stands out, where an article has its body.

Measured on 2,230 pages with a gold text (seven corpora): 3 pages pass for menus (0.13 %), two of
them posts of 22 words beside 450 words of links, one a list of links that was annotated as text.
The 252 section fronts of six site designs, in five languages, all do.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from models.kinds import Kind
from worker.article.offers import count_offers
from worker.article.outline import Outline
from worker.html.addresses import absolute, base_of
from worker.html.flat import Integers
from worker.html.site import site_of
from worker.text.texts import Count

MIN_HEADLINE_WORDS = 3
"""Shorter links are navigation: "Home", "Read more"."""

MAX_HEADLINE_WORDS = 45
"""A longer link holds text: there are sites that link a whole article."""

MIN_LINKED = 0.8
"""Share of a line's words in links from which the line is a link."""

MIN_TEASER_WORDS = 5
"""What is shorter between two headlines is a date or an author."""

MIN_ITEMS = 6
"""Teasers in the same place of the tree that make a list (section fronts had 9 to 23)."""

MAX_TEASER_WORDS = 60
"""A list with a longer text in it has an article among its items (section fronts: up to 51)."""

MAX_PROSE_WORDS = 80
"""A longer stretch of text outside lists is an article (section fronts: up to 44)."""

MIN_TEASERS_TO_PROSE = 4.0
"""Teasers, by the longest stretch outside lists (section fronts 7.2 and more, short news 2.4)."""

MIN_HEADLINES_SHARE = 0.6
"""Share of the page's words in headlines of a list without teasers (section fronts: 0.68 on)."""

MIN_HEADLINES_TO_PROSE = 20.0
"""Headlines, by the longest stretch of text (section fronts 22 and more, articles below 17)."""

MIN_HEADLINES_WORDS = 100
"""Words in headlines of a list without teasers."""

MIN_OFFERS = 6
"""Things offered, from which on a list is what a shop or an agenda shows, and no menu.

Of 16 lists of wcxb that else pass for menus, the eight that show products with prices, or declare
their events, have 17 and more; six lists of news have up to 3, one of coupons 4, one of jobs 0.
"""

MIN_OFFERS_TO_HEADLINES = 0.1
"""Things offered, by the number of headlines: those eight 0.13 on, section fronts up to 0.09."""


MIN_READ = 0.6
"""Share of a page's words that is its text, where a list is its content: a list of jobs has .95; a
list of news between others .49, what a shop shows without its programs .16."""

MIN_PROBABILITY = 0.5
"""Probability from which a page that looks like a menu is one."""

DECLARED = 0.6
"""Probability of something else where a page declares to be an article, and when it came out."""


@dataclass(frozen=True)
class MenuEvidence:
    """What tells a list of other pages from an article, in words.

    Attributes
    ----------
    prose
        Longest stretch of text between two headlines, lists left out.
    items, teasers, longest_teaser
        Number, total and maximum of the stretches that follow a headline and belong to a list:
        at least `MIN_ITEMS` of them have their headlines at the same path of tags.
    headlines
        Total of the lines that are links.
    total
        Total of the page.
    """

    prose: float
    items: int
    teasers: float
    longest_teaser: float
    headlines: float
    total: float

    @property
    def is_menu(self) -> bool:
        """Whether it is a list of other pages."""
        if self.prose > MAX_PROSE_WORDS or self.longest_teaser > MAX_TEASER_WORDS:
            return False
        has_teasers = self.items >= MIN_ITEMS and self.teasers >= MIN_TEASERS_TO_PROSE * self.prose
        is_headlines = (
            self.headlines >= MIN_HEADLINES_WORDS
            and self.headlines >= MIN_HEADLINES_SHARE * self.total
            and self.headlines >= MIN_HEADLINES_TO_PROSE * max(self.prose, self.longest_teaser)
        )
        return has_teasers or is_headlines


def is_menu(page: Outline) -> bool:
    """Say whether a page is a list of other pages, by its structure alone."""
    found = _Stretches.of(page)
    # As one item of a list it is too long a teaser, else too long a text: no need to look which.
    if found.words.max() > MAX_PROSE_WORDS or not _evidence(page, found).is_menu:
        return False
    offers = count_offers(page)
    return offers < MIN_OFFERS or offers < MIN_OFFERS_TO_HEADLINES * len(found.blocks)


def menu_probability(
    page: Outline, url: str, kinds: Mapping[Kind, float], words: float, *, has_posts: bool
) -> float:
    """Return how likely a page that looks like a menu leads to others, and does nothing else.

    It is something else where it is likely a manual or, with posts, a thread; where it declares to
    be an article, and since when; and where the list is the content of the page, and its headlines
    lead to other sites or to places of the page, as those of a report made of links do, or have no
    teasers, on a page that is likely a list.

    Parameters
    ----------
    page
        The page, of which `is_menu` is true.
    url
        Its address.
    kinds
        How likely it is of each kind.
    words
        Words of its text, read as an article.
    has_posts
        Whether it shows the posts of a thread.
    """
    found = _Stretches.of(page)
    others = [kinds.get("documentation", 0.0)]
    if (
        page.metas.get("og:type", "").lower() == "article"
        and "article:published_time" in page.metas
    ):
        others.append(DECLARED)
    if has_posts:
        others.append(kinds.get("forum", 0.0))
    if words >= MIN_READ * found.total:
        others.append(_led_elsewhere(page, found, url))
        if not _evidence(page, found).items:
            others.append(kinds.get("listing", 0.0))
    return 1.0 - max(others)


def _led_elsewhere(page: Outline, found: "_Stretches", url: str) -> float:
    """Return the share of headlines that lead to other sites, or to places of the page."""
    base, site, own = base_of(page.root, url), site_of(url), url.partition("#")[0]
    hrefs = (page.node(link).get("href") for link in found.links.tolist())
    addresses = [address for href in hrefs if (address := absolute(href, base)) is not None]
    elsewhere = sum(
        site_of(address) != site or address.partition("#")[0] == own for address in addresses
    )
    return elsewhere / len(addresses) if addresses and site else 0.0


def _evidence(page: Outline, found: "_Stretches") -> MenuEvidence:
    """Measure the headlines of a page and the stretches of text between them."""
    paths = paths_of(page)
    # What comes before the first headline is in no list.
    after = [None, *map(paths.__getitem__, found.blocks.tolist())]
    stretches = [*zip(after, found.words.tolist(), strict=True)]
    by_path: defaultdict[int, list[float]] = defaultdict(list)
    for path, length in stretches:
        if path is not None and length >= MIN_TEASER_WORDS:
            by_path[path].append(length)
    lists = {path: lengths for path, lengths in by_path.items() if len(lengths) >= MIN_ITEMS}
    teasers = [length for lengths in lists.values() for length in lengths]
    return MenuEvidence(
        prose=max((length for path, length in stretches if path not in lists), default=0.0),
        items=len(teasers),
        teasers=sum(teasers),
        longest_teaser=max(teasers, default=0.0),
        headlines=found.headlines,
        total=found.total,
    )


class _Stretches(NamedTuple):
    """The stretches of text between headlines.

    Attributes
    ----------
    blocks
        The blocks that the headlines stand in.
    links
        The links that the headlines are.
    words
        Words of the stretches: before the first headline, and after each.
    headlines, total
        Words of all headlines, and of the page.
    """

    blocks: Integers
    links: Integers
    words: npt.NDArray[np.float64]
    headlines: float
    total: float

    @classmethod
    def of(cls, page: Outline) -> Self:
        """Find the headlines of a page, and measure what is between them."""
        if not page.texts:
            none = np.empty(0, dtype=np.int64)
            return cls(none, none, np.zeros(1), 0.0, 0.0)
        counts = page.text_sizes - page.count_in_texts(Count.UNSPACED) / 2
        links = page.link_numbers[page.text_parents]
        linked = np.flatnonzero(links >= 0)
        in_links = np.zeros(len(counts))
        in_links[linked] = counts[linked]
        # The words of a link so far, be it parted by lines.
        is_other = np.diff(links[linked], prepend=-1) != 0
        sums = np.cumsum(counts[linked])
        before = (sums - counts[linked])[is_other]
        so_far = np.zeros(len(counts))
        so_far[linked] = sums - before[np.cumsum(is_other) - 1]
        starts = page.line_starts
        words = np.add.reduceat(counts, starts)
        of_links = np.add.reduceat(in_links, starts)
        is_text = np.maximum.reduceat(so_far, starts) > MAX_HEADLINE_WORDS
        is_plain = ~is_text & (of_links < MIN_LINKED * words)
        prose = np.where(is_text, words, np.where(is_plain, words - of_links, 0.0))
        headlines = np.flatnonzero(~is_text & ~is_plain & (words >= MIN_HEADLINE_WORDS))
        sums = np.concatenate([[0.0], np.cumsum(prose)])
        return cls(
            page.block_numbers[page.text_parents[starts[headlines]]],
            np.maximum.reduceat(links, starts)[headlines],
            np.diff(sums[np.concatenate([[0], headlines, [len(prose)]])]),
            float(words[headlines].sum()),
            float(words.sum()),
        )


def paths_of(page: Outline) -> dict[int, int]:
    """Give every path of tags from the root a number; elements within a line take no part."""
    numbers: dict[tuple[int, int], int] = {}
    paths = {-1: -1}
    blocks = page.block_numbers
    chosen = np.flatnonzero(page.holds & (blocks == np.arange(len(blocks))))
    parents = page.flat.parents[chosen]
    above = np.where(parents < 0, -1, blocks[parents]).tolist()
    tags = page.flat.tag_numbers[chosen].tolist()
    for index, around, tag in zip(chosen.tolist(), above, tags, strict=True):
        paths[index] = numbers.setdefault((paths[around], tag), len(numbers))
    return paths
