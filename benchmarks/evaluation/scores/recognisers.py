"""Entity recognisers, for languages with a recogniser that includes its model in its package.

They represent downstream systems: the names that a recogniser finds in an extracted text are
compared with those that it finds in the gold text. Without the ``benchmarks`` extra, no language
has a recogniser.
"""

import logging
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version

Finder = Callable[[str], Iterator[str]]  # function that yields the names in a line of text


@dataclass(frozen=True)
class Recogniser:
    """A recogniser for one language; `name` is its package with the release (``jieba 0.42.1``)."""

    name: str
    _load_finder: Callable[[], Finder]

    def find(self, text: str) -> Counter[str]:
        """Count the names of people, places and organisations in a text.

        Each line is processed separately, so that names do not depend on adjacent paragraphs.
        """
        finder = _load(self._load_finder)
        return Counter(name for line in text.splitlines() if line.strip() for name in finder(line))


def recogniser_of(language: str) -> Recogniser | None:
    """Return the recogniser of a language (ISO 639-1), or None if none is installed."""
    if language not in _RECOGNISERS:
        return None
    distribution, load_finder = _RECOGNISERS[language]
    try:
        return Recogniser(f"{distribution} {version(distribution)}", load_finder)
    except PackageNotFoundError:
        return None


@cache
def _load(load_finder: Callable[[], Finder]) -> Finder:
    """Load a recogniser, once per process."""
    return load_finder()


def _natasha() -> Finder:
    """Load Slovnet, a convolutional network with a random field, trained on Russian news."""
    from natasha import NewsEmbedding, NewsNERTagger

    tagger = NewsNERTagger(NewsEmbedding())

    def find(line: str) -> Iterator[str]:
        return (line[span.start : span.stop] for span in tagger(line).spans)

    return find


def _jieba() -> Finder:
    """Load jieba, a tagger of Chinese words whose tags distinguish kinds of names."""
    # Newer versions of Python warn about escape sequences in the source of jieba.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from jieba import posseg, setLogLevel

    setLogLevel(logging.WARNING)
    names_of_people_places_organisations = ("nr", "ns", "nt")

    def find(line: str) -> Iterator[str]:
        return (
            pair.word
            for pair in posseg.cut(line)
            if pair.flag.startswith(names_of_people_places_organisations)
        )

    return find


_RECOGNISERS: Mapping[str, tuple[str, Callable[[], Finder]]] = {
    "ru": ("natasha", _natasha),
    "zh": ("jieba", _jieba),
}
