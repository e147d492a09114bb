"""Lines that belong to a site rather than to the article, recognised by phrases in 30 languages.

Examples are "Follow us on WhatsApp", "Advertisement", "All rights reserved" and "Correction: …".
"""

from collections.abc import Iterator, Sequence
from functools import cache, reduce
from itertools import accumulate, starmap
from operator import or_
from typing import Final, NamedTuple

from detourage.text import words
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.shipped import shipped_json
from detourage.walls.evidence import Lexicon

MAX_CHARACTERS: Final = 300  # length of a line in which phrases count
MAX_WORDS: Final = 60  # words, or characters of scripts without spaces, in such a line
MAX_REQUEST_WORDS: Final = 25  # words in a request that only names a service
MAX_SOURCE_WORDS: Final = 8  # words in a line that names a source, such as "Source: Reuters"
MAX_LABEL_CHARACTERS: Final = 60  # length of a label, such as "Advertisement" or "Read also:"

# Matches a line that begins with a quotation, in which somebody is cited.
_QUOTATION: Final = lazy_pattern(r"\W{0,3}[“„«\"「『]")
# Matches the end of a label at the start of a line: "Correction:", "【訂正】".
_LABEL_END: Final = lazy_pattern(r"[:：|】\]]|\s[-–—]\s|[.!]\s")
_NO_PHRASE: Final = "x"  # a word with which no phrase begins
_SENTENCE_END: Final = lazy_pattern(r"[.!?…]\s+")

# Concepts that together make a request to the readers.
_REQUESTS: Final = (
    *(("plea",), ("liked", "give"), ("newsroom", "give", "our"), ("notice",), ("view", "cookies")),
    ("click", "our", "brand"),
)
_SHORT_REQUESTS: Final = (("act", "brand"), ("act", "service"), ("here", "brand"))


@cache
def _lexicon() -> Lexicon:
    return Lexicon(shipped_json("detourage.reader", "phrases.json"))


class Phrases(NamedTuple):
    """The concepts of a line's phrases, as bits, for each of its words (`masks`) and in all."""

    text: str
    masks: Sequence[int] = ()
    found: int = 0

    @classmethod
    def of(cls, text: str) -> "Phrases":
        """Find the phrases of a line; a long one has none."""
        return next(cls.of_each([text]))

    @classmethod
    def of_each(cls, texts: Sequence[str]) -> "Iterator[Phrases]":
        """Find the phrases of lines with a single look-up."""
        length = MAX_CHARACTERS + 1  # a longer beginning is not needed to recognise a long line
        # Lines without words would be left out, so that a word is put before each line.
        lines = (f"{_NO_PHRASE} {text[:length]}" for text in texts)
        found = _lexicon().concepts_in(lines, (length + 1) * len(texts))
        sizes, masks = (each.tolist() for each in found)
        for text, size, end in zip(texts, sizes, accumulate(sizes), strict=True):
            is_long = len(text) > MAX_CHARACTERS or size > MAX_WORDS + 1
            own = () if is_long else masks[end - size + 1 : end]
            yield cls(text, own, reduce(or_, own, 0))

    def has(self, *concepts: str) -> bool:
        """Return whether the line has a phrase of each of the given concepts."""
        bits = _bits(*concepts)
        return self.found & bits == bits

    @property
    def is_label(self) -> bool:
        """Whether the line only labels an advertisement or a control, as in "Listen · 3 min"."""
        return self.consists_of("label", "timed")

    @property
    def introduces_links(self) -> bool:
        """Whether the line only introduces links to other articles, as in "Read also:"."""
        return self.consists_of("read")

    @property
    def addresses_readers(self) -> bool:
        """Whether the site asks its readers to follow, support or permit something."""
        if not self.found or _QUOTATION.match(self.text):
            return False
        is_short = len(self.masks) <= MAX_REQUEST_WORDS
        return (
            any(starmap(self.has, _REQUESTS))
            or (is_short and any(starmap(self.has, _SHORT_REQUESTS)))
            or self._begins_with_request()
        )

    @property
    def names_source(self) -> bool:
        """Whether the line only names a source, as in "Source: Reuters"."""
        return self._label.consists_of("source") and 0 < len(self.masks) <= MAX_SOURCE_WORDS

    @property
    def is_correction(self) -> bool:
        """Whether the line states that an error in the article has been corrected."""
        if self.has("corrected") and self._label.consists_of("corrected"):
            return True
        if self.has("fixed", "note") and self._label.consists_of("note"):
            return True
        is_about_text = self.has("version", "article") or self.has("fixed", "this")
        return is_about_text and not _QUOTATION.match(self.text)

    def _begins_with_request(self) -> bool:
        """Return whether a sentence with a brand begins with an imperative such as "follow"."""
        if not self.has("begin", "brand"):
            return False
        sentences = map(Phrases.of, _SENTENCE_END.split(self.text))
        begin = _bits("begin")
        return any(each.has("brand") and each.masks[0] & begin for each in sentences)

    @property
    def _label(self) -> "Phrases":
        """The label at the start of the line; empty without one."""
        end = _LABEL_END.search(self.text)
        return Phrases.of(self.text[: end.start()] if end is not None else "")

    def consists_of(self, concept: str, *others: str) -> bool:
        """Return whether a short line has a concept, and no words without it or the others."""
        if len(self.text) > MAX_LABEL_CHARACTERS or not self.has(concept):
            return False
        bits = _bits(concept, *others)
        pairs = zip(words.tokens(self.text), self.masks, strict=False)
        return all(mask & bits or token.isdigit() for token, mask in pairs)


@cache
def _bits(*concepts: str) -> int:
    return sum(1 << _lexicon().concepts.index(each) for each in concepts)
