"""Scores of the CleanEval competition, and the character score of Lejeune et al. (2015)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchmarks.evaluation.scores.markup import MARKS, mark_of
from benchmarks.evaluation.scores.matching import matched_total, matching_blocks
from benchmarks.evaluation.scores.prf import PRF
from benchmarks.evaluation.scores.records import PARAGRAPH, TextBlock
from benchmarks.evaluation.scores.words import normalised, words

_MARKS = frozenset(MARKS.values())


@dataclass(frozen=True)
class MarkupScore:
    """Score over words and marks (TM of Lejeune et al. 2015), and score over marks only.

    Both are computed from the same matching.
    """

    tokens: PRF
    marks: PRF


def text_only(text: str, gold: str, *, split: Callable[[str], Sequence[str]] = words) -> PRF:
    """Compute CleanEval's text-only score (TO) of the words of a text without marks.

    As in Lejeune et al. (2015), section 4.1, words are matched in order by Ratcliff-Obershelp. If
    `split` is ``str.split``, the texts are split into words as in the competition.
    """
    found, wanted = split(text), split(gold)
    return PRF.of(matched_total(found, wanted), len(found), len(wanted))


def text_and_markup(
    blocks: Iterable[TextBlock],
    gold: Iterable[TextBlock],
    *,
    labelled: bool = True,
    split: Callable[[str], Sequence[str]] = words,
) -> MarkupScore:
    """Compute CleanEval's text-and-markup score (TM) of words and the marks between them.

    As in Lejeune et al. (2015), section 4.1, words and marks are tokens of a single sequence,
    matched by Ratcliff-Obershelp. Unless `labelled` is true, marks of all types are equal. `split`
    is as in `text_only`.
    """
    found = _tokens(blocks, labelled=labelled, split=split)
    wanted = _tokens(gold, labelled=labelled, split=split)
    shared = matching_blocks(found, wanted)
    return MarkupScore(
        tokens=PRF.of(sum(block.size for block in shared), len(found), len(wanted)),
        marks=PRF.of(
            sum(_count_marks(found[block.a : block.a + block.size]) for block in shared),
            _count_marks(found),
            _count_marks(wanted),
        ),
    )


def characters(text: str, gold: str) -> PRF:
    """Compute the character score (CAR) of Lejeune et al. (2015, section 4.1).

    Runs of whitespace become a single space, which counts like any other character.
    """
    found, wanted = (" ".join(normalised(side).split()) for side in (text, gold))
    return PRF.of(matched_total(found, wanted), len(found), len(wanted))


def _tokens(
    blocks: Iterable[TextBlock], *, labelled: bool, split: Callable[[str], Sequence[str]]
) -> list[str]:
    """Return the words of all blocks; each block begins with its mark, if it has one."""
    tokens: list[str] = []
    for block in blocks:
        # Without labels, every marked block counts as a paragraph.
        mark = mark_of(block.type if labelled or not block.type else PARAGRAPH)
        if mark:
            tokens.append(mark)
        tokens.extend(split(block.text))
    return tokens


def _count_marks(tokens: Iterable[str]) -> int:
    return sum(token in _MARKS for token in tokens)
