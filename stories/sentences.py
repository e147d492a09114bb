"""Sentences of an article's text, with their offsets."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from detourage.text.words import CLOSING, MARKS, UNSPACED_MARKS, WEAK_MARKS, clean, tokens

MAX_ABBREVIATION_LETTERS: Final = 3
"""Maximum length of a capitalised word whose full stop does not end a sentence, such as "Dr."."""

MAX_WORDS: Final = 300
"""Number of words of a sentence, from its beginning, that are compared with another sentence."""

MAX_NORMALISED_CHARACTERS: Final = 2_000
"""Maximum length of a normalised text, as normalising a long run of accents takes quadratic
time."""

_STRONG_MARKS: Final = "".join(mark for mark in MARKS if mark not in WEAK_MARKS)
_CLOSING: Final = re.escape(CLOSING) + "」』》）］"
# Final marks and closing quotation marks, followed by a space except in scripts without spaces
_SENTENCE_END: Final = re.compile(
    rf"(?<![{_STRONG_MARKS}])[{_STRONG_MARKS}]++[{_CLOSING}]*+(?=\s)"
    rf"|(?<![{UNSPACED_MARKS}])[{UNSPACED_MARKS}]++[{_CLOSING}]*+"
)
_FINAL_MARK: Final = re.compile(rf"[{MARKS}{UNSPACED_MARKS}][{_CLOSING}]*$")
_LINE: Final = re.compile(r"[^\n]+")

_PLAIN_TYPOGRAPHY: Final = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
    }
)


@dataclass(frozen=True)
class Sentence:
    """A sentence, or a line that contains none, with its character offsets in the text.

    ``is_line`` is True if it is alone on its line, as notes and the labels of buttons are.
    """

    text: str
    start: int
    end: int
    is_line: bool

    @cached_property
    def key(self) -> str:
        """The sentence with typography normalised; equal for sentences that read the same."""
        return reading_key(self.text)

    @property
    def is_note(self) -> bool:
        """Whether this is a line without a final mark, such as a subheading or a link."""
        return self.is_line and _FINAL_MARK.search(self.text) is None

    @cached_property
    def bag(self) -> Counter[str]:
        """Bag of words: how often each of the first `MAX_WORDS` words occurs."""
        return Counter(tokens(self.text)[:MAX_WORDS])


def reading_key(text: str) -> str:
    """Return a key that is equal for texts that differ only in white space and typography."""
    plain = clean(text)
    if len(plain) <= MAX_NORMALISED_CHARACTERS:
        plain = unicodedata.normalize("NFKC", plain)
    plain = plain.translate(_PLAIN_TYPOGRAPHY)
    return "".join(plain.split())


def split_sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a text in order; no sentence spans two lines."""
    for line in _LINE.finditer(text):
        start = line.start()
        for end in _SENTENCE_END.finditer(text, line.start(), line.end()):
            if _is_end(text, start, end):
                yield from _sentence(text, start, end.end(), line)
                start = end.end()
        yield from _sentence(text, start, line.end(), line)


def _sentence(text: str, start: int, end: int, line: re.Match[str]) -> Iterator[Sentence]:
    """Yield the sentence in a range of the text, or nothing if the range is blank."""
    passage = text[start:end]
    sentence = passage.strip()
    if sentence:
        start += len(passage) - len(passage.lstrip())
        yield Sentence(sentence, start, start + len(sentence), sentence == line[0].strip())


def _is_end(text: str, start: int, end: re.Match[str]) -> bool:
    """Return whether a final mark ends a sentence; a full stop may be that of an abbreviation."""
    if end[0] != ".":
        return True
    words = text[max(start, end.start() - MAX_ABBREVIATION_LETTERS - 1) : end.start()].split()
    last_word = words[-1] if words else ""
    is_abbreviation = 0 < len(last_word) <= MAX_ABBREVIATION_LETTERS and last_word[0].isupper()
    next_character = text[end.end() : end.end() + 2].strip()[:1]
    return not is_abbreviation and not next_character.islower()
