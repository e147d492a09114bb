"""The body as the lines that a classifier takes for the article's.

What is counted of each line (`worker.extraction.evidence`) is weighed by boosted trees that
were trained on the development corpora (``benchmarks/extraction/train.py``). No site has to be
labelled: nothing of what they learnt is a site's own.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from worker.extraction.evidence import COLUMNS, Evidence, gather_evidence
from worker.extraction.finding import Finding
from worker.extraction.knowledge import TemplateKnowledge
from worker.extraction.lines import Line
from worker.extraction.outline import Outline
from worker.extraction.rendering import MAX_CAPTION_TOKENS
from worker.extraction.trees import BoostedTrees

METHOD = "lines"

MIN_PROBABILITY = 0.5
"""Probability from which a line is the article's."""

CORE_SHARE = 0.7
"""Share of the body's words in the element that its images and embeds are looked for in.

The element around all of the body is often the page, where a headline or a lead stands apart.
"""

_MODEL = "model.json"

_Probabilities = npt.NDArray[np.float64]


@cache
def trained_model() -> BoostedTrees:
    """Load the classifier.

    Raises
    ------
    RuntimeError
        If its file was trained on other evidence than is gathered.
    """
    text = files("worker.extraction").joinpath(_MODEL).read_text(encoding="utf-8")
    model = BoostedTrees.from_json(text)
    if model.columns != COLUMNS:
        raise RuntimeError(f"{_MODEL} was trained on other evidence: train it again")
    return model


def find_body(
    page: Outline,
    knowledge: TemplateKnowledge | None = None,
    url: str = "",
    model: BoostedTrees | None = None,
) -> Finding | None:
    """Find the lines of the article.

    Parameters
    ----------
    page
        The page.
    knowledge
        What other pages of its template tell, None where there is none.
    url
        Address of the page.
    model
        The classifier; `trained_model` unless given.

    Returns
    -------
    Finding or None
        None where no line is taken for the article's. The container is the smallest element
        around all that are.
    """
    evidence = gather_evidence(page, knowledge, url)
    probabilities = (model or trained_model()).probabilities(evidence.rows)
    kept = [
        line
        for line, probability in zip(evidence.lines, probabilities, strict=True)
        if probability >= MIN_PROBABILITY
    ]
    if not kept:
        return None
    numbers = frozenset(line.number for line in kept)
    container = _smallest_around(page, kept, share=1.0)
    core = _smallest_around(page, kept, share=CORE_SHARE)
    dropped, muted = _left_out(page, container, core, numbers)
    return Finding(
        METHOD,
        container,
        dropped=dropped,
        muted=muted,
        lines=numbers,
        confidence=_expected_f1(evidence, probabilities),
    )


def _smallest_around(page: Outline, lines: Sequence[Line], share: float) -> int:
    """Return the smallest element that holds a share of the words of lines."""
    blocks = [line.block for line in lines]
    lengths = [len(line.tokens) for line in lines]
    counts = np.bincount(blocks, lengths, minlength=len(page.elements))
    before = np.concatenate([[0.0], np.cumsum(counts)])
    below = before[page.ends] - before[:-1]
    holders = np.flatnonzero(below >= share * below[0])
    # Of nested elements with the same words the innermost is the last in document order.
    return int(holders[below[holders] == below[holders].min()][-1])


def _left_out(
    page: Outline, container: int, core: int, kept: frozenset[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """List the outermost elements without a line of the body: those to drop, those to mute."""
    before = [0, *accumulate(text.line in kept for text in page.texts)]
    dropped: set[int] = set()
    muted: set[int] = set()
    index = container + 1
    while index < page.ends[container]:
        start, end = page.text_starts[index], page.text_ends[index]
        if before[end] > before[start]:
            index += 1
            continue
        in_core = core <= index < page.ends[core]
        if in_core and page.size(index) <= MAX_CAPTION_TOKENS:
            muted.add(index)
        else:
            dropped.add(index)
        index = page.ends[index]
    return frozenset(dropped), frozenset(muted)


def _expected_f1(evidence: Evidence, probabilities: _Probabilities) -> float:
    """Return the F1 of the words that are kept, were every probability true."""
    lengths = np.array([len(line.tokens) for line in evidence.lines], dtype=np.float64)
    kept = probabilities >= MIN_PROBABILITY
    right = float(lengths[kept] @ probabilities[kept])
    return 2 * right / float(lengths[kept].sum() + lengths @ probabilities)
