"""Headlines of a page that leads to others: the links to what it lists, without its menus.

Links at the same path of tags, with the same classes, are of one list. Headlines are told from a
menu's entries by their length, or as headings. Where a page has no list of headlines, that of names
is taken which has most of them, and text between: books, firms, shows.

Measured on 42 pages that lead to others (``python -m benchmarks.extraction.headlines CORPORA``).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise
from operator import attrgetter, itemgetter
from typing import Final

from models.limits import MAX_URL_CHARACTERS
from worker.article.menus import MAX_HEADLINE_WORDS, MIN_HEADLINE_WORDS, paths_of
from worker.article.outline import Outline
from worker.article.vocabulary import PARTS
from worker.html import Page
from worker.html.addresses import MAX_LINKS, absolute, base_of
from worker.html.elements import HEADINGS
from worker.html.flat import Booleans
from worker.inference.medians import median
from worker.text import words
from worker.text.texts import Count
from worker.text.wordlists import listed

MIN_LISTED: Final = 3
"""Headlines that make a list; in headings fewer do, as what leads a front."""

MIN_MEDIAN_WORDS: Final = 4.0
"""Words of the middle headline of a list that is in no headings.

With 3 entries of menus pass, with 4.5 a list of books does not.
"""

MAX_MEDIAN_WORDS: Final = 25.0
"""Words of the middle line of a list from which on its lines are teasers, and linked as well."""

MIN_NAMES: Final = 6
"""Names that make a list, and headlines that make one of names needless."""

MIN_WORDS_BETWEEN: Final = 3.0
"""Words outside of links from a name to the next one, in the middle; in a menu there are none."""

MAX_WORDS_BESIDE: Final = 12
"""Words outside of links in the line of a headline: time, author, date."""

MAX_SHARED: Final = 2
MAX_SHARED_PART: Final = 0.2
"""Addresses of a list that a headline leads to, and their part of the list's; what leads to more is
"Read more"."""

MAX_HEADLINES: Final = 1_000
"""Headlines of a page that are given, the first ones: the most on those pages are 100."""

_MAX_CLASSES = 8

_MENUS = frozenset({"nav", "footer"})
_MENU_NAMES = (PARTS["menu"] | listed("footer copyright")) - listed("tabs")
_WHOLE = frozenset({"html", "body", "main"})
_ADVERTS = frozenset({"sponsored"})


@dataclass(frozen=True)
class HeadlineLink:
    """A link to what a page lists.

    Attributes
    ----------
    url
        Address that it leads to: absolute, http or https, without fragment.
    headline
        What it says.
    """

    url: str
    headline: str


_Place = tuple[int | str, ...]


@dataclass(frozen=True)
class _Candidate:
    """A link that may be a headline.

    Attributes
    ----------
    number
        Its number on the page.
    url, text, words
        Its address, what it says, and in how many words.
    place
        What it shares with others of its list.
    is_heading
        Whether it stands in a heading.
    prose
        Words outside of links that stand before it on the page.
    """

    number: int
    url: str
    text: str
    words: float
    place: _Place
    is_heading: bool
    prose: float


def headline_links(page: Page) -> tuple[HeadlineLink, ...]:
    """Return the links of a page to what it lists, each address once, in the order of the page.

    Neither the page's own address nor that of the site's first page is one of them.

    Parameters
    ----------
    page
        The page. It is read only.
    """
    by_place: defaultdict[_Place, list[_Candidate]] = defaultdict(list)
    for each in _candidates(Outline.of(page.flat), page.url):
        by_place[each.place].append(each)
    lists = [_without_shared(each) for each in by_place.values()]
    chosen = [each for each in lists if _are_headlines(each)]
    if all(_count_pages(each) < MIN_NAMES for each in chosen):
        names = [each for each in lists if _are_names(each)]
        chosen += [max(names, key=_count_pages)] if names else []
    best: dict[str, _Candidate] = {}
    for of_list in sorted(chosen, key=_rank, reverse=True):
        for candidate in of_list:
            best.setdefault(candidate.url, candidate)
    found = sorted(best.values(), key=attrgetter("number"))[:MAX_HEADLINES]
    return tuple(HeadlineLink(each.url, each.text) for each in found)


def _without_shared(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Leave out what a list says of many pages."""
    shared = Counter(text for text, _ in {(each.text, each.url) for each in candidates})
    most = max(MAX_SHARED, MAX_SHARED_PART * shared.total())
    return [each for each in candidates if shared[each.text] <= most]


def _are_headlines(candidates: Sequence[_Candidate]) -> bool:
    middle = _middle_words(candidates)
    if not MIN_HEADLINE_WORDS <= middle <= MAX_MEDIAN_WORDS:
        return False
    is_list = _count_pages(candidates) >= MIN_LISTED and middle >= MIN_MEDIAN_WORDS
    return candidates[0].is_heading or is_list


def _are_names(candidates: Sequence[_Candidate]) -> bool:
    if _count_pages(candidates) < MIN_NAMES or _middle_words(candidates) > MAX_MEDIAN_WORDS:
        return False
    between = [after.prose - each.prose for each, after in pairwise(candidates)]
    return median(between) >= MIN_WORDS_BETWEEN


def _rank(candidates: Sequence[_Candidate]) -> tuple[bool, float]:
    """Say whose lines say best what is behind an address that several lists lead to."""
    return candidates[0].is_heading, _middle_words(candidates)


def _middle_words(candidates: Sequence[_Candidate]) -> float:
    return median([each.words for each in candidates]) if candidates else 0.0


def _count_pages(candidates: Sequence[_Candidate]) -> int:
    return len({each.url for each in candidates})


def _candidates(page: Outline, url: str) -> Iterator[_Candidate]:
    """Yield the links of lines that are hardly anything else, outside of menus."""
    addresses, links, paths = _addresses(page, url), page.links, paths_of(page)
    is_heading = page.flat.within(page.flat.having(HEADINGS))
    in_menu = _in_menus(page)
    sizes = page.text_sizes - page.count_in_texts(Count.UNSPACED) / 2
    prose = 0.0
    for start, line in zip(page.line_starts.tolist(), page.lines, strict=True):
        counts = sizes[start : start + len(line)].tolist()
        linked = sum(n for text, n in zip(line, counts, strict=True) if links[text.parent] >= 0)
        before, prose = prose, prose + sum(counts) - linked
        beside = sum(counts) - linked
        if in_menu[line[0].parent] or beside > MAX_WORDS_BESIDE:
            continue
        targets = [addresses.get(links[text.parent]) for text in line]
        numbers = range(start, start + len(line))
        parts = zip(targets, numbers, line, counts, strict=True)
        for target, of_target in groupby(parts, itemgetter(0)):
            _, places, texts, words_of_texts = zip(*of_target, strict=True)
            if target is not None and 0 < sum(words_of_texts) <= MAX_HEADLINE_WORDS:
                element = texts[0].parent
                yield _Candidate(
                    number=places[0],
                    url=target,
                    text=words.clean("".join(text.text for text in texts)),
                    words=sum(words_of_texts),
                    place=_place(page, paths, element),
                    is_heading=bool(is_heading[element]),
                    prose=before,
                )


def _addresses(page: Outline, url: str) -> dict[int, str]:
    """Return where the links of a page lead that lead to other pages."""
    base = base_of(page.root, url)
    rels = page.flat.values("rel")
    own = {url.partition("#")[0], absolute("/", url)}
    found = {}
    for link, href in islice(page.flat.values("href").items(), MAX_LINKS):
        address = (absolute(href, base) or "").partition("#")[0]
        is_advert = not _ADVERTS.isdisjoint(rels.get(link, "").lower().split())
        if address and address not in own and not is_advert and len(address) <= MAX_URL_CHARACTERS:
            found[link] = address
    return found


def _place(page: Outline, paths: dict[int, int], element: int) -> _Place:
    """Return the path of the block that an element stands in, and the classes within the block."""
    block = page.blocks[element]
    classes: list[str] = []
    while element != block and len(classes) < _MAX_CLASSES:
        classes.append(page.flat.distinct_names[page.name_numbers[element]][0])
        element = page.parents[element]
    return (paths[block], *classes)


def _in_menus(page: Outline) -> Booleans:
    """Say of each element whether it stands in a menu or a footer, by tags and names."""
    is_menu = page.flat.having(_MENUS) | (page.count_named(_MENU_NAMES)[:, 0] > 0)
    # The name of a whole page says nothing of its parts.
    is_menu[page.flat.having(_WHOLE)] = False
    return page.flat.within(is_menu)
