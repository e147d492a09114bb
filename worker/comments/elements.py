"""A page's elements in document order, with what each one holds counted beforehand."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt
from lxml import etree
from lxml.html import HtmlElement

from worker.language.wordlists import listed
from worker.pages.elements import HEADINGS, UNSEEN

Integers = npt.NDArray[np.int64]

LONGEST_DATE = 80
"""Characters of the longest text that is looked at for a date: a longer one is prose."""

LETTERS_OF_IDEOGRAPH = 3
"""Letters that a Chinese, Japanese or Korean character is counted as; two make a word."""

OFTEN = 3
"""Times that a page shows a text from which on it is taken for a button or a label."""

_DATE = re.compile(
    r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}"
    r"|\d{4}[./-]\d{1,2}[./-]\d{1,2}"
    r"|\b\d{1,2}\s?[:h]\s?\d{2}\b"
    r"|\b(?:19|20)\d{2}\b"
    r"|[年月日]"
    r"|\b\d+\s?(?:[smhdwy]|sec|min|hr|std|tag|jahr|jour|heure|second|minute|hour|day|week|month"
    r"|year|sekunde|stunde|woche|monat|semaine|mois|hora|minuto|día|dia|semana|mes|año)",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_SENTENCE_END = re.compile(r"[。！？]|[.!?…؟](?=\s|$|[”\"')])")
_IDEOGRAPH = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff]")
_DISCUSSION = re.compile(
    r"comm?ent|kommentar|repl[yi]|respon|post(?!s\b)|message|discuss|forum|thread|review|opinion"
    r"|beitrag|antwort|react|réagi|author|autor|avatar|user|member|profil",
    re.IGNORECASE,
)
_OTHER_PART = re.compile(
    r"nav|menu|sidebar|related|teaser|footer|header|widget|recent|popular|latest|share|social"
    r"|gallery|product|categor|tag|archive|blogroll|most|list|entry|article|story|content",
    re.IGNORECASE,
)


_PERSONAL = listed(
    "i i'm i've i'd i'll me my you your you're we're thanks thank please lol "
    "ich mir mich mein meine du dir dich dein deine ihr euch danke bitte "
    "je j'ai moi mon ma mes tu toi ton vous votre vos merci "
    "yo mi mí me tú te usted gracias eu meu você obrigado io mio tuo grazie "
    "ja mnie mój ty ci cię dzięki dziękuję ik mij mijn jij je jouw dank bedankt "
    "я мне мой ты вы вам спасибо εγώ μου εσύ σου ευχαριστώ jag mig du dig tack"
)
_OF_TEXT = ("characters", "words", "sentences", "exclamations", "personal", "dates")
_IN_PLACE = ("texts", "link_characters", "repeated", "repeated_characters")
_OF_TAG = {
    "a": "links",
    "img": "images",
    "p": "paragraphs",
    "br": "breaks",
    "input": "fields",
    "textarea": "fields",
    "select": "fields",
    "button": "fields",
    "time": "times",
    "li": "items",
    **dict.fromkeys(HEADINGS, "headings"),
}
_OF_LINK = ("long_links", "fragment_links", "unendorsed_links")
_OF_ELEMENT = (
    *("elements", *dict.fromkeys(_OF_TAG.values())),
    *(*_OF_LINK, "discussing", "other_parts"),
)

COUNTED = (*_OF_TEXT, *_IN_PLACE, *_OF_ELEMENT)
"""What is counted of every element, all that is below it included.

``repeated`` are the texts that the page shows `OFTEN`; ``discussing`` and ``other_parts`` the
elements whose class or id speaks of a discussion, or of another part of a page; ``personal`` are
words that writers address each other with. ``long_links`` read like headlines,
``fragment_links`` lead to a place in a page, ``unendorsed_links`` are those that a site does
not vouch for, as it marks what readers bring (``rel``).
"""

HEADLINE = 25
"""Letters of a link that reads like a headline."""

_UNENDORSED = frozenset(["nofollow", "ugc", "external"])

_TEXT_COLUMNS = len(_OF_TEXT) + len(_IN_PLACE)
_LINK_COLUMNS = [_OF_ELEMENT.index(name) for name in _OF_LINK]
_COLUMN_OF_TAG = {tag: _OF_ELEMENT.index(name) for tag, name in _OF_TAG.items()}


@dataclass
class PageElements:
    """The elements of a page that a browser shows something of, the root first.

    An element is named by its index; its descendants are the indices up to its end.

    Attributes
    ----------
    elements
        The elements; left out with all that is below them are those of
        `worker.pages.elements.UNSEEN`. What a style hides is kept: a page may unfold its comments.
    tags
        Their tags.
    parents
        Index of the parent, -1 for the root.
    depths
        Number of elements around each.
    ends
        Index after the last descendant.
    texts
        Texts between tags, white space normalised, none of them empty.
    linked
        Whether each text stands in a link.
    text_starts, text_ends
        Stretch of `texts` below the element.
    """

    elements: list[HtmlElement] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    linked: list[bool] = field(default_factory=list)
    text_starts: list[int] = field(default_factory=list)
    text_ends: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, document: HtmlElement) -> Self:
        """Flatten a parsed document in one pass."""
        page = cls()
        open_elements: list[int] = []
        links = 0
        walk = etree.iterwalk(document, events=("start", "end"))
        for event, node in walk:
            tag = node.tag
            text: str | None
            if event == "start":
                if tag in UNSEEN:
                    walk.skip_subtree()
                    continue
                page.parents.append(open_elements[-1] if open_elements else -1)
                page.depths.append(len(open_elements))
                open_elements.append(len(page.elements))
                page.elements.append(node)
                page.tags.append(tag)
                page.ends.append(0)
                page.text_starts.append(len(page.texts))
                page.text_ends.append(0)
                links += tag == "a"
                text = node.text
            else:
                if tag not in UNSEEN:
                    index = open_elements.pop()
                    page.ends[index] = len(page.elements)
                    page.text_ends[index] = len(page.texts)
                    links -= tag == "a"
                text = node.tail if open_elements else None
            if text and not text.isspace():
                page.texts.append(" ".join(text.split()))
                page.linked.append(links > 0)
        return page

    def __len__(self) -> int:
        return len(self.elements)

    @cached_property
    def name_kinds(self) -> list[tuple[bool, bool]]:
        """For every element whether its names speak of a discussion, and of another part."""
        return [
            _name_kind(element.get("class") or "", element.get("id") or "")
            for element in self.elements
        ]

    @cached_property
    def counts(self) -> Integers:
        """What each element holds, shape (elements, `COUNTED`)."""
        counts = np.empty((len(self), len(COUNTED)), dtype=np.int64)
        starts, ends = np.array(self.text_starts), np.array(self.text_ends)
        texts = _summed(self._counts_of_texts())
        counts[:, :_TEXT_COLUMNS] = texts[ends] - texts[starts]
        elements = _summed(self._counts_of_elements())
        counts[:, _TEXT_COLUMNS:] = elements[np.array(self.ends)] - elements[:-1]
        return counts

    @cached_property
    def lengths(self) -> Integers:
        """Number of letters and other characters of each text, see `LETTERS_OF_IDEOGRAPH`."""
        return np.array([_length(text) for text in self.texts], dtype=np.int64)

    def _counts_of_texts(self) -> Integers:
        counts = np.zeros((len(self.texts), _TEXT_COLUMNS), dtype=np.int64)
        if self.texts:
            counts[:, : len(_OF_TEXT)] = [_counts_of_text(text) for text in self.texts]
            times = Counter(self.texts)
            repeated = np.array([times[text] >= OFTEN for text in self.texts])
            counts[:, len(_OF_TEXT) :] = np.column_stack(
                [
                    np.ones(len(self.texts), dtype=np.int64),
                    np.where(self.linked, self.lengths, 0),
                    repeated,
                    np.where(repeated, self.lengths, 0),
                ]
            )
        return counts

    def _counts_of_elements(self) -> Integers:
        counts = np.zeros((len(self), len(_OF_ELEMENT)), dtype=np.int64)
        counts[:, 0] = 1
        for index, tag in enumerate(self.tags):
            column = _COLUMN_OF_TAG.get(tag)
            if column is not None:
                counts[index, column] = 1
            if tag == "a":
                counts[index, _LINK_COLUMNS] = self._link_kinds(index)
        counts[:, -2:] = self.name_kinds
        return counts

    def _link_kinds(self, index: int) -> tuple[bool, bool, bool]:
        """Say which of `_OF_LINK` a link is."""
        link = self.elements[index]
        letters = sum(self.lengths[self.text_starts[index] : self.text_ends[index]].tolist())
        fragment = (link.get("href") or "").partition("#")[2]
        kinds = (link.get("rel") or "").lower().split()
        return letters >= HEADLINE, len(fragment) > 1, not _UNENDORSED.isdisjoint(kinds)

    def text_of(self, index: int, without: Iterable[int] = ()) -> str:
        """Return the text below an element on one line, without that of some inside it.

        Parameters
        ----------
        index
            The element.
        without
            Elements inside it, none inside another, rising.
        """
        pieces: list[str] = []
        start = self.text_starts[index]
        for inner in without:
            pieces += self.texts[start : self.text_starts[inner]]
            start = self.text_ends[inner]
        pieces += self.texts[start : self.text_ends[index]]
        return " ".join(pieces)


MAX_NAMES = 2_000
"""Characters of an element's classes, and of its id, that are looked at."""


@lru_cache(maxsize=8192)
def _name_kind(classes: str, identity: str) -> tuple[bool, bool]:
    names = f"{classes[:MAX_NAMES]} {identity[:MAX_NAMES]}"
    return _DISCUSSION.search(names) is not None, _OTHER_PART.search(names) is not None


def _counts_of_text(text: str) -> tuple[int, int, int, int, int, bool]:
    has_date = (
        len(text) <= LONGEST_DATE
        and _DIGIT.search(text) is not None
        and _DATE.search(text) is not None
    )
    # What stands between spaces, not `worker.language.words.tokens`: the shipped classifiers were
    # trained on this count.
    words = text.lower().split(" ")
    return (
        _length(text),
        len(words) + _ideographs(text) // 2,
        len(_SENTENCE_END.findall(text)),
        text.count("!") + text.count("?"),
        sum(word in _PERSONAL for word in words),
        has_date,
    )


def _length(text: str) -> int:
    return len(text) + (LETTERS_OF_IDEOGRAPH - 1) * _ideographs(text)


def _ideographs(text: str) -> int:
    return 0 if text.isascii() else len(_IDEOGRAPH.findall(text))


def _summed(counts: Integers) -> Integers:
    """Return the sums of all rows before each row, and of all."""
    sums = np.zeros((len(counts) + 1, counts.shape[1]), dtype=np.int64)
    np.cumsum(counts, axis=0, out=sums[1:])
    return sums
