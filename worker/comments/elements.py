"""A page's elements in document order, with what each one holds counted beforehand."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache

import numpy as np
from lxml.html import HtmlElement

from worker.language.wordlists import listed
from worker.pages.elements import HEADINGS, UNSEEN
from worker.pages.flat import Booleans, FlatDocument, Integers, numbered

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
_IDEOGRAPHS = ((0x3041, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7FF))
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
_LOWER_DISCUSSION = re.compile(_DISCUSSION.pattern)
_LOWER_OTHER_PART = re.compile(_OTHER_PART.pattern)

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
_LINK_COLUMNS = slice(_OF_ELEMENT.index(_OF_LINK[0]), _OF_ELEMENT.index(_OF_LINK[-1]) + 1)
_COLUMN_OF_TAG = {tag: _OF_ELEMENT.index(name) for tag, name in _OF_TAG.items()}


@dataclass(frozen=True, eq=False)
class PageElements(FlatDocument):
    """The elements of a page that a browser shows something of.

    Left out with all that is below them are those of `worker.pages.elements.UNSEEN`. What a style
    hides is kept: a page may unfold its comments. White space in texts is normalised.
    """

    @classmethod
    def of(cls, document: HtmlElement | FlatDocument) -> "PageElements":
        """Choose from a document what is shown of it."""
        flat = FlatDocument.of(document)
        shown = flat.select(~flat.within(flat.having(UNSEEN)))
        columns = {each.name: getattr(shown, each.name) for each in fields(FlatDocument)}
        return cls(**{**columns, "texts": [" ".join(text.split()) for text in shown.texts]})

    def __len__(self) -> int:
        return len(self.elements)

    @cached_property
    def name_kinds(self) -> Booleans:
        """For every element whether its names speak of a discussion, and of another part."""
        kinds = [_name_kind(classes, identity) for classes, identity in self.distinct_names]
        of_elements: Booleans = np.array(kinds, dtype=np.bool_).reshape(-1, 2)[self.name_numbers]
        return of_elements

    @cached_property
    def counts(self) -> Integers:
        """What each element holds, shape (elements, `COUNTED`)."""
        counts = np.empty((len(self), len(COUNTED)), dtype=np.int64)
        texts = _summed(self._counts_of_texts())
        counts[:, :_TEXT_COLUMNS] = texts[self.text_ends] - texts[self.text_starts]
        elements = _summed(self._counts_of_elements())
        counts[:, _TEXT_COLUMNS:] = elements[self.ends] - elements[:-1]
        return counts

    @cached_property
    def linked(self) -> Booleans:
        """For each text whether it stands in a link."""
        return self.within(self.having({"a"}))[self.text_parents]

    @cached_property
    def distinct_texts(self) -> tuple[list[str], Integers]:
        """The texts, each once, and for each text its number there."""
        return numbered(self.texts)

    @cached_property
    def lengths(self) -> Integers:
        """Number of letters and other characters of each text, see `LETTERS_OF_IDEOGRAPH`."""
        lengths: Integers = self._counts_of_distinct[self.distinct_texts[1], 0]
        return lengths

    @cached_property
    def _counts_of_distinct(self) -> Integers:
        texts = self.distinct_texts[0]
        return _counts_of(texts) if texts else np.zeros((0, len(_OF_TEXT)), dtype=np.int64)

    def _counts_of_texts(self) -> Integers:
        numbers = self.distinct_texts[1]
        counts = np.zeros((len(numbers), _TEXT_COLUMNS), dtype=np.int64)
        counts[:, : len(_OF_TEXT)] = self._counts_of_distinct[numbers]
        repeated = (np.bincount(numbers) >= OFTEN)[numbers]
        every = np.ones_like(numbers)
        in_place = every, self.lengths * self.linked, repeated, self.lengths * repeated
        counts[:, len(_OF_TEXT) :] = np.column_stack(in_place)
        return counts

    def _counts_of_elements(self) -> Integers:
        counts = np.zeros((len(self), len(_OF_ELEMENT)), dtype=np.int64)
        counts[:, 0] = 1
        for column in dict.fromkeys(_COLUMN_OF_TAG.values()):
            tags = {tag for tag, of_tag in _COLUMN_OF_TAG.items() if of_tag == column}
            counts[:, column] = self.having(tags)
        links = np.flatnonzero(self.having({"a"}))
        counts[links, _LINK_COLUMNS] = self._link_kinds(links)
        counts[:, -2:] = self.name_kinds
        return counts

    def _link_kinds(self, links: Integers) -> Integers:
        """Say which of `_OF_LINK` links are."""
        before = _summed(self.lengths[:, None])[:, 0]
        kinds = np.zeros((len(links), len(_OF_LINK)), dtype=np.int64)
        kinds[:, 0] = before[self.text_ends[links]] - before[self.text_starts[links]] >= HEADLINE
        for place, index in enumerate(links.tolist()):
            link = self.elements[index]
            kinds[place, 1] = len(link.get("href", "").partition("#")[2]) > 1
            rel = link.get("rel")
            kinds[place, 2] = rel is not None and not _UNENDORSED.isdisjoint(rel.lower().split())
        return kinds

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


def _name_kind(classes: str, identity: str) -> tuple[bool, bool]:
    kinds = [
        *map(_kind_of_word, classes[:MAX_NAMES].split()),
        *map(_kind_of_word, identity[:MAX_NAMES].split()),
    ]
    return any(kind[0] for kind in kinds), any(kind[1] for kind in kinds)


@lru_cache(maxsize=8192)
def _kind_of_word(word: str) -> tuple[bool, bool]:
    if not word.isascii():
        return _DISCUSSION.search(word) is not None, _OTHER_PART.search(word) is not None
    # To ignore the case of each letter takes several times as long.
    lower = word.lower()
    return _LOWER_DISCUSSION.search(lower) is not None, _LOWER_OTHER_PART.search(lower) is not None


def _counts_of(texts: Sequence[str]) -> Integers:
    """Count what `_OF_TEXT` names in texts, of which there is at least one."""
    joined = "\n".join([*texts, ""])
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    lengths = np.array([*map(len, texts)])
    ends = np.cumsum(lengths + 1)
    starts = ends - lengths - 1

    def count(chosen: Booleans) -> Integers:
        counts: Integers = np.add.reduceat(chosen, starts, dtype=np.int64)
        return counts

    ideographs = np.zeros(len(texts), dtype=np.int64)
    if not joined.isascii():
        for first, last in _IDEOGRAPHS:
            ideographs += count((codes >= first) & (codes <= last))
    sentences = [match.start() for match in _SENTENCE_END.finditer(joined)]
    # What stands between spaces, not `worker.language.words.tokens`: the shipped classifiers were
    # trained on this count.
    words = count(codes == ord(" ")) + 1
    columns = (
        lengths + (LETTERS_OF_IDEOGRAPH - 1) * ideographs,
        words + ideographs // 2,
        np.bincount(np.searchsorted(ends, sentences, side="right"), minlength=len(texts)),
        count((codes == ord("!")) | (codes == ord("?"))),
        [sum(map(_PERSONAL.__contains__, text.split(" "))) for text in joined.lower().split("\n")][
            :-1
        ],
        [*map(_has_date, texts)],
    )
    return np.column_stack(columns).astype(np.int64)


def _has_date(text: str) -> bool:
    return (
        len(text) <= LONGEST_DATE
        and _DIGIT.search(text) is not None
        and _DATE.search(text) is not None
    )


def _summed(counts: Integers) -> Integers:
    """Return the sums of all rows before each row, and of all."""
    sums = np.zeros((len(counts) + 1, counts.shape[1]), dtype=np.int64)
    np.cumsum(counts, axis=0, out=sums[1:])
    return sums
