"""Headlines on a page that lists other pages: links to the listed items, excluding menus.

Links with the same tag path and classes form a list. Headlines are longer than menu entries, or are
marked up as headings. If a page has no list of headlines, its longest list of names (books, firms,
shows) with text between them is used.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise
from operator import attrgetter, itemgetter
from typing import Final

from detourage.html import Page
from detourage.html.addresses import MAX_LINKS, absolute, base_of
from detourage.html.elements import HEADINGS
from detourage.html.flat import Booleans
from detourage.inference.medians import median
from detourage.limits import MAX_URL_CHARACTERS
from detourage.reader.menus import MAX_HEADLINE_WORDS, MIN_HEADLINE_WORDS, paths_of
from detourage.reader.outline import Outline
from detourage.reader.vocabulary import PARTS
from detourage.text import words
from detourage.text.texts import Count
from detourage.text.wordlists import listed

MIN_LISTED: Final = 3
"""Minimum number of headlines in a list. Heading elements are exempt: a front page's lead may be
the only one of its kind."""

MIN_MEDIAN_WORDS: Final = 4.0
"""Minimum median word count of a list's headlines outside heading elements; menu entries are
shorter."""

MAX_MEDIAN_WORDS: Final = 25.0
"""Maximum median word count of a list's links; longer ones are linked teasers."""

MIN_NAMES: Final = 6
"""Minimum number of names in a list. A page with this many headlines needs no list of names."""

MIN_WORDS_BETWEEN: Final = 3.0
"""Minimum median number of unlinked words between names; menus have none."""

MAX_WORDS_BESIDE: Final = 12
"""Maximum number of unlinked words (time, author, date) in the same line as a headline."""

MAX_SHARED: Final = 2
MAX_SHARED_PART: Final = 0.2
"""Maximum number and maximum share of a list's URLs with the same link text, such as "Read more".

The larger of the two limits applies.
"""

MAX_HEADLINES: Final = 1_000
"""Maximum number of headlines per page."""

_MAX_CLASSES = 8

_MENUS = frozenset({"nav", "footer"})
_MENU_NAMES = (PARTS["menu"] | listed("footer copyright")) - listed("tabs")
_WHOLE = frozenset({"html", "body", "main"})
_ADVERTS = frozenset({"sponsored"})


@dataclass(frozen=True)
class HeadlineLink:
    """A link to an item that a page lists; its URL is HTTP or HTTPS and has no fragment."""

    url: str
    headline: str


_Place = tuple[int | str, ...]


@dataclass(frozen=True)
class _Candidate:
    """A link that may be a headline.

    `number` is its position on the page, `place` identifies its list, and `prose` is the number of
    unlinked words before its line.
    """

    number: int
    url: str
    text: str
    words: float
    place: _Place
    is_heading: bool
    prose: float


def headline_links(page: Page) -> tuple[HeadlineLink, ...]:
    """Return a page's links to the items that it lists, in page order, without duplicate URLs.

    The page's own URL and the site's home page are excluded.
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
    """Drop candidates whose link text occurs with many URLs of the list."""
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
    """Rank a list by how well its link texts describe the linked pages."""
    return candidates[0].is_heading, _middle_words(candidates)


def _middle_words(candidates: Sequence[_Candidate]) -> float:
    return median([each.words for each in candidates]) if candidates else 0.0


def _count_pages(candidates: Sequence[_Candidate]) -> int:
    return len({each.url for each in candidates})


def _candidates(page: Outline, url: str) -> Iterator[_Candidate]:
    """Yield the links outside menus that make up nearly all of their line."""
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
    """Return the URLs of links to other pages."""
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
    """Return the path of the block that contains an element, and the classes within the block."""
    block = page.blocks[element]
    classes: list[str] = []
    while element != block and len(classes) < _MAX_CLASSES:
        classes.append(page.flat.distinct_names[page.name_numbers[element]][0])
        element = page.parents[element]
    return (paths[block], *classes)


def _in_menus(page: Outline) -> Booleans:
    """Return, for each element, whether tags and names show that it is in a menu or footer."""
    is_menu = page.flat.having(_MENUS) | (page.count_named(_MENU_NAMES)[:, 0] > 0)
    # The name of an element that encloses the whole page does not describe its parts.
    is_menu[page.flat.having(_WHOLE)] = False
    return page.flat.within(is_menu)
