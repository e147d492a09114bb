"""Lines that the pages of a template share although their main texts differ.

A line that is the same on all pages of a template is not part of an article (Deturck 2015). A few
pages are not enough evidence, because one may quote or copy another. Therefore, pages with the same
main text are counted as one, and only pages of the same publisher are compared.
"""

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple, Self

import numpy as np

from detourage.html import publisher_of
from detourage.html.flat import Booleans
from detourage.reader import body_by_sentences
from detourage.reader.found_body import kept_texts
from detourage.reader.lines import Line, line_columns, line_digests, lines_of
from detourage.reader.outline import Outline
from detourage.text.calendars import is_long_enough, is_weekday, month_named
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.token_counts import Count, digests_of

MAX_PAGES: Final = 30  # pages of a publisher whose lines are counted for a group
MAX_PUBLISHERS: Final = 8  # largest publishers of a group, the only ones whose pages are counted
MIN_TEXTS: Final = 3  # other main texts that appear together with a shared line
MIN_SHARE: Final = 0.9  # share of the other main texts that appear together with a shared line
MAX_COMMON_SHARE: Final = 2 / 3  # share of a main text's words that may occur in a different one
MAX_LINES: Final = 1_000  # lines stored for a page; further lines are never shared
_MAX_BYTES: Final = 4_000_000  # size of a group's lines after decompression


class PageLines(NamedTuple):
    """Digests of the lines of a page that may be shared with other pages.

    `main` has the lines of the main text, with their word counts. `others` has the other lines of
    the main text's container, and prose outside it; other lines are never mistaken for text.
    """

    main: Mapping[int, int] = {}
    others: frozenset[int] = frozenset()

    @classmethod
    def of(cls, page: Outline) -> Self:
        """Select the lines of a page; there are none if it has no text."""
        body = body_by_sentences.find_body(page)
        if body is None:
            return cls()
        body_lines = set(page.text_lines[kept_texts(page, body)].tolist())
        texts = slice(page.text_starts[body.container], page.text_ends[body.container])
        columns = line_columns(page)
        is_in_container = np.isin(columns.numbers, page.text_lines[texts])
        numbers, word_counts = columns.numbers.tolist(), columns.words.tolist()
        main, others = dict[int, int](), set[int]()
        for place, digest in masked_digests(page, is_in_container | columns.is_prose).items():
            if len(main) + len(others) == MAX_LINES:
                break
            if numbers[place] in body_lines:
                main[digest] = word_counts[place]
            else:
                others.add(digest)
        return cls(main, frozenset(others - main.keys()))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read the output of `to_bytes`; raise ValueError if it is damaged."""
        count = int.from_bytes(data[:2], "little")
        start_of_digests = 2 + 4 * count
        word_counts = np.frombuffer(data[2:start_of_digests], dtype="<u4").tolist()
        digests = np.frombuffer(data[start_of_digests:], dtype="<u8").tolist()
        if len(word_counts) != count or len(digests) < count:
            raise ValueError("the lines of a page are truncated")
        main = dict(zip(digests[:count], word_counts, strict=True))
        return cls(main, frozenset(digests[count:]))

    def to_bytes(self) -> bytes:
        """Serialise the number of main lines, their word counts and digests, and other digests."""
        word_counts = np.array([*self.main.values()], dtype="<u4")
        digests = np.array([*self.main, *sorted(self.others)], dtype="<u8")
        return len(self.main).to_bytes(2, "little") + word_counts.tobytes() + digests.tobytes()


class _PublisherLines(NamedTuple):
    """Lines that appear with nearly all main texts of a publisher's pages.

    `texts` is the number of main texts, `pages` are the digests of the pages' URLs, and `counts`
    is, by the digest of each line, the number of main texts with which it appears.
    """

    texts: int
    pages: frozenset[int]
    counts: Mapping[int, int]


class SharedLines(NamedTuple):
    """The lines that pages of a template group share, by publisher."""

    publishers: Mapping[str, _PublisherLines]

    @classmethod
    def of(cls, pages: Mapping[str, PageLines]) -> Self:
        """Count the lines of pages, given by URL and chosen by `counted_pages`."""
        by_publisher = {}
        for publisher, all_urls in groupby(sorted(pages, key=_sort_key), publisher_of):
            urls = [url for url in all_urls if pages[url].main]
            texts = _lines_by_text([pages[url] for url in urls])
            counts = Counter(line for text in texts for line in text)
            shared = {line: n for line, n in sorted(counts.items()) if _is_shared(n, len(texts))}
            if shared:
                digests = frozenset(_digest_of_url(url) for url in urls)
                by_publisher[publisher] = _PublisherLines(len(texts), digests, shared)
        return cls(by_publisher)

    def on(self, url: str, page: PageLines) -> frozenset[int]:
        """Return the lines that a page shares with other pages of its publisher."""
        publisher = self.publishers.get(publisher_of(url))
        if publisher is None:
            return frozenset()
        is_counted = _digest_of_url(url) in publisher.pages
        return frozenset(
            line
            for line, count in publisher.counts.items()
            if (line in page.main or line in page.others)
            and _is_shared(count - is_counted, publisher.texts - is_counted)
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read the output of `to_bytes`; raise ValueError if it is damaged."""
        from detourage.packed_bytes import unpack

        try:
            values: dict[str, Any] = json.loads(unpack(data, _MAX_BYTES))
            by_publisher = {}
            for publisher, each in values.items():
                counts = dict(zip(each["lines"], each["counts"], strict=True))
                pages = frozenset(each["pages"])
                by_publisher[str(publisher)] = _PublisherLines(int(each["texts"]), pages, counts)
            return cls(by_publisher)
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise ValueError(f"not shared lines: {error!r}") from error

    def to_bytes(self) -> bytes:
        """Serialise and compress the lines."""
        values = {
            publisher: {
                "texts": each.texts,
                "pages": sorted(each.pages),
                "lines": [*each.counts],
                "counts": [*each.counts.values()],
            }
            for publisher, each in self.publishers.items()
        }
        return zlib.compress(json.dumps(values, separators=(",", ":")).encode())


def counted_pages(urls: Iterable[str]) -> list[str]:
    """Choose the pages of a group whose lines are counted, independently of their order.

    The digests of the URLs decide, so that the sample changes little when pages are added.
    """
    by_publisher: defaultdict[str, list[str]] = defaultdict(list)
    for url in urls:
        by_publisher[publisher_of(url)].append(url)
    largest = sorted(by_publisher.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        url
        for _, own_urls in largest[:MAX_PUBLISHERS]
        if len(own_urls) >= MIN_TEXTS
        for url in sorted(own_urls, key=_sort_key)[:MAX_PAGES]
    ]


def masked_digests(page: Outline, chosen: Booleans) -> dict[int, int]:
    """Return the digests of the chosen lines, without dates and, unless they are prose, numbers.

    The numbers of a sentence may be the news: temperatures, results, or prices.
    """
    columns, lines = line_columns(page), lines_of(page)
    has_digits = chosen & (page.tokenised.count(Count.DECIMALS)[columns.texts] > 0)
    places = np.flatnonzero(has_digits)
    digests = line_digests(page)
    digests[places] = digests_of([" ".join(_masked_tokens(lines[i])) for i in places.tolist()])
    places = np.flatnonzero(chosen)
    return dict(zip(places.tolist(), digests[places].tolist(), strict=True))


def _masked_tokens(line: Line) -> list[str]:
    tokens, masked = line.tokens, list[str]()
    copied = end = 0  # end of the tokens copied or masked so far, and of the last run with digits
    for number, token in enumerate(tokens):
        if number < end or token.isalpha() or not _has_digit(token):
            continue
        start = number
        while start > end and _is_date_word(tokens[start - 1]):
            start -= 1
        end = number + 1
        while end < len(tokens) and (_has_digit(tokens[end]) or _is_date_word(tokens[end])):
            end += 1
        if not line.is_prose or _is_date(tokens[start:end]):
            # The time of day may follow after a word, as in "on 3 May 2026 at 8:15".
            after = tokens[end + 1 : end + 3]
            if _is_date(tokens[start:end]) and len(after) > 1 and all(map(_has_digit, after)):
                end += 3
            masked += (*tokens[copied:start], "0")
            copied = end
    return [*masked, *tokens[copied:]]


def _has_digit(token: str) -> bool:
    return any(map(str.isdecimal, token))


def _is_date_word(token: str) -> bool:
    # Short names of months and weekdays, such as "sun", are also other words.
    if not is_long_enough(token):
        return token in _DATE_UNITS
    return month_named(token) is not None or is_weekday(token)


_DATE_UNITS: Final = frozenset("年月日년월일")
_YEAR: Final = lazy_pattern(r"(?:19|20)\d\d")
_MIN_DATE_NUMBERS: Final = 3  # numbers of a date without a word, such as "5 10 2024"


def _is_date(tokens: Sequence[str]) -> bool:
    numbers = [token for token in tokens if _has_digit(token)]
    is_numeric_date = len(numbers) >= _MIN_DATE_NUMBERS and any(map(_YEAR.fullmatch, numbers))
    return is_numeric_date or any(map(_is_date_word, tokens))


def _sort_key(url: str) -> tuple[str, int, str]:
    """Sort pages by publisher, and the pages of a publisher in a pseudo-random order."""
    return publisher_of(url), _digest_of_url(url), url


def _digest_of_url(url: str) -> int:
    from hashlib import blake2b

    digest = blake2b(url.encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return int.from_bytes(digest, "little")


def _is_shared(count: int, text_count: int) -> bool:
    """Return whether a line appears together with enough of a publisher's main texts."""
    return count >= MIN_TEXTS and count >= MIN_SHARE * text_count


def _lines_by_text(pages: Iterable[PageLines]) -> list[set[int]]:
    """Group pages by main text, and return the lines of each group.

    A page joins only one group: that with the longest main text that contains more than
    `MAX_COMMON_SHARE` of the page's words. Otherwise, a page of boilerplate would link all groups.
    """
    merged: list[tuple[PageLines, set[int]]] = []
    for page in sorted(pages, key=lambda each: -sum(each.main.values())):
        max_words = MAX_COMMON_SHARE * sum(page.main.values())
        same_text = (
            lines
            for longer, lines in merged
            if sum(words for line, words in page.main.items() if line in longer.main) > max_words
        )
        lines = next(same_text, None)
        if lines is None:
            lines = set()
            merged.append((page, lines))
        lines |= page.main.keys() | page.others
    return [lines for _, lines in merged]
