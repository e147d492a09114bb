"""Composition of the body from the lines whose roles make up the text."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, compress, pairwise
from operator import and_, not_

import numpy as np
import numpy.typing as npt

from detourage.reader import page_model
from detourage.reader.asides import without_asides
from detourage.reader.blocks import MAX_CELL_TOKENS
from detourage.reader.finding import FoundBody, FoundRole
from detourage.reader.illustrations import MAX_CAPTION_TOKENS
from detourage.reader.knowledge import TemplateKnowledge
from detourage.reader.lines import Line
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage, PageModel
from detourage.reader.visibility import folded, hidden
from detourage.roles import TEXT_ROLES, Favor, LineRole

METHOD = "lines"

MIN_EXPECTED_F1 = 0.3  # expected word F1 of the chosen lines; below it, none are chosen
MIN_REPEATED_WORDS = 20  # words in the first and last line of a repeated passage that is dropped
MIN_QUOTE_WORDS = 5  # words in a quotation that can be a pull quote
MAX_QUOTES = 100  # quotations that are searched for in the other lines
MIN_REPEATED_LINES = 2  # repeated lines in a text; fewer are kept
MIN_LIST_SHARE = 0.35  # expected share of text in a list that is completed between chosen lines
MIN_ACCORDION_SHARE = 0.2  # expected share of text in an accordion that is completed
MIN_FOLDED_PROBABILITY = 0.1  # probability of a line that completes an accordion
MAX_ACCORDION_RATIO = 0.5  # length of a completed accordion, relative to that of the chosen lines
MAX_HIDDEN_SHARE = 0.1  # share of the article's words that are left out because they are hidden
MIN_SURE = 0.7  # probability of a line that is kept although it looks like a teaser
MAX_SHORT_WORDS = 150  # words in the sure lines of an article from which teasers are left out

_OTHER_SECTIONS = frozenset({"aside", "nav", "footer"})
_OTHER_NAMES = frozenset({"related", "sidebar"})

_TABLES = frozenset({"table", "dl"})
_LISTS = _TABLES | {"ul", "ol"}

CORE_SHARE = 0.7
"""Minimum share of the body's words in the element searched for images and embeds; the headline or
lead often lies outside, and the smallest element with all the words is often the whole page."""

RECALL_WEIGHTS: Mapping[Favor | None, float] = {"precision": 1 / 16, None: 1.0, "recall": 16.0}
"""Weight of recall relative to precision in the F measure that the chosen lines maximise (the
square of van Rijsbergen's beta). With 1/4 and 4, precision and recall hardly change."""

_Floats = npt.NDArray[np.float64]
_Booleans = npt.NDArray[np.bool_]


def judge_page(
    page: Outline,
    knowledge: TemplateKnowledge | None = None,
    url: str = "",
    model: PageModel | None = None,
) -> JudgedPage:
    """Judge the lines of a page, by default with the shipped model."""
    return (model or page_model.trained_model()).judge(page, knowledge, url)


def find_body(
    page: Outline,
    judged: JudgedPage,
    roles: Sequence[LineRole] = TEXT_ROLES,
    favor: Favor | None = None,
    url: str = "",
) -> FoundBody | None:
    """Find the lines with the given roles; None if the expected F1 is too low."""
    lines = judged.lines
    if not lines:
        return None
    lengths = np.array([len(line.tokens) for line in lines], dtype=np.float64)
    probabilities = judged.probability_of(roles)
    chosen, expected_f1 = choose_lines(probabilities, lengths, favor)
    if expected_f1 < MIN_EXPECTED_F1:
        return None
    chosen = _without_teasers(page, judged, lengths, probabilities, chosen)
    chosen = _with_whole_lists(page, judged, lengths * probabilities, lengths, chosen)
    chosen = _with_whole_accordions(page, judged, lengths, chosen)
    chosen = _without_hidden(page, judged, lengths, chosen)
    if {*roles} <= {*TEXT_ROLES}:
        chosen = without_asides(page, judged, chosen, url)
    places = np.flatnonzero(chosen)
    kept = [lines[place] for place in places.tolist()]
    found = judged.likeliest(places, roles)
    by_line = dict(zip((line.number for line in kept), found, strict=True))
    return body_of(page, _without_pull_quotes(kept, by_line), expected_f1, by_line)


def _with_whole_lists(
    page: Outline, judged: JudgedPage, expected: _Floats, lengths: _Floats, chosen: _Booleans
) -> _Booleans:
    """Complete data tables and lists that are likely to be the article's, without captions.

    Between two chosen lines, `MIN_LIST_SHARE` of a list must be text; elsewhere, most words of a
    table must be chosen. Sentences that other pages share are left out, but not column headers.
    """
    lines = judged.lines
    captions = page.flat.within(page.flat.having(("caption",)))
    left_out = captions[[line.block for line in lines]]
    left_out |= [line.number in judged.shared and line.is_prose for line in lines]
    numbers = np.array([line.number for line in lines])
    around = [False, *chosen.tolist(), False]
    whole = chosen.copy()
    for index in np.flatnonzero(page.flat.having(_LISTS)).tolist():
        inside = page.text_lines[page.text_starts[index] : page.text_ends[index]]
        if not len(inside):
            continue
        first, last = np.searchsorted(numbers, (inside[0], inside[-1] + 1)).tolist()
        own = slice(first, last)
        size = lengths[own].sum()
        is_likely = 2 * lengths[own][chosen[own]].sum() > size and page.tags[index] in _TABLES
        if around[first] and around[last + 1]:
            is_likely |= expected[own].sum() > MIN_LIST_SHARE * size
        is_layout = page.tags[index] == "table" and lengths[own].max(initial=0) > MAX_CELL_TOKENS
        if is_likely and not is_layout:
            whole[own] = ~left_out[own]
    return whole


def _with_whole_accordions(
    page: Outline, judged: JudgedPage, lengths: _Floats, chosen: _Booleans
) -> _Booleans:
    """Complete accordions, which look like parts of the template because they are hidden."""
    if judged.kind != "article" or not chosen.any():
        return chosen
    lines = judged.lines
    is_folded = folded(page)[[line.block for line in lines]]
    if not is_folded.any():
        return chosen
    kept = [lines[place] for place in np.flatnonzero(chosen).tolist()]
    core = _smallest_around(page, kept, CORE_SHARE)
    is_folded &= [core <= line.block < page.ends[core] for line in lines]
    is_folded &= [line.number not in judged.shared for line in lines]
    is_own = judged.probabilities > MIN_FOLDED_PROBABILITY
    is_own &= [line.is_prose for line in lines]
    whole = chosen.copy()
    borders = np.flatnonzero(np.diff(is_folded, prepend=False, append=False)).tolist()
    for first, last in zip(borders[::2], borders[1::2], strict=True):
        own = slice(first, last)
        size = lengths[own].sum()
        expected = (judged.probabilities * lengths)[own].sum()
        is_part = size <= MAX_ACCORDION_RATIO * lengths[chosen].sum()
        if is_part and expected > MIN_ACCORDION_SHARE * size:
            whole[own] |= is_own[own]
    return whole


def _without_teasers(
    page: Outline, judged: JudgedPage, lengths: _Floats, probabilities: _Floats, chosen: _Booleans
) -> _Booleans:
    """Leave out doubtful lines that lead to other articles, many of which short pages contain."""
    lines = judged.lines
    is_sure = chosen & (probabilities >= MIN_SURE)
    is_short = 0 < lengths[is_sure].sum() <= MAX_SHORT_WORDS
    is_article = judged.kind == "article" or page.metas.get("og:type") == "article"
    if not (is_article and is_short):
        return chosen
    if not any(lines[place].is_prose for place in np.flatnonzero(is_sure).tolist()):
        return chosen
    sections = page.flat.having(_OTHER_SECTIONS) | page.named(_OTHER_NAMES)
    is_other = page.flat.within(sections)[[line.block for line in lines]]
    is_other |= [line.linked == len(line.tokens) for line in lines]
    return chosen & (is_sure | ~is_other)


def _without_hidden(
    page: Outline, judged: JudgedPage, lengths: _Floats, chosen: _Booleans
) -> _Booleans:
    """Leave out hidden lines unless there are many, because scripts may display the article."""
    if judged.kind != "article":
        return chosen
    is_hidden = chosen & (hidden(page) & ~folded(page))[[line.block for line in judged.lines]]
    are_few = lengths[is_hidden].sum() <= MAX_HIDDEN_SHARE * lengths[chosen].sum()
    return chosen & ~is_hidden if are_few else chosen


def body_of(
    page: Outline,
    kept: Sequence[Line],
    expected_f1: float,
    roles: Mapping[int, FoundRole] | None = None,
) -> FoundBody:
    """Return the body that consists of the given lines, one or more, without repeated passages."""
    kept = _without_repeats(page, kept)
    numbers = frozenset(line.number for line in kept)
    container = _smallest_around(page, kept, share=1.0)
    core = _smallest_around(page, kept, share=CORE_SHARE)
    if core > container and page.tags[core] == "p":
        # The pictures of an article with a single paragraph are outside this paragraph.
        core = page.parents[core]
    left_out = _left_out(page, container, core, numbers)
    return FoundBody(METHOD, container, *left_out, numbers, expected_f1, roles or {})


def choose_lines(
    probabilities: _Floats, lengths: _Floats, favor: Favor | None = None
) -> tuple[_Booleans, float]:
    """Return a mask of the lines that maximise the expected word F1, and the F1 they achieve.

    The chosen lines, of which there is at least one, are those whose probability is at least half
    of the maximum F1 (Z. C. Lipton, C. Elkan and B. Narayanaswamy, "Optimal thresholding of
    classifiers to maximize F1 measure", ECML PKDD 2014). `favor` maximises the F measure with
    another weight of recall (`RECALL_WEIGHTS`) instead.
    """
    order = np.argsort(-probabilities, kind="stable")
    right = np.cumsum((probabilities * lengths)[order])
    taken = np.cumsum(lengths[order])
    weight = RECALL_WEIGHTS[favor]
    best = int(np.argmax((1 + weight) * right / (taken + weight * right[-1])))
    chosen = np.zeros(len(probabilities), dtype=np.bool_)
    chosen[order[: best + 1]] = True
    return chosen, float(2 * right[best] / (taken[best] + right[-1]))


def _without_repeats(page: Outline, lines: Sequence[Line]) -> Sequence[Line]:
    """Drop passages that repeat earlier lines and begin and end with long ones, like quoted posts.

    A single repeated line is kept, because a lead often repeats a sentence of the article. Lines
    whose earlier copy has the same parent element are also kept, such as the chorus of a song.
    """
    originals = {line.text: line for line in reversed(lines)}
    is_repeated = [originals[line.text] is not line for line in lines]
    is_long = [len(line.tokens) >= MIN_REPEATED_WORDS for line in lines]
    if sum(map(and_, is_repeated, is_long)) < MIN_REPEATED_LINES:
        return lines
    parents, is_hidden = page.parents, hidden(page)
    is_sibling = [
        parents[line.block] == parents[originals[line.text].block] and not is_hidden[line.block]
        for line in lines
    ]
    is_repeated = [*map(and_, is_repeated, map(not_, is_sibling))]
    repeated = [at for at, both in enumerate(map(and_, is_repeated, is_long)) if both]
    left_out = set(repeated)
    for start, end in pairwise(repeated):
        if all(is_repeated[start:end]):
            left_out.update(range(start, end))
    return [line for at, line in enumerate(lines) if at not in left_out]


def _without_pull_quotes(lines: Sequence[Line], roles: Mapping[int, FoundRole]) -> Sequence[Line]:
    """Drop pull quotes: quotations that only repeat a passage of the text to catch the eye."""
    is_quote = [roles[line.number].role == "quote" for line in lines]
    if not any(is_quote) or all(is_quote):
        return lines
    other_text = "".join(map(_joined_tokens, compress(lines, map(not_, is_quote))))
    quotes = [line for line in compress(lines, is_quote) if len(line.tokens) >= MIN_QUOTE_WORDS]
    repeated = {line.number for line in quotes[:MAX_QUOTES] if _joined_tokens(line) in other_text}
    return [line for line in lines if line.number not in repeated]


def _joined_tokens(line: Line) -> str:
    return "\0".join(("", *line.tokens, ""))


def _smallest_around(page: Outline, lines: Sequence[Line], share: float) -> int:
    """Return the smallest element with at least the given share of the lines' words."""
    blocks = [line.block for line in lines]
    lengths = [len(line.tokens) for line in lines]
    counts = np.bincount(blocks, lengths, minlength=len(page.elements))
    before = np.concatenate([[0.0], np.cumsum(counts)])
    below = before[page.ends] - before[:-1]
    holders = np.flatnonzero(below >= share * below[0])
    # If nested elements contain the same words, the innermost is last in document order.
    return int(holders[below[holders] == below[holders].min()][-1])


def _left_out(
    page: Outline, container: int, core: int, kept: frozenset[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the outermost elements without body lines: those to drop and those to mute."""
    before = [0, *accumulate(text.line in kept for text in page.texts)]
    figures = page.flat.having(("figure",))
    outermost = figures & (page.flat.count_around(figures) == 1)
    in_figures = np.concatenate([[0], np.cumsum(page.sizes * outermost)]).tolist()
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
        elif in_core and in_figures[page.ends[index]] - in_figures[index] == page.size(index):
            # This is a gallery, whose captions are its only text.
            index += 1
            continue
        else:
            dropped.add(index)
        index = page.ends[index]
    return frozenset(dropped), frozenset(muted)
