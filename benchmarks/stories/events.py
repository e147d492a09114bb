"""Recognition of events: ``python -m benchmarks.stories.events CORPORA [DISEASES]``.

Events were identified by reading the titles and beginnings of the pairs of articles with the
highest cosines. Half of the events are used for tuning, and the results on the other half are
reported.
"""

import argparse
import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import DisjointSet

from benchmarks.evaluation.scores import load_corpus
from benchmarks.stories import repeats
from benchmarks.stories.variations import Version
from worker.events import clustering
from worker.events.clustering import Event
from worker.events.terms import Terms, terms_of, words_of

JUDGED = Path(__file__).with_name("events.txt")
"""File of events, one per line, given as digests of the IDs of their articles. Pairs in lines that
begin with ``open`` are not scored, because readers could judge them either way."""

CORPORA = (
    ("daniel", "en"),
    ("daniel", "zh"),
    ("daniel", "ru"),
    ("daniel", "el"),
    ("daniel", "pl"),
    ("l3s_gn1", "en"),
)
"""Names and languages of the corpora. The last corpus has no dates, so its articles from several
weeks count as simultaneous."""

DAYS = 7
"""Maximum number of days between two articles of a pair."""

SHORTEST = 200
"""Minimum number of characters of a text."""

BEGINNING = 300
"""Number of characters at the beginning of a text that are searched for a disease's name."""


@dataclass(frozen=True, eq=False)
class Report:
    """An article of a corpus; `day` is 0 if its date is unknown."""

    id: str
    language: str
    site: str
    day: int
    title: str
    text: str
    terms: Terms
    key: bytes


class Counts(NamedTuple):
    """Counts of pairs: correctly found, wrongly found, and missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def scores(self) -> tuple[float, float, float]:
        """Return precision, recall and F1."""
        found, wanted = self.right + self.wrong, self.right + self.missed
        precision = self.right / found if found else 1.0
        recall = self.right / wanted if wanted else 1.0
        total = precision + recall
        return precision, recall, 2 * precision * recall / total if total else 0.0


Corpus = tuple[str, str]
"""Name of a corpus and language of its articles."""

Method = Callable[[Sequence[Report]], list[int]]
"""Function that returns the number of each report's event."""


def read_reports(corpora: Path, name: str, language: str) -> list[Report]:
    """Read the articles of a corpus in a language, oldest first."""
    reports = []
    for gold in load_corpus(corpora / name).golds.values():
        text = gold.text or ""
        if gold.language != language or len(text) <= SHORTEST:
            continue
        title = (gold.title or "").strip()
        digest = hashlib.sha256(f"{name}/{gold.id}".encode())
        reports.append(
            Report(
                digest.hexdigest()[:12],
                language,
                gold.site or "",
                _day(gold.id),
                title,
                text,
                terms_of(title, None, text),
                digest.digest(),
            )
        )
    return sorted(reports, key=lambda each: (each.day, each.id))


def _day(name: str) -> int:
    try:
        return date.fromisoformat(name[:8]).toordinal()
    except ValueError:
        return 0


def online(reports: Sequence[Report]) -> list[int]:
    """Group reports as the service does, starting with empty term counts."""
    return _online(reports, {})


def _online(reports: Sequence[Report], seconds: dict[str, float]) -> list[int]:
    known = clustering.no_counts()
    events: list[tuple[Event, int]] = []
    found = []
    sites = {site: number for number, site in enumerate(sorted({each.site for each in reports}))}
    for each in reports:
        began = time.process_time()
        site, weights = sites[each.site], known.weights_of(each.terms)
        near = [event for event, day in events if each.day - day <= DAYS]
        event = clustering.event_of(weights, each.language, site, near)
        is_source = event is None or site not in event.sites
        if event is None:
            event = Event(len(events), weights, {site})
            events.append((event, each.day))
        elif is_source:
            centroid = clustering.with_article(event.centroid, weights, len(event.sites))
            event = Event(event.id, centroid, {*event.sites, site})
            events[event.id] = event, each.day
        if is_source and known.counts_next(each.key, site):
            known = known.with_document(each.terms, site)
        found.append(event.id)
        seconds[each.id] = time.process_time() - began
    return found


def single_link(reports: Sequence[Report], *, least: float) -> list[int]:
    """Group reports whose TF-IDF vectors of words have at least the given cosine."""
    return _linked(reports, _plain_vectors(reports), least)


def _linked(reports: Sequence[Report], vectors: np.ndarray, least: float) -> list[int]:
    groups = DisjointSet(range(len(reports)))
    for one, other in _pairs(reports):
        if vectors[one] @ vectors[other] >= least:
            groups.merge(one, other)
    return [groups[place] for place in range(len(reports))]


def _plain_vectors(reports: Sequence[Report]) -> np.ndarray:
    counts = [Counter(words_of(f"{each.title}\n{each.text}")) for each in reports]
    containing = Counter(word for each in counts for word in each)
    words = {word: place for place, word in enumerate(sorted(containing))}
    vectors = np.zeros((len(reports), len(words)), dtype=np.float32)
    for vector, own in zip(vectors, counts, strict=True):
        for word, number in own.items():
            weight = (1 + np.log(number)) * np.log(len(reports) / containing[word])
            vector[words[word]] = weight
        vector /= max(1e-9, float(np.linalg.norm(vector)))
    return vectors


def by_stories(reports: Sequence[Report]) -> list[int]:
    """Group reports that repeat each other's texts."""
    groups = repeats.by_stories([Version("", each.site, each.text, "") for each in reports])
    found = {place: number for number, group in enumerate(groups) for place in group}
    return [found[place] for place in range(len(reports))]


def _pairs(reports: Sequence[Report]) -> list[tuple[int, int]]:
    return [
        (one, other)
        for one, other in combinations(range(len(reports)), 2)
        if abs(reports[one].day - reports[other].day) <= DAYS
    ]


class Judgements:
    """The judged events."""

    def __init__(self) -> None:
        self.events: dict[str, int] = {}
        self._open: set[frozenset[str]] = set()
        for number, line in enumerate(JUDGED.read_text().splitlines()):
            kind, *ids = line.split()
            if kind == "event":
                self.events.update(dict.fromkeys(ids, number))
            elif kind == "open":
                self._open.update(map(frozenset, combinations(ids, 2)))

    def half_of(self, reports: Sequence[Report], half: int) -> list[Report]:
        """Return the reports of one half of the events; other reports are divided by their IDs."""
        return [each for each in reports if self.events.get(each.id, int(each.id, 16)) % 2 == half]

    def total(
        self,
        reports: Mapping[Corpus, Sequence[Report]],
        found: Mapping[Corpus, Sequence[int]],
        within: Mapping[str, str] | None = None,
    ) -> Counts:
        """Count the pairs of all corpora."""
        parts = [self.counts(own, found[each], within) for each, own in reports.items()]
        return Counts(*(sum(column) for column in zip(*parts, strict=True)))

    def counts(
        self,
        reports: Sequence[Report],
        found: Sequence[int],
        within: Mapping[str, str] | None = None,
    ) -> Counts:
        """Count pairs; `within` restricts them to reports with the same value in that sequence."""
        right = wrong = missed = 0
        for one, other in _pairs(reports):
            first, second = reports[one].id, reports[other].id
            if frozenset((first, second)) in self._open:
                continue
            if within is not None and (first not in within or within[first] != within.get(second)):
                continue
            event = self.events.get(first)
            is_same = event is not None and event == self.events.get(second)
            is_found = found[one] == found[other]
            right += is_same and is_found
            wrong += is_found and not is_same
            missed += is_same and not is_found
        return Counts(right, wrong, missed)


def diseases_of(
    reports: Mapping[Corpus, Sequence[Report]], named: Mapping[str, Mapping[str, str]]
) -> dict[str, str]:
    """Return the disease that each report names in its title or beginning, if any."""
    found = {}
    for (_, language), each in reports.items():
        names = sorted(named.get(language, {}).items(), key=lambda item: (-len(item[0]), item))
        for report in each:
            beginning = f"{report.title}\n{report.text[:BEGINNING]}".lower()
            disease = next((what for name, what in names if name.lower() in beginning), None)
            if disease is not None:
                found[report.id] = disease
    return found


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument("diseases", type=Path, nargs="?", help="names of diseases by language")
    options = parser.parse_args()
    judged = Judgements()
    reports = {each: read_reports(options.corpora, *each) for each in CORPORA}
    tuning, reporting = (
        {each: judged.half_of(own, half) for each, own in reports.items()} for half in (0, 1)
    )
    vectors = {each: _plain_vectors(own) for each, own in tuning.items()}
    best = max(
        (hundredths / 100 for hundredths in range(10, 62, 2)),
        key=lambda least: judged.total(
            tuning, {each: _linked(own, vectors[each], least) for each, own in tuning.items()}
        ).scores()[2],
    )
    methods: dict[str, Method] = {
        "stories": by_stories,
        f"plain TF-IDF, single link at {best:.2f}": partial(single_link, least=best),
        "**events**": online,
    }
    found = {
        name: [{each: method(own) for each, own in half.items()} for half in (tuning, reporting)]
        for name, method in methods.items()
    }
    print("| | tuning P | R | F1 | reporting P | R | F1 |\n|---|---:|---:|---:|---:|---:|---:|")
    for name, (tuned, reported) in found.items():
        scores = (judged.total(tuning, tuned), judged.total(reporting, reported))
        cells = [f"{value:.3f}" for counts in scores for value in counts.scores()]
        print(f"| {name} | {' | '.join(cells)} |")
    print("\n| events, reporting | found, right | found, wrong | missed |\n|---|---:|---:|---:|")
    for each, own in reporting.items():
        counts = judged.counts(own, found["**events**"][1][each])
        print(f"| {' '.join(each)} | {' | '.join(map(str, counts))} |")
    if options.diseases:
        named = diseases_of(reports, json.loads(options.diseases.read_text()))
        print("\n| reports on one disease | found, right | found, wrong | missed |")
        print("|---|---:|---:|---:|")
        for name, halves in found.items():
            parts = zip((tuning, reporting), halves, strict=True)
            both = [judged.total(half, own, named) for half, own in parts]
            sums = [sum(column) for column in zip(*both, strict=True)]
            print(f"| {name} | {' | '.join(map(str, sums))} |")
    times: dict[str, float] = {}
    terms = []
    for language in reports.values():
        _online(language, times)
        for report in language:
            began = time.process_time()
            terms_of(report.title, None, report.text)
            terms.append(time.process_time() - began)
    for name, taken in (("terms", terms), ("comparison with all events", [*times.values()])):
        median, late = 1000 * np.percentile(taken, (50, 95))
        print(f"\n{name}: median {median:.2f} ms, 95th percentile {late:.2f} ms")


if __name__ == "__main__":
    main()
