"""Effect of cleaning on the task of Lejeune et al. (2015) and on named-entity recognition."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from benchmarks.evaluation.bench.memo import Memo
from benchmarks.evaluation.bench.results import Task
from benchmarks.evaluation.bench.scoring import Target, entities, events
from benchmarks.evaluation.scores import (
    Corpus,
    Event,
    Gazetteer,
    Prediction,
    TextBlock,
    recogniser_of,
    score_names,
    score_task,
)

MapFunction = Callable[..., list[Any]]
"""Function like `map` that takes, as its first argument, a description of the work."""


class Downstream:
    """Scores of two consumers of texts: DAnIEL, which detects epidemics, and name recognition.

    `diseases` maps languages to diseases by name; pages in other languages are skipped. The
    gazetteers are built from the gold texts of the corpus.
    """

    def __init__(
        self,
        diseases: Mapping[str, Mapping[str, str]],
        corpus: Corpus,
        targets: Sequence[Target],
        memo: Memo,
        map_function: MapFunction,
    ) -> None:
        self._diseases = diseases
        self._targets = targets
        self._memo = memo
        self._map_function = map_function
        texts: defaultdict[str, list[str]] = defaultdict(list)
        for gold in corpus.scorable():
            if gold.language in diseases:
                texts[gold.language].append(gold.text or "")
        self._gazetteers = {language: Gazetteer(golds) for language, golds in texts.items()}
        paragraphs = [target.gold.paragraphs for target in targets]
        self._gold_events = self._find_events("gold", paragraphs)
        self._wanted_events = {page: marked for page, (marked, _) in self._gold_events.items()}
        gold_texts = [target.gold.text or "" for target in targets]
        self._gold_names = self._list_names(gold_texts)
        self._gold_entities = self._recognise_names("gold", gold_texts)

    def task_of_gold(self) -> Task | None:
        """Score DAnIEL's events in the gold texts, with and without paragraph marks."""
        return self._score_events(self._gold_events)

    def task(self, method: str, texts: Sequence[Prediction]) -> Task | None:
        """Score DAnIEL's events in a method's texts; return None if there are no diseases."""
        if not self._wanted_events:
            return None
        paragraphs = [
            target.given(text).paragraphs for target, text in zip(self._targets, texts, strict=True)
        ]
        return self._score_events(self._find_events(method, paragraphs))

    def names(self, method: str, texts: Sequence[Prediction]) -> list[dict[str, float]]:
        """Score the names in the texts of a method.

        Pages whose gold text has names get the scores of the gazetteer (``names_p _r _f``) and of
        the recogniser (``entities_p _r _f``), in percent.
        """
        pairs = zip(self._targets, texts, strict=True)
        full_texts = [target.given(text).text for target, text in pairs]
        listed = zip(self._list_names(full_texts), self._gold_names, strict=True)
        found = zip(self._recognise_names(method, full_texts), self._gold_entities, strict=True)
        return [
            _percent("names", *names) | _percent("entities", *entity_names)
            for names, entity_names in zip(listed, found, strict=True)
        ]

    def _list_names(self, texts: Sequence[str]) -> list[Counter[str]]:
        """Count the names in each text that are in the gazetteer of its page's language."""
        gazetteers = [self._gazetteers.get(target.gold.language) for target in self._targets]
        return [
            gazetteer.find(text) if gazetteer is not None else Counter[str]()
            for gazetteer, text in zip(gazetteers, texts, strict=True)
        ]

    def _recognise_names(self, method: str, texts: Sequence[str]) -> list[Counter[str]]:
        """Count the names that the entity recogniser of each page's language finds in its text."""
        languages = [target.gold.language for target in self._targets]
        chosen = [
            index
            for index, language in enumerate(languages)
            if language in self._diseases and recogniser_of(language) is not None
        ]
        found = [Counter[str]() for _ in texts]
        if chosen:
            counts = self._map_function(
                f"{method}, entities",
                partial(entities, self._memo),
                [texts[index] for index in chosen],
                [languages[index] for index in chosen],
            )
            for index, count in zip(chosen, counts, strict=True):
                found[index] = count
        return found

    def _find_events(
        self, method: str, texts: Sequence[Sequence[TextBlock]]
    ) -> dict[str, tuple[Event | None, Event | None]]:
        """Return DAnIEL's event in each page's text, with and without paragraph marks, by page."""
        documents = [
            (target.gold.id, paragraphs, dict(self._diseases[target.gold.language]))
            for target, paragraphs in zip(self._targets, texts, strict=True)
            if target.gold.text and target.gold.language in self._diseases
        ]
        found = self._map_function(
            f"{method}, task",
            partial(events, self._memo),
            [paragraphs for _, paragraphs, _ in documents],
            [diseases for _, _, diseases in documents],
        )
        return {name: pair for (name, _, _), pair in zip(documents, found, strict=True)}

    def _score_events(
        self, events_by_page: Mapping[str, tuple[Event | None, Event | None]]
    ) -> Task | None:
        """Compare events in texts with those in the gold texts; None if no page is comparable."""
        if not self._wanted_events:
            return None
        marked = {page: event for page, (event, _) in events_by_page.items()}
        unmarked = {page: event for page, (_, event) in events_by_page.items()}
        by_language: defaultdict[str, dict[str, Event | None]] = defaultdict(dict)
        for target in self._targets:
            gold = target.gold
            if gold.id in self._wanted_events:
                by_language[gold.language][gold.id] = self._wanted_events[gold.id]
        return Task(
            score_task(marked, self._wanted_events),
            score_task(unmarked, self._wanted_events),
            {
                language: (score_task(marked, documents), score_task(unmarked, documents))
                for language, documents in sorted(by_language.items())
            },
        )


def _percent(name: str, found: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, float]:
    """Return the scores of counted names, such as ``names_p``; empty if no name is expected."""
    if not wanted:
        return {}
    score = score_names(found, wanted)
    return {f"{name}_p": score.precision, f"{name}_r": score.recall, f"{name}_f": score.f1}
