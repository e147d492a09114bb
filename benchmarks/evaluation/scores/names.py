"""Recognition, in extracted texts, of names from gold texts, without an entity recogniser."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

import regex

from benchmarks.evaluation.scores.prf import PRF
from benchmarks.evaluation.scores.words import Word, words, words_with_positions

MAX_HEADLINE_SHARE = 0.5
"""Maximum share of capitalised words in a line with names; above it, a line is a headline."""

MAX_NAME_WORDS = 6
"""Maximum number of words in a name; longer runs of capitalised words are lists and headlines."""

_CAPITALISED = regex.compile(r"\p{Lu}")
_LETTER = regex.compile(r"\p{L}")
# Between two words of the same name, there is only a single space.
_NAME_BREAK = regex.compile(r"[^ ]|  ")
# After one of these characters, any word may be capitalised.
_SENTENCE_START = regex.compile(r"[.!?…:;\"“”«»„()\[\]•*–—]")
_TITLE_OF_WORK = regex.compile(r"(?<=《)[^《》\n]{2,20}(?=》)")  # the title in 《Title》


class Gazetteer:
    """List of names, built from the gold texts of a language, that can be found in other texts.

    A name is a run of words that are mostly capitalised elsewhere than at the start of a sentence.
    In Chinese, which has no capitals, only titles in angle quotation marks count as names.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        lines = [line for text in texts for line in text.splitlines()]
        name_words = _name_words(lines)
        self._names: set[tuple[str, ...]] = set()
        for line in lines:
            if not _is_headline(words_with_positions(line)):
                self._names.update(_names_in_line(line, name_words))
            self._names.update(tuple(words(name)) for name in _TITLE_OF_WORK.findall(line))
        self._names.discard(())
        # Lengths of the names that begin with a word, in descending order.
        self._lengths: dict[str, list[int]] = {}
        for first, length in sorted({(name[0], len(name)) for name in self._names}):
            self._lengths.setdefault(first, []).insert(0, length)

    def __len__(self) -> int:
        return len(self._names)

    def find(self, text: str) -> Counter[str]:
        """Count the names in a text, taking the longest at each position and without overlaps."""
        found: Counter[str] = Counter()
        all_words = words(text)
        place = 0
        while place < len(all_words):
            for length in self._lengths.get(all_words[place], ()):
                name = tuple(all_words[place : place + length])
                if name in self._names:
                    found[" ".join(name)] += 1
                    place += length - 1
                    break
            place += 1
        return found


def score_names(found: Mapping[str, int], wanted: Mapping[str, int]) -> PRF:
    """Score the counts of names in an extracted text against those in the gold text."""
    common = (Counter(found) & Counter(wanted)).total()
    return PRF.of(common, sum(found.values()), sum(wanted.values()))


def _name_words(lines: Iterable[str]) -> set[str]:
    """Return the words that are mostly capitalised even where capitalisation is not required."""
    capitalised: Counter[str] = Counter()
    lower: Counter[str] = Counter()
    for line in lines:
        placed = words_with_positions(line)
        if _is_headline(placed):
            continue
        for before, word in pairwise(placed):
            if _CAPITALISED.match(word.text):
                if not _SENTENCE_START.search(line, before.end, word.start):
                    capitalised[word.text] += 1
            else:
                lower[word.text.casefold()] += 1
    return {word for word, count in capitalised.items() if count > lower[word.casefold()]}


def _is_headline(placed: list[Word]) -> bool:
    """Return whether so many words of a line are capitalised that capitals do not mark names."""
    lettered = [word.text for word in placed if _LETTER.search(word.text)]
    capitalised = sum(_CAPITALISED.match(word) is not None for word in lettered)
    return capitalised > MAX_HEADLINE_SHARE * len(lettered)


def _names_in_line(line: str, name_words: set[str]) -> Iterator[tuple[str, ...]]:
    """Yield the runs of name words in a line, such as ``("Ada", "Lovelace")``."""
    run: list[Word] = []
    for word in words_with_positions(line):
        if run and (
            word.text not in name_words or _NAME_BREAK.search(line, run[-1].end, word.start)
        ):
            yield from _as_name(run)
            run = []
        if word.text in name_words:
            run.append(word)
    yield from _as_name(run)


def _as_name(run: list[Word]) -> Iterator[tuple[str, ...]]:
    """Yield a run of words if it can be a name: neither too long nor a single letter."""
    if 0 < len(run) <= MAX_NAME_WORDS and (len(run) > 1 or len(run[0].text) > 1):
        yield tuple(word.text for word in run)
