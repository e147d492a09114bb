"""Further articles that a page displays in full below its own, for readers who keep scrolling.

Each article begins with a head: a headline, an author, a date and a URL. If several of these are
close to each other below a complete article, a further article begins there.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import takewhile
from typing import Any, Final, NamedTuple

import numpy as np

from detourage.html.class_name_splitting import split_words
from detourage.html.urls import absolute, base_of, site_of, split_url
from detourage.limits import MAX_URL_CHARACTERS
from detourage.metadata.bylines import BYLINE_MARKS
from detourage.reader.class_words import PARTS
from detourage.reader.declared_types import declared_types
from detourage.reader.found_body import FoundBody, kept_texts
from detourage.reader.outline import Outline
from detourage.reader.scripts import structured_data
from detourage.records import record
from detourage.text import words
from detourage.text.caches import cached_if_short
from detourage.text.dates import find_moments
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.words import squash, word_set

MIN_OWN_WORDS: Final = 50  # body words above a further article; with fewer above, it is a section
MIN_ELEMENT_WORDS: Final = 50  # words in an element that holds an article, not just its head
MIN_FURTHER_WORDS: Final = 100  # median word count of the further articles; teasers are shorter
MAX_WORDS_ABOVE: Final = 40  # words of an article above its headline (section, date, caption)
MAX_WORDS_BELOW: Final = 60  # words below a headline that are searched for an author and a date
MAX_LINES_BELOW: Final = 3  # lines searched below a headline if no element holds the article
MAX_HEAD_LINE_WORDS: Final = 15  # words in a line with an author or a date
MAX_HEAD_CHARACTERS: Final = 160  # length of a line with an author or a date
MAX_HEADLINE_WORDS: Final = 60  # words in a headline
MAX_HEADS: Final = 200  # headlines examined below the page's headline
MAX_VALUES: Final = 2_000  # values examined in a page's structured data

_HEADINGS: Final = ("h1", "h2", "h3", "h4")

# Words of the class or ID of elements with an author or a date, of headlines, of articles, and of
# live reports.
_HEAD_NAMES: Final = word_set(
    "byline author authors date datetime timestamp published pubdate posted dateline meta postmeta"
)
_HEADLINE_NAMES: Final = PARTS["title"] | word_set("name")
_ARTICLE_NAMES: Final = word_set("article post entry story hentry item node news document")
_LIVE_NAMES: Final = word_set("live liveblog liveticker livefeed ticker")
_HEAD_PROPERTIES: Final = word_set("author datepublished datemodified")  # in `rel` and `itemprop`

# Words in the names of ``data-`` attributes that contain an article's URL, and of those that
# contain another URL.
_URL_WORDS: Final = word_set("url href permalink link uri canonical path location")
_OTHER_WORDS: Final = word_set(
    "image img src thumb thumbnail photo picture video audio media ajax api load comment comments"
    " login action background author target feed rss embed tracking ad ads"
)
_URL_ATTRIBUTES: Final = ("about", "resource", "itemid")  # of RDFa and microdata
_ADDRESS_PROPERTIES: Final = word_set("url mainentityofpage")  # of microdata (``itemprop``)
_FILE: Final = lazy_pattern(r"\.(?:jpe?g|png|gif|webp|avif|svg|mp[34]|pdf|js|css|json|xml)$", re.I)
_IS_ADDRESS: Final = re.compile(r"(?:https?://|/)[^\s/]")
_EXTENSION: Final = lazy_pattern(r"\.[a-z]{3,5}$")
_BYLINE: Final = lazy_pattern(rf"\W*(?:{BYLINE_MARKS})(?:\s*[:：]\s*|\s+)\S", re.IGNORECASE)
_ARTICLE_TYPE: Final = lazy_pattern(r"article|posting|report", re.IGNORECASE)  # NewsArticle


class FurtherArticle(NamedTuple):
    """An article's URL, and the outermost element that holds it but not the page's own article."""

    element: int
    url: str | None


def further_articles(
    page: Outline, body: FoundBody, heading: int | None, url: str
) -> tuple[FurtherArticle, ...]:
    """Find the articles below the page's own article, which has the headline element `heading`."""
    return () if heading is None else tuple(_Search(page, body, heading, url).find())


def without_further_articles(
    page: Outline, body: FoundBody, further: Sequence[FurtherArticle]
) -> FoundBody:
    """Remove further articles from a body."""
    if not further:
        return body
    dropped: set[int] = set()
    for element, _ in further:
        dropped.add(element)
        if page.size(element) >= MIN_ELEMENT_WORDS:
            continue
        # The element holds only the head, and the rest of the article follows it.
        ancestor = element
        while ancestor != body.container and (parent := page.parents[ancestor]) >= 0:
            dropped.update(each for each in page.children(parent) if each > ancestor)
            ancestor = parent
    lines = body.lines
    if lines is not None:
        # Remove the elements' lines: authors and dates are searched for at both ends of the body.
        ranges = (slice(page.text_starts[each], page.text_ends[each]) for each in dropped)
        lines = lines.difference(*(page.text_lines[each].tolist() for each in ranges))
    return replace(body, dropped=body.dropped | dropped, lines=lines)


@record
class _Search:
    """Search for further articles below the page's own (`body`), whose headline is `heading`."""

    page: Outline
    body: FoundBody
    heading: int
    url: str

    def find(self) -> Sequence[FurtherArticle]:
        """Find the articles; there are none if most of them are too short."""
        page = self.page
        heads = self._heads()
        if not heads or "liveblogposting" in declared_types(page):
            return ()
        found: dict[int, FurtherArticle] = {}
        for head in heads:
            article = self._article_at(head)
            # A heading with the same URL is inside an article that has already been found.
            urls = {each.url for each in found.values()} - {None}
            if article is None or article.url in urls:
                continue
            same = next((each for each in found if found[each].element == article.element), None)
            if same is not None:
                # A section's name may be a heading above the headline.
                if page.tags[same] <= page.tags[head]:
                    continue
                del found[same]
            found[head] = article
        if not found:
            return ()
        starts = [page.token_starts[head] for head in found]
        lengths = np.diff([*starts, page.token_ends[self.body.container]])
        sizes = np.array([page.size(each.element) for each in found.values()])
        # An element with little more than the head does not contain the rest of its article.
        lengths = np.where(sizes >= MIN_ELEMENT_WORDS, np.minimum(lengths, sizes), lengths)
        return [*found.values()] if np.median(lengths) >= MIN_FURTHER_WORDS else ()

    def _heads(self) -> list[int]:
        """Return the possible heads of articles: headings, and other elements with a URL."""
        page, container = self.page, self.body.container
        start, end = max(page.ends[self.heading], container + 1), page.ends[container]
        if self._body_words(page.text_ends[self.heading], len(page.text_lines)) < MIN_OWN_WORDS:
            return []
        headings = np.flatnonzero(page.flat.having(_HEADINGS))
        headings = headings[(headings >= start) & (headings < end)]
        heads = [index for index in headings.tolist() if 0 < page.size(index) <= MAX_HEADLINE_WORDS]
        for index, addresses in self._addresses.items():
            if start <= index < end and page.size(index) >= MIN_ELEMENT_WORDS:
                first, last = np.searchsorted(headings, (index, page.ends[index]))
                if first == last and self._first_page(addresses):  # contains no heading
                    heads.append(index)
        return sorted(heads)[:MAX_HEADS]

    def _article_at(self, head: int) -> FurtherArticle | None:
        """Return the further article that begins at a head, or None."""
        page, heading = self.page, self.heading
        element = self._outermost(head)
        if self._body_words(page.text_ends[heading], page.text_starts[element]) < MIN_OWN_WORDS:
            return None
        has_element = page.size(element) >= MIN_ELEMENT_WORDS
        has_head = partial(self._has_head, head, element, has_own_element=has_element)
        are_h1 = page.tags[head] == page.tags[heading] == "h1"
        looks_like_own = has_element and self._resembles_own(head, element)
        url = self._declared_url(head, element)
        # The search for an author or a date comes last because it is the most expensive.
        if looks_like_own:
            is_article = url or are_h1 or (self._is_marked_like_own(head) and has_head())
        else:
            is_alike = url or (are_h1 and self._is_placed_like_own(head, element))
            is_article = is_alike and has_head()
        if not is_article or self._is_part(head):
            return None
        return FurtherArticle(element, url or self._linked_url(head))

    def _is_part(self, head: int) -> bool:
        """Return whether a head belongs to the page's own article or to a live report."""
        own, other = (self._headline(each).casefold() for each in (self.heading, head))
        is_live = self.page.flat.within(self.page.named(_LIVE_NAMES))[head]
        return bool(is_live or (other and (own in other or other in own)))

    def _headline(self, head: int) -> str:
        """Return the text of a head that is a heading; empty for other heads."""
        return self.page.text_of(head) if self.page.tags[head] in _HEADINGS else ""

    def _outermost(self, head: int) -> int:
        """Return the outermost element around a head that has few body words above the head."""
        page, element = self.page, head
        for parent in page.ancestry(page.parents[head]):
            is_around_own = parent <= self.heading < page.ends[parent]
            words_above = self._body_words(page.text_starts[parent], page.text_starts[head])
            if is_around_own or words_above > MAX_WORDS_ABOVE:
                break
            element = parent
        return element

    def _is_marked_like_own(self, head: int) -> bool:
        """Return whether a headline has a link, or a name like that of the page's own headline."""
        page = self.page
        own, other = (page.name_words(index) & _HEADLINE_NAMES for index in (self.heading, head))
        is_named = page.tags[head] in _HEADINGS and not own.isdisjoint(other)
        return is_named or self._linked_url(head) is not None

    def _resembles_own(self, head: int, element: int) -> bool:
        """Return whether an article's element resembles one around the page's own article."""
        page = self.page
        around = takewhile(lambda each: each >= element, page.ancestry(head))
        for index in (each for each in around if page.size(each) >= MIN_ELEMENT_WORDS):
            for own in self._elements_with_own(element):
                if page.tags[own] != page.tags[index]:
                    continue
                shared = self._classes(index) & self._classes(own)
                is_article = any(
                    not _ARTICLE_NAMES.isdisjoint(split_words(each)) for each in shared
                )
                if is_article or page.tags[index] == "article":
                    return True
        return False

    def _is_placed_like_own(self, head: int, element: int) -> bool:
        """Return whether the element around a head resembles that around the page's own head."""
        page, heading = self.page, self.heading
        if not self._has_head(heading, heading, has_own_element=False):
            return False
        # Both articles must have a separate element, or neither of them.
        has_element = page.size(element) >= MIN_ELEMENT_WORDS
        parent, own_parent = page.parents[head], page.parents[heading]
        classes = self._classes(parent)
        is_alike = parent != own_parent and bool(classes) and classes == self._classes(own_parent)
        return is_alike or has_element == bool(self._elements_with_own(element))

    def _elements_with_own(self, element: int) -> list[int]:
        """Return the elements that contain the page's own article but not `element`."""
        return [each for each in self._around_own if not each <= element < self.page.ends[each]]

    @cached_property
    def _around_own(self) -> list[int]:
        """The elements around the page's own headline that contain its article."""
        page = self.page
        return [
            index
            for index in page.ancestry(self.heading)
            if self._body_words(page.text_starts[index], page.text_ends[index]) >= MIN_OWN_WORDS
        ]

    def _classes(self, index: int) -> frozenset[str]:
        """Return the classes of an element, which precede its ID in `distinct_names`."""
        return frozenset(self.page.flat.distinct_names[self.page.name_numbers[index]][0].split())

    def _has_head(self, head: int, element: int, *, has_own_element: bool) -> bool:
        """Return whether there is an author or a date next to a headline."""
        page, end = self.page, self.page.ends[element]
        token_ends = page.tokenised.ends
        if not has_own_element:
            element, end = head, len(page.tags)
        is_heading = page.tags[head] in _HEADINGS
        limit = (page.token_ends if is_heading else page.token_starts)[head] + MAX_WORDS_BELOW
        lines: dict[int, str] = {}
        for place in range(page.text_starts[element], len(page.text_lines)):
            parent, line = page.text_parents.item(place), page.text_lines.item(place)
            if parent >= end or (place and token_ends[place - 1] >= limit):
                break
            if not has_own_element and len(lines) >= MAX_LINES_BELOW and line not in lines:
                break
            if not (is_heading and head <= parent < page.ends[head]):
                # A headline may begin like a byline.
                text = page.flat.texts[place]
                lines[line] = (lines.get(line, "") + text)[:MAX_HEAD_CHARACTERS]
            for each in page.ancestry(parent):
                if each < element or page.size(each) > MAX_HEAD_LINE_WORDS:
                    break
                if self._is_head_element(each):
                    return True
        return any(map(_is_head_line, lines.values()))

    def _is_head_element(self, index: int) -> bool:
        """Return whether the markup of an element declares an author or a date."""
        page = self.page
        if page.tags[index] == "time" or not _HEAD_NAMES.isdisjoint(page.name_words(index)):
            return True
        values = (page.flat.values(name).get(index, "") for name in ("rel", "itemprop"))
        return any(value.lower() in _HEAD_PROPERTIES for value in values)

    def _declared_url(self, head: int, element: int) -> str | None:
        """Return the URL that the page declares for a further article."""
        page, items = self.page, [*self._item_addresses]
        around = takewhile(lambda each: each >= element, page.ancestry(head))
        addresses = [self._addresses[each] for each in around if each in self._addresses]
        for item in items[bisect_left(items, element) : bisect_left(items, page.ends[element])]:
            if page.token_starts[item] > page.token_ends[head]:
                break
            addresses.append(self._item_addresses[item])
        url = next(filter(None, map(self._first_page, addresses)), None)
        links = self._links_by_headline.get(squash(self._headline(head)), ())
        return url or self._first_page(links)

    def _linked_url(self, head: int) -> str | None:
        """Return the same-site URL that a headline links to."""
        page = self.page
        if page.tags[head] not in _HEADINGS:
            return None
        parents = page.text_parents[page.text_starts[head] : page.text_ends[head]]
        links = {*page.link_numbers[parents].tolist()}
        return self._first_page(page.node(link).get("href") for link in links if link >= 0)

    @cached_property
    def _addresses(self) -> dict[int, list[str]]:
        """Addresses in attributes such as ``data-url``, by element."""
        page, attributes = self.page, self.page.flat.attributes
        found: defaultdict[int, list[str]] = defaultdict(list)
        for name in attributes.distinct:
            if name in _URL_ATTRIBUTES or (name.startswith("data-") and _names_address(name)):
                for number, value in attributes.by_element(name).items():
                    found[number].append(value)
        if not found:
            return {}
        has_address = np.zeros(len(page.document.ends), np.bool_)
        has_address[[*found]] = True
        has_address &= ~page.document.having(("a", "img", "button"))
        places = np.flatnonzero(has_address[page.flat.numbers])
        numbers = page.flat.numbers[places].tolist()
        return {
            place: found[number] for place, number in zip(places.tolist(), numbers, strict=True)
        }

    @cached_property
    def _item_addresses(self) -> dict[int, list[str]]:
        """Addresses in microdata, by element."""
        values = self.page.flat.values
        return {
            index: [values(key).get(index, "") for key in ("href", "content", "itemid")]
            for index, name in values("itemprop").items()
            if name.strip().lower() in _ADDRESS_PROPERTIES
        }

    @cached_property
    def _links_by_headline(self) -> dict[str, list[str]]:
        """The URLs that structured data gives for each headline; keys are from `squash`."""
        addresses: defaultdict[str, list[str]] = defaultdict(list)
        data = structured_data(self.page.document, lambda text: "headline" in text)
        waiting: list[Any] = [value for _, value in data]
        for _ in range(MAX_VALUES):
            if not waiting:
                break
            value = waiting.pop()
            if isinstance(value, list):
                waiting += value[:MAX_VALUES]
            elif isinstance(value, dict):
                waiting += [each for each in value.values() if isinstance(each, dict | list)]
                headline, kind = value.get("headline"), value.get("@type")
                if isinstance(headline, str) and _ARTICLE_TYPE.search(str(kind)):
                    page = value.get("mainEntityOfPage")
                    page = page.get("@id") if isinstance(page, dict) else page
                    written = (value.get("url"), page, value.get("@id"))
                    strings = [each for each in written if isinstance(each, str)]
                    addresses[squash(headline)] += strings
        return addresses

    def _first_page(self, links: Iterable[str | None]) -> str | None:
        """Return the absolute URL of the first link to another page of this site, or None."""
        return next(filter(None, map(self._other_page, links)), None)

    def _other_page(self, link: str | None) -> str | None:
        """Return the absolute URL of a link if it leads to another page of this site, or None."""
        if not link or len(link) > MAX_URL_CHARACTERS or not _IS_ADDRESS.match(link):
            return None
        base, site, own_paths = self._own_url
        url = (absolute(link, base) or "").partition("#")[0]
        path = _path(url)
        if not path or site_of(url) != site or _FILE.search(path):
            return None
        for own in own_paths:
            if path == own or path.startswith(own + "/") or own.startswith(path + "/"):
                return None
        return url

    @cached_property
    def _own_url(self) -> tuple[str, str, frozenset[str]]:
        """The page's base, site and paths, from its URL and the URLs that the page declares."""
        links = (
            node.get("href")
            for node in self.page.root.iter("link")
            if "canonical" in (node.get("rel") or "").lower()
        )
        written = [self.url, *links, self.page.metas.get("og:url")]
        first = next(filter(None, (absolute(each, "") for each in written)), "")
        own = [*filter(None, (absolute(each, first) for each in written if each))]
        paths = frozenset(filter(None, map(_path, own)))
        url = own[0] if own else ""
        return base_of(self.page.root, url), site_of(url), paths

    def _body_words(self, start: int, end: int) -> int:
        """Count the words of the body in a range of the page's texts."""
        return max(0, self._words_before[end] - self._words_before[start])

    @cached_property
    def _words_before(self) -> list[int]:
        """Number of words of the body before each of the page's texts, and finally their total."""
        sizes = self.page.text_sizes * kept_texts(self.page, self.body)
        return [0, *np.cumsum(sizes).tolist()]


def _is_head_line(line: str) -> bool:
    """Return whether a line consists almost entirely of an author or a date."""
    text = words.clean(line)
    if not text or len(text) >= MAX_HEAD_CHARACTERS:
        return False
    is_head = _BYLINE.match(text) or next(find_moments(text), None) is not None
    return bool(is_head) and len(words.tokens(text)) <= MAX_HEAD_LINE_WORDS


@cached_if_short(1024)
def _names_address(name: str) -> bool:
    """Return whether the name of a ``data-`` attribute denotes the URL of an article."""
    name_words = split_words(name)
    return not name_words.isdisjoint(_URL_WORDS) and name_words.isdisjoint(_OTHER_WORDS)


def _path(url: str) -> str:
    """Return a URL's path without trailing slash and extension; it is empty for a home page."""
    return _EXTENSION.sub("", split_url(url).path.rstrip("/")).lower()
