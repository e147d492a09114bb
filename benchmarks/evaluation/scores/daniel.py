"""DAnIEL, the downstream system of Lejeune et al. (2015), which finds the topic of press articles.

It monitors epidemics in any language. If a disease is the topic of an article, the headline or lead
names it, and so does the text further down. DAnIEL therefore searches for strings that contain most
of the disease's name and are repeated in certain positions. Paragraph marks define these positions,
which makes the system sensitive to cleaning.

R. Brixtel, G. Lejeune, A. Doucet and N. Lucas, "Any language early detection of epidemic diseases
from web news streams", International Conference on Healthcare Informatics, 2013.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.evaluation.scores.prf import PRF
from benchmarks.evaluation.scores.records import TextBlock
from benchmarks.evaluation.scores.repeats import NameRepeats, Repeat

RELEVANT_SCORE = 0.8
"""Minimum score of the best-scoring disease for an article to be about this disease."""

# A document with fewer paragraphs is divided into zones in another way, if it has enough sentences.
_MIN_ZONES = 3
_MIN_SENTENCES = 5
_MIN_SENTENCE_CHARACTERS = 3

_FULL_RATIO = 0.99
"""Ratio of a wholly repeated name; with 1, the exponent of the score would have no effect."""

# Subtracted if the name's first letter differs, or if no repeat is in the outer two zones.
_FIRST_LETTER_PENALTY = 0.1
_BODY_PENALTY = 0.1

_NAME_SEPARATOR = "\x02"  # a character that no text contains
_SENTENCE_END = re.compile(r"\. |</p>")


@dataclass(frozen=True)
class Event:
    """The best match of a disease in a document.

    `score` (at most 1) depends on how much of the name is repeated, and on how close the repeats
    are to the ends of the document.
    """

    disease: str
    name: str
    score: float

    @property
    def relevant(self) -> bool:
        """Whether the document is about the disease, that is, whether the score is at least 0.8."""
        return self.score >= RELEVANT_SCORE


class DiseaseWatch:
    """DAnIEL for one language; diseases have the names used in the press."""

    def __init__(self, diseases: Mapping[str, str]) -> None:
        self._names = tuple(diseases)
        self._diseases = tuple(diseases.values())
        self._repeats = NameRepeats(self._names)
        self._appended_names = _NAME_SEPARATOR + _NAME_SEPARATOR.join(self._names)

    def event(self, document: str) -> Event | None:
        """Find the disease that matches a document best, whether relevant or not.

        Paragraphs begin with ``<p>`` or are lines. Return None if no part of a name is repeated.
        """
        document_zones = zones(document)
        best_match: tuple[float, str, str, int] | None = None
        for share, repeat in self._repeats.find(document_zones):
            if best_match is not None and min(share, _FULL_RATIO) < best_match[0]:
                break
            if len(document_zones) > 1 and len(repeat.texts) < 2:
                continue
            positions = self._positions(repeat, document_zones)
            for index in repeat.names:
                name = self._names[index]
                candidate = (_score(repeat.text, name, positions), name, repeat.text, index)
                if best_match is None or candidate > best_match:
                    best_match = candidate
        return best_match and Event(self._diseases[best_match[3]], best_match[1], best_match[0])

    def _positions(self, repeat: Repeat, document_zones: Sequence[str]) -> list[float]:
        """Return the distances of the occurrences from the nearer end of the document, in order.

        Distances are measured in zones. If the document has a single zone, all names are appended
        to it, so that names that contain the string count as occurrences; distances are then
        measured in characters and divided by the total length.
        """
        if len(document_zones) > 1:
            return sorted(float(min(zone, len(document_zones) - 1 - zone)) for zone in repeat.texts)
        text_and_names = document_zones[0] + self._appended_names
        offsets = (match.start() for match in re.finditer(re.escape(repeat.text), text_and_names))
        return sorted(
            round(min(offset, len(text_and_names) - offset) / len(text_and_names), 5)
            for offset in offsets
        )


@dataclass(frozen=True)
class TaskScore:
    """Scores over relevant documents, and over pairs of a relevant document and its disease."""

    documents: PRF
    pairs: PRF


def score_task(
    found: Mapping[str, Event | None], reference: Mapping[str, Event | None]
) -> TaskScore:
    """Compare the events found in extracted texts with those in the gold texts, by document.

    Only documents of `reference` are compared. See Lejeune et al. (2015), section 4.3 and table 3,
    where the reference was human judgement.
    """
    wanted_diseases = {
        key: event.disease for key, event in reference.items() if event and event.relevant
    }
    found_diseases = {
        key: event.disease
        for key, event in found.items()
        if key in reference and event and event.relevant
    }
    return TaskScore(
        documents=PRF.of(
            len(wanted_diseases.keys() & found_diseases.keys()),
            len(found_diseases),
            len(wanted_diseases),
        ),
        pairs=PRF.of(
            len(wanted_diseases.items() & found_diseases.items()),
            len(found_diseases),
            len(wanted_diseases),
        ),
    )


def load_diseases(path: Path) -> dict[str, dict[str, str]]:
    """Read a JSON file that maps each language to its disease names, and each name to a disease."""
    diseases: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return diseases


def marked_document(blocks: Iterable[TextBlock]) -> str:
    """Return blocks as a document for `DiseaseWatch`, with paragraph marks."""
    return "\n".join(f"<p>{' '.join(block.text.split())}</p>" for block in blocks)


def unmarked_document(blocks: Iterable[TextBlock]) -> str:
    """Return blocks as a document for `DiseaseWatch`, without paragraph marks."""
    return " ".join(" ".join(block.text.split()) for block in blocks)


def zones(document: str) -> list[str]:
    """Split a document into zones, which are its paragraphs if there are at least three.

    Otherwise, a document with fewer than five sentences is a single zone. In longer documents, the
    second of two paragraphs is halved, and a single paragraph is split into thirds.
    """
    parts = document.split("<p>")
    if len(parts) == 1:
        parts = document.split("\n")
    parts = [zone for zone in parts if zone]
    if len(parts) >= _MIN_ZONES:
        return parts
    sentences = _SENTENCE_END.split(document)
    if sum(len(sentence) >= _MIN_SENTENCE_CHARACTERS for sentence in sentences) < _MIN_SENTENCES:
        return [document]
    if len(parts) == 2:
        half = len(parts[1]) // 2
        return [parts[0], parts[1][:half], parts[1][half:]]
    third = len(document) // 3
    return [document[:third], document[third : 2 * third], document[2 * third :]]


def _score(text: str, name: str, positions: Sequence[float]) -> float:
    """Score a repeated part of a disease's name, given the distances of its occurrences.

    The score is the share of the name that is repeated, raised to a power that depends on the two
    smallest distances from an end of the document.
    """
    ratio = len(text) / len(name)
    if text[0].lower() != name[0].lower():
        ratio = max(0.0, ratio - _FIRST_LETTER_PENALTY)
    if ratio == 1:
        ratio = _FULL_RATIO
    nearest, second = positions[:2]
    if nearest == 1:  # as at distance 0, the exponent is 1
        return ratio
    # The logarithm of a distance of at most 1 would not be positive.
    damped = second if second <= 1 else math.log(second)
    score: float = ratio ** (1 + nearest * damped)
    return score if {0, 1} & set(positions) else score - _BODY_PENALTY
