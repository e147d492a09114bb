"""Upper bounds for extraction from a page: the best subtree and the best set of blocks."""

from collections import Counter
from collections.abc import Iterable, Sequence

from lxml.html import HtmlElement

from benchmarks.evaluation.scores.matching import matched_total, matching_blocks
from benchmarks.evaluation.scores.pagetext import PageText, page_text
from benchmarks.evaluation.scores.records import Gold, Prediction, TextBlock
from benchmarks.evaluation.scores.words import words


def best_subtree(
    document: HtmlElement, gold: Gold, headline: TextBlock | None = None
) -> Prediction:
    """Return the text of the element with the highest text-only F1 (CleanEval), an exact bound."""
    page = page_text(document)
    wanted = _Wanted(gold, headline)
    by_bound = sorted(
        ((wanted.bound(page.words[span.start : span.stop]), span) for span in page.elements),
        key=lambda pair: (-pair[0], pair[1].start, pair[1].stop),
    )
    best, best_f1 = range(0), 0.0
    for bound, span in by_bound:
        if bound <= best_f1:
            break
        f1 = wanted.f1(page.words[span.start : span.stop])
        if f1 > best_f1:
            best, best_f1 = span, f1
    return _to_prediction(page.within(best))


def best_blocks(document: HtmlElement, gold: Gold, headline: TextBlock | None = None) -> Prediction:
    """Return the text of a set of blocks that is as close to the gold text as can be found.

    Finding the best set is computationally hard. The returned set is optimal only for one matching
    of the page with the gold text. It consists of the blocks whose matched share exceeds half of
    the F1 that the set reaches, and is found by Dinkelbach's iteration for fractional programmes.
    Its score is thus a lower bound on the true limit.
    """
    page = page_text(document)
    wanted = _Wanted(gold, headline)
    chosen = _choose_blocks(page, wanted)
    return _to_prediction(
        block for (block, _), kept in zip(page.blocks, chosen, strict=True) if kept
    )


class _Wanted:
    """Words of a gold text, excluding the headline that every method is given."""

    def __init__(self, gold: Gold, headline: TextBlock | None) -> None:
        self.words = words(gold.text or "")
        title = words(headline.text) if headline else []
        if title and self.words[: len(title)] == title:
            del self.words[: len(title)]
        self._title = title
        self._counts = Counter(self.words)

    def _without_title(self, found: Sequence[str]) -> Sequence[str]:
        title = self._title
        return found[len(title) :] if title and list(found[: len(title)]) == title else found

    def f1(self, found: Sequence[str]) -> float:
        """Return the F1 of words, not counting a headline with which they begin."""
        found = self._without_title(found)
        return 2 * matched_total(found, self.words) / max(1, len(found) + len(self.words))

    def bound(self, found: Sequence[str]) -> float:
        """Return an upper bound of `f1` that ignores order."""
        found = self._without_title(found)
        common = (Counter(found) & self._counts).total()
        return 2 * common / max(1, len(found) + len(self.words))


def _choose_blocks(page: PageText, wanted: _Wanted) -> list[bool]:
    """Return which blocks to keep, by Dinkelbach's iteration.

    A block is kept if its share of matched words exceeds half of the F1 reached so far.
    """
    matched = [0] * len(page.words)
    for start, _, size in matching_blocks(page.words, wanted.words):
        matched[start : start + size] = [1] * size
    gains = [sum(matched[block_words.start : block_words.stop]) for _, block_words in page.blocks]
    sizes = [len(block_words) for _, block_words in page.blocks]
    half_f1 = 0.0
    while True:
        chosen = [gain > half_f1 * size for gain, size in zip(gains, sizes, strict=True)]
        chosen_gain = sum(gain for gain, kept in zip(gains, chosen, strict=True) if kept)
        chosen_size = sum(size for size, kept in zip(sizes, chosen, strict=True) if kept)
        reached = chosen_gain / max(1, chosen_size + len(wanted.words))
        if reached <= half_f1:
            return chosen
        half_f1 = reached


def _to_prediction(blocks: Iterable[TextBlock]) -> Prediction:
    kept = tuple(blocks)
    return Prediction(text="\n".join(block.text for block in kept), blocks=kept)
