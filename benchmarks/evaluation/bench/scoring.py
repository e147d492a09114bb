"""Scoring of single pages by functions that can run in another process."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from benchmarks.evaluation.bench.memo import Memo
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.methods.cache import digest_of
from benchmarks.evaluation.scores import (
    DiseaseWatch,
    Event,
    Gold,
    Prediction,
    TextBlock,
    TextStatistics,
    best_blocks,
    best_subtree,
    comment_scores,
    headline_of,
    marked_document,
    recogniser_of,
    score_metadata,
    score_page,
    score_snippets,
    unmarked_document,
)
from benchmarks.evaluation.scores.comments import with_shown_names
from benchmarks.evaluation.scores.page import with_headline
from detourage.html import PageError
from detourage.papers.conversion import page_of, text_of

LIMITS = {"limit: best subtree": best_subtree, "limit: best blocks": best_blocks}
"""Methods that compute upper bounds for any extraction, by the name of their row."""


@dataclass(frozen=True)
class Target:
    """Expected content of a page; the `headline`, if any, is prefixed to every method's text."""

    gold: Gold
    headline: TextBlock | None = None

    def given(self, extracted: Prediction) -> Prediction:
        """Prefix a method's text with the headline."""
        return with_headline(extracted, self.headline) if self.headline else extracted


def prepare(memo: Memo, source: Source, gold: Gold) -> tuple[Target, TextStatistics]:
    """Return a page's gold record with headline and commenter names, and source statistics."""

    def compute() -> tuple[object, ...]:
        headline, comments = None, gold.comments
        try:
            document = page_of(source).document
            headline = headline_of(gold, document)
            comments = with_shown_names(comments, document) if comments else comments
        except PageError:
            pass
        authors = [comment.author for comment in comments or ()]
        return headline, authors, astuple(TextStatistics.of_html(text_of(source)))

    headline, authors, counts = memo(("prepare", digest_of(source), gold), compute)
    if gold.comments:
        named = zip(gold.comments, authors, strict=True)
        gold = replace(gold, comments=tuple(replace(each, author=name) for each, name in named))
    return Target(gold, TextBlock(*headline) if headline else None), TextStatistics(*counts)


def limits(memo: Memo, source: Source, target: Target) -> list[Prediction]:
    """Find the best subtree and the best set of blocks of a page, in the order of `LIMITS`."""

    def compute() -> list[list[TextBlock]]:
        try:
            document = page_of(source).document
        except PageError:
            return [[] for _ in LIMITS]
        gold, headline = target.gold, target.headline
        return [list(find(document, gold, headline).blocks) for find in LIMITS.values()]

    found = [
        tuple(TextBlock(*block) for block in blocks)
        for blocks in memo(("limits", digest_of(source), target), compute)
    ]
    return [
        Prediction(target.gold.title, "\n".join(block.text for block in blocks), blocks)
        for blocks in found
    ]


def score(
    memo: Memo, extracted: Prediction, target: Target
) -> tuple[dict[str, float], TextStatistics]:
    """Score everything annotated in a page's gold record, and compute statistics of the text.

    The scores, in percent, are those of `score_page`, `score_metadata` and `comment_scores`,
    ``snippets_p _r _f`` and ``snippets_accuracy``. The statistics include the prefixed headline.
    """

    def compute() -> tuple[object, ...]:
        with_headline_prefix = target.given(extracted)
        return _scores(extracted, target), astuple(
            TextStatistics.of_text(with_headline_prefix.text, with_headline_prefix.paragraphs)
        )

    # Neither the ID nor the site of a page affects its scores, so equal texts are scored only once.
    gold = replace(target.gold, id="", site="")
    scores, counts = memo(("score", extracted, gold, target.headline), compute)
    return scores, TextStatistics(*counts)


def _scores(extracted: Prediction, target: Target) -> dict[str, float]:
    """Return, by name, the scores of a page for which its gold record has data."""
    gold = target.gold
    scores: dict[str, float] = {}
    if gold.text and gold.text.strip():
        scores |= score_page(extracted, gold, target.headline)
    scores |= score_metadata(extracted, gold)
    scores |= comment_scores(extracted.comments, gold)
    if gold.wanted or gold.unwanted:
        title_and_text = f"{extracted.title or ''}\n{extracted.text}"
        counts = score_snippets(title_and_text, gold.wanted, gold.unwanted)
        scores["snippets_p"] = counts.prf.precision
        scores["snippets_r"] = counts.prf.recall
        scores["snippets_f"] = counts.prf.f1
        scores["snippets_accuracy"] = counts.accuracy
    return scores


def events(
    memo: Memo, blocks: Sequence[TextBlock], diseases: Mapping[str, str]
) -> tuple[Event | None, Event | None]:
    """Return DAnIEL's event in a text with paragraph marks, and its event in the unmarked text."""

    def compute() -> list[tuple[object, ...] | None]:
        watch = _cached_watch(diseases)
        documents = marked_document(blocks), unmarked_document(blocks)
        found = [watch.event(document) for document in documents]
        return [astuple(event) if event else None for event in found]

    marked, unmarked = memo(("events", list(blocks), sorted(diseases.items())), compute)
    return (Event(*marked) if marked else None, Event(*unmarked) if unmarked else None)


def entities(memo: Memo, text: str, language: str) -> Counter[str]:
    """Count the names that a language's recogniser finds; a language without one has none."""
    recogniser = recogniser_of(language)
    if recogniser is None:
        return Counter()
    return Counter(memo(("entities", recogniser.name, text), lambda: recogniser.find(text)))


_watch_cache: dict[tuple[tuple[str, str], ...], DiseaseWatch] = {}
"""Disease watches cached per process, because they are expensive to build."""


def _cached_watch(diseases: Mapping[str, str]) -> DiseaseWatch:
    key = tuple(diseases.items())
    if key not in _watch_cache:
        _watch_cache[key] = DiseaseWatch(diseases)
    return _watch_cache[key]
