"""A page's elements in document order, with precomputed counts of what each element contains."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate, compress, repeat

import numpy as np
import numpy.typing as npt
from lxml.html import HtmlElement

from detourage.comments.signatures import masked
from detourage.html.flat import Booleans, FlatDocument, Integers, numbered
from detourage.html.text import HEADINGS, UNSEEN
from detourage.text.words import listed

LONGEST_DATE = 80
"""Maximum length, in characters, of a text searched for a date; longer ones are prose."""

LETTERS_OF_IDEOGRAPH = 3
"""Number of letters that a Chinese, Japanese or Korean character counts as; two such characters
make a word."""

OFTEN = 3
"""Minimum number of occurrences on a page at which a text counts as a button or a label."""

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
_AFTER_SENTENCE = " \n”\"')"
"""Characters that may follow a sentence's final punctuation mark; whitespace is normalised."""

_IDEOGRAPHS = ((0x3041, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7FF))
_KINDS = (
    "comment coment kommentar reply repli respon post message discuss forum thread review opinion"
    " beitrag antwort react réagi author autor avatar user member profil",
    "nav menu sidebar related teaser footer header widget recent popular latest share social"
    " gallery product categor tag archive blogroll most list entry article story content",
)
"""Stems of names that indicate a discussion, and of names that indicate other page parts."""

_STEMS = tuple(tuple(stems.split()) for stems in _KINDS)
_ANY_STEM = tuple(re.compile("|".join(stems), re.IGNORECASE) for stems in _STEMS)
_POSTS = re.compile(r"posts\b", re.IGNORECASE)
"""Exception to the discussion stems, because elements named "posts" are articles."""

_BETWEEN_LETTERS = {code: " " for code in range(1, 128) if not chr(code).islower()}

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
"""Counts stored for each element, including all its descendants.

``repeated`` are texts that occur at least `OFTEN` times on the page. ``discussing`` and
``other_parts`` are elements whose class or ID indicates a discussion or another part of a page,
respectively. ``personal`` are words for oneself and the person addressed. ``long_links`` read like
headlines, ``fragment_links`` lead to an anchor in a page, and ``unendorsed_links`` have a ``rel``
that is usual for links posted by commenters.
"""

HEADLINE = 25
"""Minimum length, in letters, of a link text that reads like a headline."""

_UNENDORSED = frozenset(["nofollow", "ugc", "external"])

_TEXT_COLUMNS = len(_OF_TEXT) + len(_IN_PLACE)
_LINK_COLUMNS = slice(_OF_ELEMENT.index(_OF_LINK[0]), _OF_ELEMENT.index(_OF_LINK[-1]) + 1)
_COLUMN_OF_TAG = {tag: _OF_ELEMENT.index(name) for tag, name in _OF_TAG.items()}
_COLUMNS = [column.name for column in fields(FlatDocument)]


@dataclass(frozen=True, eq=False)
class PageElements(FlatDocument):
    """The elements of a page that a browser may display.

    Elements in `detourage.html.text.UNSEEN` are excluded with their contents. Elements hidden
    by a style are included, because a page may unfold its comments. Whitespace in texts is
    normalised.
    """

    @classmethod
    def of(cls, document: HtmlElement | FlatDocument) -> "PageElements":
        """Select the displayable elements of a document."""
        flat = FlatDocument.of(document)
        shown = flat.select(~flat.within(flat.having(UNSEEN)))
        return cls(**{name: getattr(shown, name) for name in _COLUMNS})

    @cached_property
    def texts(self) -> list[str]:
        """The texts, with normalised white space."""
        texts = self.pieces.texts
        return [" ".join(texts[number].split()) for number in self.shown.tolist()]

    def __len__(self) -> int:
        return len(self.elements)

    @cached_property
    def looks(self) -> tuple[Integers, Integers]:
        """The distinct looks (tag, class and ID), and the number of each element's look.

        A look is encoded as the tag number times the length of `distinct_names`, plus the name
        number.
        """
        looks = self.tag_numbers * len(self.distinct_names) + self.name_numbers
        return np.unique(looks, return_inverse=True)

    @cached_property
    def masked_names(self) -> list[tuple[str, str]]:
        """The `distinct_names` with their numbers masked (see `detourage.comments.signatures`)."""
        classes, identities = zip(*self.distinct_names, strict=True)
        return [*zip(masked(classes), masked(identities), strict=True)]

    @cached_property
    def name_kinds(self) -> Booleans:
        """Whether each element's names indicate a discussion, or indicate another page part."""
        return _kinds_of_names(
            [
                f"{classes[:MAX_NAMES]} {identity[:MAX_NAMES]}"
                for classes, identity in self.distinct_names
            ]
        )[self.name_numbers]

    @cached_property
    def counts(self) -> Integers:
        """Counts for each element, with the shape (elements, `COUNTED`)."""
        counts = np.empty((len(self), len(COUNTED)), dtype=np.int64)
        texts = _summed(self._counts_of_texts())
        counts[:, :_TEXT_COLUMNS] = texts[self.text_ends] - texts[self.text_starts]
        elements = _summed(self._counts_of_elements())
        counts[:, _TEXT_COLUMNS:] = elements[self.ends] - elements[:-1]
        return counts

    @cached_property
    def linked(self) -> Booleans:
        """Whether each text is in a link."""
        return self.within(self.having({"a"}))[self.text_parents]

    @cached_property
    def distinct_texts(self) -> tuple[list[str], Integers]:
        """The distinct texts, and the index of each text among them."""
        return numbered(self.texts)

    @cached_property
    def lengths(self) -> Integers:
        """Length of each text, in letters and other characters (see `LETTERS_OF_IDEOGRAPH`)."""
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
        of_tags = np.zeros((len(self.distinct_tags), len(_OF_ELEMENT)), dtype=np.int64)
        of_tags[:, 0] = 1
        for number, tag in enumerate(self.distinct_tags):
            if tag in _COLUMN_OF_TAG:
                of_tags[number, _COLUMN_OF_TAG[tag]] = 1
        counts = of_tags[self.tag_numbers]
        links = np.flatnonzero(self.having({"a"}))
        counts[links, _LINK_COLUMNS] = self._link_kinds(links)
        counts[:, -2:] = self.name_kinds
        return counts

    def _link_kinds(self, links: Integers) -> Integers:
        """Return, for each link, which of `_OF_LINK` apply."""
        before = _summed(self.lengths[:, None])[:, 0]
        kinds = np.zeros((len(links), len(_OF_LINK)), dtype=np.int64)
        kinds[:, 0] = before[self.text_ends[links]] - before[self.text_starts[links]] >= HEADLINE
        marked = np.zeros((len(self), 2), dtype=np.int64)
        for place, address in self.having_attribute("href"):
            if "#" in address:
                marked[place, 0] = len(address.partition("#")[2]) > 1
        for place, relation in self.having_attribute("rel"):
            marked[place, 1] = not _UNENDORSED.isdisjoint(relation.lower().split())
        kinds[:, 1:] = marked[links]
        return kinds

    def having_attribute(self, name: str) -> Iterator[tuple[int, str]]:
        """Yield the elements that have an attribute, with its value."""
        owners, values = self.attributes.named(name)
        places = np.minimum(np.searchsorted(self.numbers, owners), len(self) - 1)
        is_shown = self.numbers[places] == owners
        return zip(places[is_shown].tolist(), compress(values, is_shown), strict=True)

    def text_of(self, index: int) -> str:
        """Return the text below an element as one line."""
        return " ".join(self.texts[self.text_starts[index] : self.text_ends[index]])


MAX_NAMES = 2_000
"""Maximum number of characters examined of an element's classes, and of its ID."""


def _kinds_of_names(names: Sequence[str]) -> Booleans:
    """Return, for each name, which of `_KINDS` it indicates."""
    # Separators in a name delimit words.
    plain = "\0".join(name if name.isascii() else "" for name in names)
    letters = _POSTS.sub("?????", plain).lower().translate(_BETWEEN_LETTERS)
    words = letters.replace("\0", " \0 ").split()
    kind_of = {**_kinds_of_words({*words} - {"\0"}), "\0": -1}
    kinds = np.fromiter(map(kind_of.get, words, repeat(0)), np.int64, len(words))
    places = np.cumsum(kinds < 0)
    indicated = np.zeros((len(names), len(_KINDS)), dtype=np.bool_)
    for kind, any_stem in enumerate(_ANY_STEM):
        indicated[places[(kinds > 0) & (kinds >> kind & 1 > 0)], kind] = True
        for number, name in enumerate(names):
            if not name.isascii():
                found = any_stem.search(_POSTS.sub("?????", name))
                indicated[number, kind] = found is not None
    return indicated


def _kinds_of_words(words: Iterable[str]) -> dict[str, int]:
    """Return a bit mask of the `_KINDS` that each lower-case word indicates."""
    plain = [*words]
    ends = [*accumulate(len(word) + 1 for word in plain)]
    line = " ".join(plain)
    kind_of: dict[str, int] = {}
    # This search is several times as fast as a regular expression.
    for kind, stems in enumerate(_STEMS):
        for stem in stems:
            place = line.find(stem)
            while place >= 0:
                number = bisect_right(ends, place)
                kind_of[plain[number]] = kind_of.get(plain[number], 0) | 1 << kind
                place = line.find(stem, ends[number])
    return kind_of


def _counts_of(texts: Sequence[str]) -> Integers:
    """Count the items of `_OF_TEXT` in each text; `texts` must not be empty."""
    joined = "\n".join([*texts, ""])
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    lengths = np.array([*map(len, texts)])
    ends = np.cumsum(lengths + 1)
    starts = ends - lengths - 1

    def count(chosen: Booleans) -> Integers:
        counts: Integers = np.add.reduceat(chosen, starts, dtype=np.int64)
        return counts

    ideographs = np.zeros(len(texts), dtype=np.int64)
    marks = _one_of(codes, ".!?…؟")
    ends_sentence = marks[:-1] & _one_of(codes[1:], _AFTER_SENTENCE)
    if not joined.isascii():
        ends_sentence |= _one_of(codes[:-1], "。！？")
        for first, last in _IDEOGRAPHS:
            ideographs += count((codes >= first) & (codes <= last))
    # Words are delimited by spaces, unlike `detourage.text.words.tokens`: the shipped classifiers
    # were trained on this count.
    words = count(codes == ord(" ")) + 1
    pieces = joined.lower().replace("\n", " ").split(" ")[:-1]
    personal = np.fromiter(map(_PERSONAL.__contains__, pieces), np.bool_, len(pieces))
    may_be_digit = (codes >= ord("0")) & ((codes <= ord("9")) | (codes > ord("\x7f")))
    dated = (lengths <= LONGEST_DATE) & (count(may_be_digit) > 0)
    short = np.flatnonzero(dated).tolist()
    dated[short] = [_has_date(texts[place]) for place in short]
    columns = (
        lengths + (LETTERS_OF_IDEOGRAPH - 1) * ideographs,
        words + ideographs // 2,
        count(np.append(ends_sentence, False)),
        count(_one_of(codes, "!?")),
        np.add.reduceat(personal, np.cumsum(words) - words, dtype=np.int64),
        dated,
    )
    return np.column_stack(columns).astype(np.int64)


def _one_of(codes: npt.NDArray[np.uint32], characters: str) -> Booleans:
    found: Booleans = codes == ord(characters[0])
    for character in characters[1:]:
        found |= codes == ord(character)
    return found


def _has_date(text: str) -> bool:
    return _DIGIT.search(text) is not None and _DATE.search(text) is not None


def _summed(counts: Integers) -> Integers:
    """Return the cumulative sums of the rows: before each row, and finally over all rows."""
    sums = np.zeros((len(counts) + 1, counts.shape[1]), dtype=np.int64)
    np.cumsum(counts, axis=0, out=sums[1:])
    return sums
