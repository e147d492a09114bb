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

Mapped = Callable[..., list[Any]]
"""Function that maps another function over columns of arguments; it also takes a description of the
work.
"""


class Downstream:
    """The downstream systems, applied to the pages of a corpus.

    `diseases` maps languages to diseases by name; pages in other languages are skipped. The
    gazetteers are built from the gold texts of the corpus.
    """

    def __init__(
        self,
        diseases: Mapping[str, Mapping[str, str]],
        corpus: Corpus,
        targets: Sequence[Target],
        memo: Memo,
        mapped: Mapped,
    ) -> None:
        self._diseases = diseases
        self._targets = targets
        self._memo = memo
        self._mapped = mapped
        texts: defaultdict[str, list[str]] = defaultdict(list)
        for gold in corpus.scorable():
            if gold.language in diseases:
                texts[gold.language].append(gold.text or "")
        self._gazetteers = {language: Gazetteer(found) for language, found in texts.items()}
        golds = [target.gold for target in targets]
        paragraphs = [gold.paragraphs for gold in golds]
        self._gold_events = self._events("gold", paragraphs)
        self._wanted = {name: marked for name, (marked, _) in self._gold_events.items()}
        texts_of_golds = [gold.text or "" for gold in golds]
        self._names = self._listed(texts_of_golds)
        self._entities = self._recognised("gold", texts_of_golds)

    def task_of_gold(self) -> Task | None:
        """Score DAnIEL's events in the gold texts, with and without paragraph marks."""
        return self._scored(self._gold_events)

    def task(self, method: str, texts: Sequence[Prediction]) -> Task | None:
        """Score DAnIEL's events in a method's texts; return None if there are no diseases."""
        if not self._wanted:
            return None
        given = [
            target.given(text).paragraphs for target, text in zip(self._targets, texts, strict=True)
        ]
        return self._scored(self._events(method, given))

    def names(self, method: str, texts: Sequence[Prediction]) -> list[dict[str, float]]:
        """Score the names in the texts of a method.

        Pages whose gold text has names get the scores of the gazetteer (``names_p _r _f``) and of
        the recogniser (``entities_p _r _f``), in percent.
        """
        given = [target.given(text).text for target, text in zip(self._targets, texts, strict=True)]
        names = zip(self._listed(given), self._names, strict=True)
        recognised = zip(self._recognised(method, given), self._entities, strict=True)
        return [
            _prf("names", *listed) | _prf("entities", *found)
            for listed, found in zip(names, recognised, strict=True)
        ]

    def _listed(self, texts: Sequence[str]) -> list[Counter[str]]:
        """Count the names found by the gazetteer of each page's language, if it has one."""
        gazetteers = [self._gazetteers.get(target.gold.language) for target in self._targets]
        return [
            gazetteer.find(text) if gazetteer is not None else Counter[str]()
            for gazetteer, text in zip(gazetteers, texts, strict=True)
        ]

    def _recognised(self, method: str, texts: Sequence[str]) -> list[Counter[str]]:
        languages = [target.gold.language for target in self._targets]
        chosen = [
            index
            for index, language in enumerate(languages)
            if language in self._diseases and recogniser_of(language) is not None
        ]
        found = [Counter[str]() for _ in texts]
        if chosen:
            counts = self._mapped(
                f"{method}, entities",
                partial(entities, self._memo),
                [texts[index] for index in chosen],
                [languages[index] for index in chosen],
            )
            for index, count in zip(chosen, counts, strict=True):
                found[index] = count
        return found

    def _events(
        self, method: str, texts: Sequence[Sequence[TextBlock]]
    ) -> dict[str, tuple[Event | None, Event | None]]:
        chosen = [
            (target.gold.id, paragraphs, dict(self._diseases[target.gold.language]))
            for target, paragraphs in zip(self._targets, texts, strict=True)
            if target.gold.text and target.gold.language in self._diseases
        ]
        found = self._mapped(
            f"{method}, task",
            partial(events, self._memo),
            [paragraphs for _, paragraphs, _ in chosen],
            [diseases for _, _, diseases in chosen],
        )
        return {name: pair for (name, _, _), pair in zip(chosen, found, strict=True)}

    def _scored(self, found: Mapping[str, tuple[Event | None, Event | None]]) -> Task | None:
        if not self._wanted:
            return None
        marked = {name: pair[0] for name, pair in found.items()}
        unmarked = {name: pair[1] for name, pair in found.items()}
        by_language: defaultdict[str, dict[str, Event | None]] = defaultdict(dict)
        for target in self._targets:
            if target.gold.id in self._wanted:
                by_language[target.gold.language][target.gold.id] = self._wanted[target.gold.id]
        return Task(
            score_task(marked, self._wanted),
            score_task(unmarked, self._wanted),
            {
                language: (score_task(marked, documents), score_task(unmarked, documents))
                for language, documents in sorted(by_language.items())
            },
        )


def _prf(name: str, found: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, float]:
    if not wanted:
        return {}
    score = score_names(found, wanted)
    return {f"{name}_p": score.precision, f"{name}_r": score.recall, f"{name}_f": score.f1}
