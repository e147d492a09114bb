"""Further articles that a page displays in full below its own, for readers who keep scrolling.

Each article begins with a head: a headline, an author, a date and a URL. If several of these are
close to each other below a complete article, a further article begins there.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import takewhile
from typing import Any, Final, NamedTuple

import numpy as np

from detourage.html.flat import Booleans, Integers
from detourage.html.names import split_words
from detourage.html.urls import absolute, base_of, site_of, split_url
from detourage.limits import MAX_URL_CHARACTERS
from detourage.metadata.bylines import BYLINE_MARKS
from detourage.reader.declared_types import declared_types
from detourage.reader.found_body import FoundBody, kept_texts
from detourage.reader.outline import Outline
from detourage.reader.scripts import structured_data
from detourage.reader.vocabulary import PARTS
from detourage.text import words
from detourage.text.dates import find_moments
from detourage.text.patterns import lazy_pattern
from detourage.text.words import squash, word_set

MIN_OWN_WORDS: Final = 50  # body words above a further article; with fewer, it is a section
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

# Words of the name of a ``data-`` attribute with the URL of an article, or with another URL.
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
    """A further article: its URL, and the outermost element around it without the page's own."""

    element: int
    url: str | None


def further_articles(
    page: Outline, body: FoundBody, heading: int | None, url: str
) -> tuple[FurtherArticle, ...]:
    """Find the articles below the page's own, whose headline is the element `heading`, if any."""
    return () if heading is None else tuple(_FurtherArticles(page, body, heading, url).find())


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
        # Remove their lines too: authors and dates are searched for at both ends of the body.
        lines -= {
            text.line
            for each in dropped
            for text in page.texts[page.text_starts[each] : page.text_ends[each]]
        }
    return replace(body, dropped=body.dropped | dropped, lines=lines)


@dataclass(frozen=True, eq=False)
class _FurtherArticles:
    """Search for further articles below the page's own (`body`), whose headline is `heading`."""

    page: Outline
    body: FoundBody
    heading: int
    url: str
    _sites: dict[str, str] = field(default_factory=dict, repr=False)  # by host

    def find(self) -> Sequence[FurtherArticle]:
        """Find the articles; there are none if most of them are too short."""
        page = self.page
        heads = self._heads()
        if not heads or "liveblogposting" in declared_types(page):
            return ()
        found: dict[int, FurtherArticle] = {}
        for head in heads:
            element = self._outermost(head)
            words_above = self._body_words(page.text_ends[self.heading], page.text_starts[element])
            if words_above < MIN_OWN_WORDS or self._is_part(head):
                continue
            declared, linked = self._declared_url(head, element), self._linked_url(head)
            url = declared or linked
            if url is not None and any(url == each.url for each in found.values()):
                # This heading is inside an article that has already been found.
                continue
            if self._is_article(head, element, declared=declared, linked=linked):
                same = next((each for each in found if found[each].element == element), None)
                if same is not None:
                    # A section's name may be a heading above the headline.
                    if page.tags[same] <= page.tags[head]:
                        continue
                    del found[same]
                found[head] = FurtherArticle(element, url)
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
        if self._body_words(page.text_ends[self.heading], len(page.texts)) < MIN_OWN_WORDS:
            return []
        headings = np.flatnonzero(page.flat.having(_HEADINGS))
        headings = headings[(headings >= start) & (headings < end)]
        heads = [index for index in headings.tolist() if 0 < page.size(index) <= MAX_HEADLINE_WORDS]
        for index in self._urls:
            if start <= index < end and page.size(index) >= MIN_ELEMENT_WORDS:
                first, last = np.searchsorted(headings, (index, page.ends[index]))
                if first == last:  # contains no heading
                    heads.append(index)
        return sorted(heads)[:MAX_HEADS]

    def _is_article(
        self, head: int, element: int, *, declared: str | None, linked: str | None
    ) -> bool:
        """Return whether an article begins at a head; `declared` and `linked` are its URLs."""
        has_own_element = self.page.size(element) >= MIN_ELEMENT_WORDS
        # This check comes last because it is the most expensive.
        has_head = partial(self._has_head, head, element, has_own_element=has_own_element)
        looks_like_own = has_own_element and self._resembles_own(head, element)
        if declared is not None:
            return looks_like_own or has_head()
        are_h1 = self.page.tags[head] == self.page.tags[self.heading] == "h1"
        if looks_like_own and (are_h1 or linked is not None or self._is_marked_like_own(head)):
            return are_h1 or has_head()
        if not (are_h1 and has_head() and self._own_has_head):
            return False
        parent, own_parent = (self.page.parents[index] for index in (head, self.heading))
        classes = self._classes(parent)
        is_alike = parent != own_parent and bool(classes) and classes == self._classes(own_parent)
        # Either both articles have an element of their own, or neither.
        return has_own_element == any(self._elements_with_own(element)) or is_alike

    def _is_part(self, head: int) -> bool:
        """Return whether a head belongs to the page's own article or to a live report."""
        own, other = self._own_headline, self._headline(head).casefold()
        return bool(other and (own in other or other in own)) or bool(self._is_live[head])

    @cached_property
    def _own_headline(self) -> str:
        return self._headline(self.heading).casefold()

    @cached_property
    def _is_live(self) -> Booleans:
        """Whether each element is in a live report."""
        return self.page.flat.within(self.page.named(_LIVE_NAMES))

    def _headline(self, head: int) -> str:
        """Return the text of a heading; empty for a head without one."""
        return self.page.text_of(head) if self.page.tags[head] in _HEADINGS else ""

    def _outermost(self, head: int) -> int:
        """Return the outermost element around a head with little of the body above that head."""
        page, element = self.page, head
        for parent in page.ancestry(page.parents[head]):
            is_around_own = parent <= self.heading < page.ends[parent]
            words_above = self._body_words(page.text_starts[parent], page.text_starts[head])
            if is_around_own or words_above > MAX_WORDS_ABOVE:
                break
            element = parent
        return element

    def _is_marked_like_own(self, head: int) -> bool:
        """Return whether a headline has the same markup as the page's own headline."""
        page = self.page
        if page.tags[head] == page.tags[self.heading] == "h1":
            return True
        own, other = (page.name_words(index) & _HEADLINE_NAMES for index in (self.heading, head))
        return page.tags[head] in _HEADINGS and not own.isdisjoint(other)

    def _resembles_own(self, head: int, element: int) -> bool:
        """Return whether an article's element resembles one around the page's own article."""
        page = self.page
        for index in takewhile(lambda each: each >= element, page.ancestry(head)):
            if page.size(index) < MIN_ELEMENT_WORDS:
                continue
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

    def _elements_with_own(self, element: int) -> Iterator[int]:
        """Yield elements that contain the page's own article but not `element`."""
        for index in self.page.ancestry(self.heading):
            if index <= element < self.page.ends[index]:
                return
            start, end = self.page.text_starts[index], self.page.text_ends[index]
            if self._body_words(start, end) >= MIN_OWN_WORDS:
                yield index

    @cached_property
    def _own_has_head(self) -> bool:
        return self._has_head(self.heading, self.heading, has_own_element=False)

    def _classes(self, index: int) -> frozenset[str]:
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
        for place in range(page.text_starts[element], len(page.texts)):
            node = page.texts[place]
            if node.parent >= end or (place and token_ends[place - 1] >= limit):
                break
            if not has_own_element and len(lines) >= MAX_LINES_BELOW and node.line not in lines:
                break
            if not (is_heading and head <= node.parent < page.ends[head]):
                # A headline may begin like the line of an author.
                lines[node.line] = (lines.get(node.line, "") + node.text)[:MAX_HEAD_CHARACTERS]
            for each in page.ancestry(node.parent):
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
        for index in self.page.ancestry(head):
            if index < element:
                break
            if index in self._urls:
                return self._urls[index]
        for index in range(element, self.page.ends[element] if self._item_urls else element):
            if self.page.token_starts[index] > self.page.token_ends[head]:
                break
            if index in self._item_urls:
                return self._item_urls[index]
        return self._by_headline.get(squash(self._headline(head))) if self._by_headline else None

    def _linked_url(self, head: int) -> str | None:
        """Return the same-site URL that a headline links to."""
        page = self.page
        if page.tags[head] not in _HEADINGS:
            return None
        links = {
            page.links[text.parent]
            for text in page.texts[page.text_starts[head] : page.text_ends[head]]
        }
        hrefs = (page.node(link).get("href") for link in links if link >= 0)
        return next(filter(None, map(self._other_page, hrefs)), None)

    @cached_property
    def _urls(self) -> dict[int, str]:
        """URLs of the site's other pages found in attributes such as ``data-url``, by element."""
        urls: dict[int, str] = {}
        for name in self.page.flat.attributes.distinct:
            name_words = split_words(name) if name.startswith("data-") else frozenset()
            is_url = bool(name_words & _URL_WORDS) and not name_words & _OTHER_WORDS
            if is_url or name in _URL_ATTRIBUTES:
                for index, value in self.page.flat.values(name).items():
                    is_link = self.page.tags[index] in ("a", "img", "button")
                    link_url = None if is_link else self._other_page(value)
                    if link_url is not None:
                        urls.setdefault(index, link_url)
        return urls

    @cached_property
    def _item_urls(self) -> dict[int, str]:
        """URLs of the site's other pages found in microdata, by element."""
        urls: dict[int, str] = {}
        for index, name in self.page.flat.values("itemprop").items():
            if name.strip().lower() in _ADDRESS_PROPERTIES:
                node = self.page.node(index)
                for key in ("href", "content", "itemid"):
                    url = self._other_page(node.get(key))
                    if url is not None:
                        urls.setdefault(index, url)
        return urls

    @cached_property
    def _by_headline(self) -> dict[str, str]:
        """URLs of the site's other pages found in structured data, by headline (`squash`)."""
        urls: dict[str, str] = {}
        scripts = (node for node in self.page.declarations if node.tag == "script")
        waiting: list[Any] = [value for _, value in structured_data(scripts, holding="headline")]
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
                    for each in (value.get("url"), page, value.get("@id")):
                        link_url = self._other_page(each) if isinstance(each, str) else None
                        if link_url is not None:
                            urls.setdefault(squash(headline), link_url)
        return urls

    def _other_page(self, link: str | None) -> str | None:
        """Return the absolute URL of a link if it leads to another page of this site, or None."""
        if not link or len(link) > MAX_URL_CHARACTERS or not _IS_ADDRESS.match(link):
            return None
        base, site, own_paths = self._own_url
        url = (absolute(link, base) or "").partition("#")[0]
        host, path = split_url(url).netloc, _path(url)
        if host not in self._sites:
            self._sites[host] = site_of(url)
        if not path or self._sites[host] != site or _FILE.search(path):
            return None
        for own in own_paths:
            if path == own or path.startswith(own + "/") or own.startswith(path + "/"):
                return None
        return url

    @cached_property
    def _own_url(self) -> tuple[str, str, frozenset[str]]:
        """The page's base, site and paths, from the fetched URL and those that it declares."""
        links = (
            node.get("href")
            for node in self.page.declarations
            if node.tag == "link" and "canonical" in (node.get("rel") or "").lower()
        )
        written = [self.url, *links, self.page.metas.get("og:url")]
        first = next(filter(None, (absolute(each, "") for each in written)), "")
        own = [*filter(None, (absolute(each, first) for each in written if each)), ""]
        paths = frozenset(filter(None, map(_path, own)))
        return base_of(self.page.root, own[0]), site_of(own[0]), paths

    def _body_words(self, start: int, end: int) -> int:
        """Count the words of the body in a range of the page's texts."""
        return int(self._words_before[end] - self._words_before[start]) if end > start else 0

    @cached_property
    def _words_before(self) -> Integers:
        """Number of words of the body before each of the page's texts, and of all words."""
        sizes = np.where(kept_texts(self.page, self.body), self.page.text_sizes, 0)
        return np.concatenate([[0], np.cumsum(sizes)])


def _is_head_line(line: str) -> bool:
    """Return whether a line consists almost entirely of an author or a date."""
    text = words.clean(line)
    if not text or len(text) >= MAX_HEAD_CHARACTERS:
        return False
    is_head = _BYLINE.match(text) or next(find_moments(text), None) is not None
    return bool(is_head) and len(words.tokens(text)) <= MAX_HEAD_LINE_WORDS


def _path(url: str) -> str:
    """Return a URL's path without trailing slash and extension; it is empty for a home page."""
    return _EXTENSION.sub("", split_url(url).path.rstrip("/")).lower()
