"""Composition of the body from the lines whose roles make up the text."""

from collections.abc import Mapping, Sequence
from itertools import compress, pairwise
from operator import and_, attrgetter, not_

import numpy as np

from detourage import core
from detourage.html.flat import Booleans, Integers
from detourage.reader import page_model
from detourage.reader.asides import without_asides
from detourage.reader.captions import MAX_CAPTION_TOKENS
from detourage.reader.found_body import FoundBody, FoundRole
from detourage.reader.knowledge import TemplateKnowledge
from detourage.reader.lines import Line
from detourage.reader.outline import Outline
from detourage.reader.page_model import Floats, JudgedPage, PageModel
from detourage.reader.visibility import folded, hidden
from detourage.roles import TEXT_ROLES, Favor, LineRole

METHOD = "lines"

MIN_EXPECTED_F1 = 0.3  # expected word F1 of the chosen lines for the page to have a body
MIN_REPEATED_WORDS = 20  # words in the first and last line of a repeated passage that is dropped
MIN_QUOTE_WORDS = 5  # words in a quotation that can be a pull quote
MAX_QUOTES = 100  # quotations that are searched for in the other lines
MAX_FILTERED = 100_000  # characters of other lines that are first filtered by single words
MIN_REPEATED_LINES = 2  # number of long repeated lines in a text at which they are dropped
MIN_LIST_SHARE = 0.35  # expected share of text in a list for all of it to be included
MIN_ACCORDION_SHARE = 0.1  # expected share of text in an accordion for its lines to be included
MIN_FOLDED_PROBABILITY = 0.1  # probability of being text for an included line of an accordion
MAX_ACCORDION_RATIO = 0.5  # words in an included accordion, relative to the chosen lines
MAX_HIDDEN_SHARE = 0.1  # share of hidden words in the chosen lines; with more, hidden lines stay
MIN_SURE = 0.7  # probability of being text for a line that is kept although it looks like a teaser
MAX_SHORT_WORDS = 150  # words in the sure lines of a short article, which loses its teasers

_TEASER_SECTIONS = frozenset({"aside", "nav", "footer"})
_TEASER_NAMES = frozenset({"related", "sidebar"})

_TABLES = frozenset({"table", "dl"})

CORE_SHARE = 0.7
"""Minimum share of the body's words in its core, the element that is searched for images and
embeds. An element with all the words is often the whole page, because of a distant headline."""

RECALL_WEIGHTS: Mapping[Favor | None, float] = {"precision": 1 / 16, None: 1.0, "recall": 16.0}
"""Weight of recall relative to precision in the F measure that the chosen lines maximise (the
square of van Rijsbergen's beta). With 1/4 and 4, precision and recall hardly change."""


def judge_page(
    page: Outline,
    knowledge: TemplateKnowledge | None = None,
    url: str = "",
    model: PageModel | None = None,
) -> JudgedPage:
    """Predict the roles of a page's lines and its kind, by default with the shipped model."""
    return (model or page_model.trained_model()).judge(page, knowledge, url)


def find_body(
    page: Outline,
    judged: JudgedPage,
    roles: Sequence[LineRole] = TEXT_ROLES,
    favor: Favor | None = None,
    url: str = "",
) -> FoundBody | None:
    """Find the body, made of lines with the given roles; None if its expected F1 is too low."""
    lines = judged.lines
    if not lines:
        return None
    probabilities = judged.probability_of(roles)
    chosen, expected_f1 = choose_lines(probabilities, judged.columns.words, favor)
    if expected_f1 < MIN_EXPECTED_F1:
        return None
    chosen = _without_teasers(page, judged, probabilities, chosen)
    chosen = _with_whole_lists(page, judged, probabilities, chosen)
    chosen = _with_whole_accordions(page, judged, chosen)
    chosen = _without_hidden(page, judged, chosen)
    if {*roles} <= {*TEXT_ROLES}:
        chosen = without_asides(page, judged, chosen, url)
    places = np.flatnonzero(chosen)
    kept = [lines[place] for place in places.tolist()]
    found_roles = judged.likeliest(places, roles)
    by_line = dict(zip((line.number for line in kept), found_roles, strict=True))
    return body_of(page, _without_pull_quotes(kept, by_line), expected_f1, by_line)


def _with_whole_lists(
    page: Outline, judged: JudgedPage, probabilities: Floats, chosen: Booleans
) -> Booleans:
    """Choose all lines, except captions, of data tables and lists that belong to the article.

    A list between two chosen lines belongs to the article if its expected share of text exceeds
    `MIN_LIST_SHARE`. A table belongs to the article if most of its words are chosen. Sentences that
    other pages share are left out, but column headers are not.
    """
    lines, flat = judged.columns, page.flat
    lists = np.flatnonzero(flat.having(page_model.LISTS) & (flat.text_starts < flat.text_ends))
    starts = np.searchsorted(lines.numbers, page.text_lines[flat.text_starts[lists]])
    ends = np.searchsorted(lines.numbers, page.text_lines[flat.text_ends[lists] - 1], side="right")
    # Padded at both ends, so that the first and the last line have two neighbours.
    is_chosen = np.concatenate([[False], chosen, [False]])
    is_between = is_chosen[starts] & is_chosen[ends + 1]
    # Chosen words minus other words, before each line.
    balance = np.concatenate([[0], np.cumsum(np.where(chosen, lines.words, -lines.words))])
    belongs = (balance[ends] > balance[starts]) & flat.having(_TABLES)[lists]
    if not (is_between | belongs).any():
        return chosen
    # A glossary looks like a fact box.
    in_glossary = flat.within(flat.having(("dl",)))[lines.blocks]
    facts = judged.probability_of(("infobox",)) * in_glossary
    expected = lines.words * (probabilities + facts)
    captions = flat.within(flat.having(("caption",)))
    is_left_out = captions[lines.blocks] | (judged.is_shared & lines.is_prose)
    # A table with a long cell is used for layout.
    cell_sizes = page.sizes * flat.having(("td", "th"))
    completed = chosen.copy()
    for place in np.flatnonzero(is_between | belongs).tolist():
        index, inside = lists[place], slice(starts[place], ends[place])
        min_text = MIN_LIST_SHARE * lines.words[inside].sum()
        is_text = belongs[place] or (is_between[place] and expected[inside].sum() > min_text)
        if is_text and cell_sizes[index : flat.ends[index]].max() <= core.MAX_CELL_TOKENS:
            completed[inside] = ~is_left_out[inside]
    return completed


def _with_whole_accordions(page: Outline, judged: JudgedPage, chosen: Booleans) -> Booleans:
    """Choose the prose of accordions, which the network mistakes for parts of the template."""
    if judged.kind != "article" or not chosen.any():
        return chosen
    lines = judged.columns
    is_text = (judged.probabilities > MIN_FOLDED_PROBABILITY) & lines.is_prose
    if not (is_text & ~chosen).any():
        return chosen
    is_folded = folded(page)[lines.blocks]
    if not is_folded.any():
        return chosen
    around = _extent(page, lines.numbers[chosen], lines.blocks[chosen], lines.words[chosen])[1]
    is_folded &= (around <= lines.blocks) & (lines.blocks < page.ends[around]) & ~judged.is_shared
    completed = chosen.copy()
    borders = np.flatnonzero(np.diff(is_folded, prepend=False, append=False)).tolist()
    for start, end in zip(borders[::2], borders[1::2], strict=True):
        accordion = slice(start, end)
        words = lines.words[accordion].sum()
        expected = (judged.probabilities * lines.words)[accordion].sum()
        is_short = words <= MAX_ACCORDION_RATIO * lines.words[chosen].sum()
        if is_short and expected > MIN_ACCORDION_SHARE * words:
            completed[accordion] |= is_text[accordion]
    return completed


def _without_teasers(
    page: Outline, judged: JudgedPage, likelihood: Floats, chosen: Booleans
) -> Booleans:
    """Leave out the doubtful lines of a short article that look like teasers of other articles."""
    lines = judged.columns
    is_sure = chosen & (likelihood >= MIN_SURE)
    is_short = 0 < lines.words[is_sure].sum() <= MAX_SHORT_WORDS
    is_article = is_short and (judged.kind == "article" or page.metas.get("og:type") == "article")
    if not (is_article and lines.is_prose[is_sure].any()):
        return chosen
    sections = page.flat.having(_TEASER_SECTIONS) | page.named(_TEASER_NAMES)
    is_teaser: Booleans = page.flat.within(sections)[lines.blocks] | (lines.linked == lines.words)
    kept: Booleans = chosen & (is_sure | ~is_teaser)
    return kept


def _without_hidden(page: Outline, judged: JudgedPage, chosen: Booleans) -> Booleans:
    """Leave out lines hidden for good, unless many are, because scripts may show the article."""
    if judged.kind != "article":
        return chosen
    lines = judged.columns
    is_hidden = chosen & hidden(page)[lines.blocks]
    if not is_hidden.any():
        return chosen
    is_hidden &= ~folded(page)[lines.blocks]
    are_few = lines.words[is_hidden].sum() <= MAX_HIDDEN_SHARE * lines.words[chosen].sum()
    return chosen & ~is_hidden if are_few else chosen


def body_of(
    page: Outline,
    kept: Sequence[Line],
    expected_f1: float,
    roles: Mapping[int, FoundRole] | None = None,
) -> FoundBody:
    """Return the body that consists of the given lines, one or more, without repeated passages."""
    kept = _without_repeats(page, kept)
    numbers, blocks, word_counts = (
        np.fromiter(map(attrgetter(name), kept), np.int64, len(kept))
        for name in ("number", "block", "words")
    )
    container, _, *left_out = _extent(page, numbers, blocks, word_counts)
    dropped, muted = (frozenset(each.tolist()) for each in left_out)
    lines = frozenset(numbers.tolist())
    return FoundBody(METHOD, container, dropped, muted, lines, expected_f1, roles or {})


def _extent(page: Outline, *lines: Integers) -> tuple[int, int, Integers, Integers]:
    """Return the smallest element with all words of the lines, and that with `CORE_SHARE` of them.

    `lines` are the lines' numbers, blocks and word counts. Also return which elements to drop and
    which to mute (see `FoundBody`).
    """
    texts, limits = (page.text_lines, page.text_sizes), (CORE_SHARE, MAX_CAPTION_TOKENS)
    return core.extent(page.document, page.flat, *texts, *lines, *limits)


def choose_lines(
    probabilities: Floats, word_counts: Floats | Integers, favor: Favor | None = None
) -> tuple[Booleans, float]:
    """Return a mask of the lines that maximise the expected word F1, and the F1 they achieve.

    The chosen lines, of which there is at least one, are those whose probability is at least half
    of the maximum F1 (Z. C. Lipton, C. Elkan and B. Narayanaswamy, "Optimal thresholding of
    classifiers to maximize F1 measure", ECML PKDD 2014). `favor` maximises the F measure with
    another weight of recall (`RECALL_WEIGHTS`) instead.
    """
    order = np.argsort(-probabilities, kind="stable")
    # For each number of most probable lines: the expected number of their words that belong to the
    # text, and the number of all their words.
    right = np.cumsum((probabilities * word_counts)[order])
    taken = np.cumsum(word_counts[order])
    weight = RECALL_WEIGHTS[favor]
    best = int(np.argmax((1 + weight) * right / (taken + weight * right[-1])))
    chosen = np.zeros(len(probabilities), dtype=np.bool_)
    chosen[order[: best + 1]] = True
    return chosen, float(2 * right[best] / (taken[best] + right[-1]))


def _without_repeats(page: Outline, lines: Sequence[Line]) -> Sequence[Line]:
    """Drop passages that repeat earlier lines, such as quotations of an earlier post of a thread.

    A passage begins and ends with a long line. A single long repeated line is kept, because a lead
    often repeats a sentence of the article, and so is a line whose first copy has the same parent
    element, such as the chorus of a song.
    """
    first_copies = {line.text: line for line in reversed(lines)}
    is_repeated = [first_copies[line.text] is not line for line in lines]
    is_long = [line.words >= MIN_REPEATED_WORDS for line in lines]
    if sum(map(and_, is_repeated, is_long)) < MIN_REPEATED_LINES:
        return lines
    parents, is_hidden = page.parents, hidden(page)
    is_sibling = [
        parents[line.block] == parents[first_copies[line.text].block] and not is_hidden[line.block]
        for line in lines
    ]
    is_repeated = [*map(and_, is_repeated, map(not_, is_sibling))]
    long_repeats = [*compress(range(len(lines)), map(and_, is_repeated, is_long))]
    dropped = set(long_repeats)
    for start, end in pairwise(long_repeats):
        if all(is_repeated[start:end]):
            dropped.update(range(start, end))
    return [line for place, line in enumerate(lines) if place not in dropped]


def _without_pull_quotes(lines: Sequence[Line], roles: Mapping[int, FoundRole]) -> Sequence[Line]:
    """Drop pull quotes: quotations that only repeat a passage of the text to catch the eye."""
    is_quote = [roles[line.number].role == "quote" for line in lines]
    quotes = [line for line in compress(lines, is_quote) if line.words >= MIN_QUOTE_WORDS]
    if not quotes or all(is_quote):
        return lines
    others = [*compress(lines, map(not_, is_quote))]
    if sum(len(line.text) for line in others) <= MAX_FILTERED:
        longest = {max(line.tokens, key=len)[:20] for line in quotes[:MAX_QUOTES]}
        others = [line for line in others if any(map(line.text.lower().__contains__, longest))]
    other_text = "".join(map(_joined_tokens, others))
    repeated = {line.number for line in quotes[:MAX_QUOTES] if _joined_tokens(line) in other_text}
    return [line for line in lines if line.number not in repeated]


def _joined_tokens(line: Line) -> str:
    """Return the tokens, with NUL around each, so that a search finds only whole tokens."""
    return "\0".join(("", *line.tokens, ""))
