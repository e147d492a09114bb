"""Locations of an article's parts in its page, so that each part can be found there again."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from detourage.article import Article, ArticleBlock, ArticleMetadata
from detourage.comments import Comment
from detourage.html import Page
from detourage.html.elements import NO_TEXT, WITHIN_SENTENCES
from detourage.html.flat import FlatDocument
from detourage.html.locations import Location, TextLocation, ValueLocations
from detourage.html.nodes import Paths
from detourage.html.source import PageSource
from detourage.text import words

MAX_PATH_CHARACTERS = 200_000
"""Maximum total length of paths; parts beyond it, as on deep, hostile pages, have no location."""

MAX_AROUND = 4
"""Maximum length of a text relative to a value it contains; longer texts may merely mention the
value."""

MAX_OCCURRENCES = 50
"""Maximum number of occurrences of a value that are compared."""

MIN_VALUE_CHARACTERS = 3
"""Minimum length of a value that is searched for; shorter ones occur anywhere."""


def without_locations(article: Article) -> Article:
    """Return an article without references into its markup, which is not the page's own."""
    return replace(
        article,
        blocks=tuple(replace(each, pieces=()) for each in article.blocks),
        images=tuple(replace(each, element=None) for each in article.images),
        embeds=tuple(replace(each, element=None) for each in article.embeds),
        container=None,
        heading=None,
    )


def with_locations(page: Page, article: Article) -> Article:
    """Return an article with the locations of its parts in the page from which it was extracted."""
    locations = PageLocations(page)
    return replace(
        article,
        blocks=tuple(locations.of_blocks(article.blocks, article.container)),
        images=tuple(
            replace(each, location=locations.of_element(each.element, article.container))
            for each in article.images
        ),
        embeds=tuple(
            replace(each, location=locations.of_element(each.element, article.container))
            for each in article.embeds
        ),
        comments=_with_locations(page, article.comments),
        locations=locations.of_values(article),
    )


def _with_locations(page: Page, comments: tuple[Comment, ...]) -> tuple[Comment, ...]:
    if all(each.element is None for each in comments):
        return comments
    # Not the article's locator: its limit on paths must not depend on the comments.
    locations = PageLocations(page)
    return tuple(replace(each, location=locations.of_comment(each)) for each in comments)


@dataclass(frozen=True)
class PageLocations:
    """Locator of elements, texts and values in a page.

    `left` is the number of characters left for further paths; without this limit, the paths of a
    deep page would become too long.
    """

    page: Page
    left: list[int] = field(default_factory=lambda: [MAX_PATH_CHARACTERS])

    def _can_afford(self, paths: Iterable[str]) -> bool:
        self.left[0] -= sum(map(len, paths))
        return self.left[0] >= 0

    @cached_property
    def _paths(self) -> Paths:
        return Paths.of(self.page.flat)

    @cached_property
    def _flat(self) -> FlatDocument:
        return self.page.flat

    @cached_property
    def _source(self) -> PageSource:
        return PageSource.of(self.page)

    def of_element(self, element: int | None, container: int | None) -> Location | None:
        """Return the location of an element's start tag."""
        if element is None:
            return None
        path = self._path(element, container)
        if not self._can_afford([path]):
            return None
        return Location(path, None, *(self._source.tag_range(element) or (None, None)))

    def of_blocks(
        self, blocks: Sequence[ArticleBlock], container: int | None
    ) -> Iterator[ArticleBlock]:
        """Yield the blocks with their locations."""
        for block in blocks:
            if not block.pieces or self.left[0] < 0:
                yield block
                continue
            element = self._element_around(block.pieces)
            path = self._path(element, container)
            texts = tuple(self._texts_of(block, element))
            is_short = self._can_afford([path, *(text.xpath for text in texts)])
            yield block.at(path, texts) if is_short else block

    def of_values(self, article: Article) -> ValueLocations:
        """Return the locations of the title, lead, authors and dates."""
        near = article.heading if article.heading is not None else article.container or 0
        metadata: ArticleMetadata = article.metadata

        def found(value: str | None) -> Location | None:
            return self._of_value(words.clean(value), near) if value else None

        published, modified = metadata.published, metadata.modified
        return ValueLocations(
            title=self._of_text(article.heading) or found(article.title),
            lead=found((metadata.lead or "").partition("\n")[0]),
            authors=tuple(map(found, metadata.authors)),
            published=found(published.written) if published is not None else None,
            modified=found(modified.written) if modified is not None else None,
        )

    def of_comment(self, comment: Comment) -> Location | None:
        """Return the location of a comment's text."""
        if comment.element is None:
            return None
        if not self._can_afford([self._paths.path(comment.element)]):
            return None
        texts = [self._shown[each] for each in comment.texts]
        return self._of_pieces(comment.element, texts)

    def _path(self, element: int, container: int | None) -> str:
        if container is not None and container <= element < self._ends[container]:
            return self._paths.path(element, container)
        return self._paths.path(element)

    def _element_around(self, pieces: Sequence[int]) -> int:
        """Return the innermost element around text nodes, except elements within sentences."""
        tags, above, ends = self._flat.tags, self._above, self._ends
        parents = [self._source.holders[each] for each in pieces]
        element, last = min(parents), max(parents)
        while (last >= ends[element] or tags[element] in WITHIN_SENTENCES) and above[element] >= 0:
            element = above[element]
        return element

    @cached_property
    def _above(self) -> list[int]:
        above: list[int] = self._flat.parents.tolist()
        return above

    @cached_property
    def _ends(self) -> list[int]:
        ends: list[int] = self._flat.ends.tolist()
        return ends

    def _texts_of(self, block: ArticleBlock, element: int) -> Iterator[TextLocation]:
        starts, ends = self._source.ranges
        source, pieces, is_code = self._source, self._flat.pieces, block.type == "code"
        at = 0
        for piece in block.pieces:
            raw = pieces.texts[piece]
            text = words.clean_verbatim(raw).strip() if is_code else words.clean(raw)
            while at < len(block.text) and block.text[at].isspace():
                at += 1
            if not text or not block.text.startswith(text, at):
                continue
            start, at = at, at + len(text)
            parent, from_byte = source.holders[piece], starts[piece]
            yield TextLocation(
                block.start + start,
                block.start + at,
                self._paths.path(parent, element),
                source.own_offset(piece) + raw.index(text[0]),
                from_byte if from_byte >= 0 else None,
                ends[piece] if from_byte >= 0 else None,
            )

    def _of_text(self, element: int | None) -> Location | None:
        """Return the location of all text in an element."""
        if element is None:
            return None
        return self._of_pieces(element, self._source.texts_below(element))

    def _of_pieces(self, element: int, pieces: Iterable[int]) -> Location:
        ranges = [found for each in pieces if (found := self._source.text_range(each))]
        path = self._paths.path(element)
        if not ranges:
            return Location(path)
        return Location(path, None, min(ranges)[0], max(each.end for each in ranges))

    @cached_property
    def _shown(self) -> list[int]:
        """The indices of the text nodes that are not blank."""
        texts = self._flat.pieces.texts
        return [number for number, text in enumerate(texts) if not text.isspace()]

    def _of_value(self, value: str, near: int) -> Location | None:
        """Find a value in a text or, failing that, in an attribute or a script.

        If several texts contain it, the one nearest to the element `near` is chosen.
        """
        if len(value) < MIN_VALUE_CHARACTERS:
            return None
        flat, holders = self._flat, self._source.holders
        numbers, texts = self._displayed
        shown = [numbers[each] for each in _holding(texts, value)]
        # A longer text may mention the value in passing.
        own = [each for each in shown if len(flat.pieces.texts[each]) <= MAX_AROUND * len(value)]
        attribute = next(_holding(self._values, value), None)
        if own or (shown and attribute is None):
            piece = min(own or shown, key=lambda each: abs(holders[each] - near))
            return self._of_pieces(holders[piece], [piece])
        if attribute is not None:
            element = int(flat.attributes.owners[attribute])
            name = flat.attributes.distinct[flat.attributes.names[attribute]]
            tag = self._source.tag_range(element) or (None, None)
            return Location(self._paths.path(element), name, *tag)
        for piece, text in enumerate(flat.pieces.texts):
            if value in text:
                within = self._source.value_range(piece, value) or (None, None)
                return Location(self._paths.path(holders[piece]), None, *within)
        return None

    @cached_property
    def _displayed(self) -> tuple[list[int], str]:
        """The indices of the displayed texts, and these texts joined by NUL."""
        flat = self._flat
        silent = flat.within(flat.having(NO_TEXT))
        numbers: list[int] = np.flatnonzero(~silent[flat.pieces.parents]).tolist()
        return numbers, "\x00".join([flat.pieces.texts[each] for each in numbers])

    @cached_property
    def _values(self) -> str:
        return "\x00".join(self._flat.attributes.values)


def _holding(joined: str, value: str) -> Iterator[int]:
    """Yield the indices of the NUL-separated texts that contain a value between word boundaries."""
    number, counted = 0, 0
    at = joined.find(value)
    for _ in range(MAX_OCCURRENCES):
        if at < 0:
            return
        number += joined.count("\x00", counted, at)
        counted = at
        if not _continues(joined[at - 1 : at]) and not _continues(
            joined[at + len(value) : at + len(value) + 1]
        ):
            yield number
        after = joined.find("\x00", at)
        at = joined.find(value, after) if after >= 0 else -1


def _continues(character: str) -> bool:
    """Return whether a character next to a value shows that the value is part of a longer word."""
    return character.isalnum() and not words.count_unspaced(character)
