"""Features of candidates: CommentsMiner's features, and the positions of records on the page.

In this module, a record excludes its nested records, because a comment does not include its
replies.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from detourage.comments.candidates import Candidate
from detourage.comments.elements import COUNTED, PageElements
from detourage.html.flat import numbered
from detourage.inference import Features, NamedColumn

_Floats = npt.NDArray[np.float64]
_Integers = npt.NDArray[np.int64]

_CODED_TAGS = (
    *("li", "div", "article", "tr", "td", "table", "p", "dl", "dd", "dt"),
    *("section", "span", "blockquote", "ul", "ol"),
)
_CODE_OF_TAG = {tag: code for code, tag in enumerate(_CODED_TAGS, 1)}

_AVERAGED = tuple(name for name in COUNTED if name not in {"characters", "words"})
_SHARED = (
    *("sentences", "personal", "dates", "links", "images", "paragraphs", "fields", "repeated"),
    *("long_links", "fragment_links", "unendorsed_links"),
)
_VARYING = ("elements", "links", "texts", "dates", "repeated", "paragraphs")

MOST_NAMES = 5
"""Maximum number of ancestors counted whose names indicate comments."""

LONGEST_COUNT = 30
"""Maximum length, in characters, of a text that may state the number of comments."""

COUNT_WITHIN = 30
"""Number of texts before the first record that are searched for the number of comments."""

_NUMBER = re.compile(r"\d++")
_MAX_DIGITS = 5

_EPSILON = 1e-9


def measure(page: PageElements, candidates: Sequence[Candidate]) -> Features:
    """Compute the features of the candidates (at least one), with one row per candidate."""
    return Features.of(_measures(_Records(page, [each.places for each in candidates]), candidates))


def paper_measures(page: PageElements, groups: Sequence[Sequence[int]]) -> Features:
    """Compute only the eight features of CommentsMiner (section 3), one row per candidate.

    `groups` are the root elements of each candidate's occurrences, in ascending order; there must
    be at least one candidate.
    """
    return Features.of(_paper_measures(_Records(page, [*map(np.array, groups)])))


class _Records:
    """The records of all candidates, concatenated.

    Arrays with one value per record: `element` is the root element, `candidate` the number of the
    candidate, and `depth` the number of records of the same candidate around it. `whole` and `own`
    have one row per record and one column per name in `COUNTED`; `own` excludes nested records.

    Arrays with one value per candidate: `firsts` is the position of its first record, and `sizes`
    its number of records. `totals` has one row per candidate: the sums of `own`.
    """

    def __init__(self, page: PageElements, groups: Sequence[_Integers]) -> None:
        self.page = page
        self.sizes = np.array([*map(len, groups)], dtype=np.int64)
        self.firsts = np.cumsum(self.sizes) - self.sizes
        self.element = np.concatenate(groups)
        self.candidate = np.repeat(np.arange(len(groups)), self.sizes)
        self.ends = page.ends[self.element]
        self.text_starts = page.text_starts[self.element]
        self.text_ends = page.text_ends[self.element]
        self.whole = self.own = page.counts[self.element]
        around, self.depth = nesting_of(self.candidate, self.element, self.ends)
        inside = np.flatnonzero(self.depth)
        if len(inside):
            self.own = self.whole.copy()
            inside = inside[np.argsort(around[inside], kind="stable")]
            holders, firsts = np.unique(around[inside], return_index=True)
            self.own[holders] -= np.add.reduceat(self.whole[inside], firsts)
        self.totals = np.add.reduceat(self.own, self.firsts)

    def count(self, name: str) -> _Integers:
        """Return a count for each record, excluding nested records."""
        return np.asarray(self.own[:, COUNTED.index(name)])

    def total_count(self, name: str) -> _Integers:
        """Return the sum of a count over the records of each candidate."""
        return np.asarray(self.totals[:, COUNTED.index(name)])

    def mean_counts(self, names: Sequence[str]) -> _Floats:
        """Return the means of the given counts over the records, one row per count."""
        return np.asarray(self.totals[:, _places(names)].T / self.sizes)

    def having(self, names: Sequence[str]) -> _Integers:
        """Return the number of records in which each count is positive, one row per count."""
        having = np.add.reduceat(self.own[:, _places(names)] > 0, self.firsts, dtype=np.int64)
        return np.asarray(having.T)

    def variation_of_counts(self, names: Sequence[str]) -> _Floats:
        """Return the coefficients of variation of the given counts, one row per count."""
        own = self.own[:, _places(names)]
        # Sums of integers do not depend on the order of addition.
        squares = np.add.reduceat(own * own, self.firsts)
        return _variation(self.mean_counts(names), squares.T / self.sizes)

    def totals_of(self, *values: npt.NDArray[np.int64 | np.bool_]) -> _Integers:
        """Sum integers over the records of each candidate, one row per argument."""
        return np.asarray(np.add.reduceat(np.array(values, dtype=np.int64), self.firsts, axis=1))

    def means_of(self, *values: npt.NDArray[np.int64 | np.bool_]) -> _Floats:
        """Return the means of integers over each candidate's records, one row per argument."""
        return np.asarray(self.totals_of(*values) / self.sizes)

    def mean(self, values: _Floats) -> _Floats:
        return np.asarray(np.add.reduceat(values, self.firsts) / self.sizes)

    def most_of(self, *values: _Integers) -> _Integers:
        """Return the maxima over the records of each candidate, one row per argument."""
        return np.asarray(np.maximum.reduceat(np.array(values), self.firsts, axis=1))

    def variation(self, values: _Floats) -> _Floats:
        """Return the coefficient of variation over the records of each candidate."""
        return _variation(self.mean(values), self.mean(values * values))

    def distinct(self, *values: _Integers) -> _Floats:
        """Return the share of distinct values among the records, one row per argument.

        `MAX_LENGTH` and `MAX_MEMBERS` keep the products of values and candidates below 2^63.
        """
        rows = np.array(values)
        rows -= rows.min(axis=1, keepdims=True)
        # Sorting preserves the order of the candidates.
        rows += self.candidate * (rows.max(axis=1, keepdims=True) + 1)
        rows.sort(axis=1)
        is_new = np.ones(rows.shape, dtype=np.bool_)
        is_new[:, 1:] = rows[:, 1:] != rows[:, :-1]
        return np.asarray(np.add.reduceat(is_new, self.firsts, axis=1, dtype=np.int64) / self.sizes)


def _places(names: Sequence[str]) -> list[int]:
    return [*map(COUNTED.index, names)]


def _variation(mean: _Floats, mean_square: _Floats) -> _Floats:
    variance = np.maximum(mean_square - mean * mean, 0.0)
    return np.asarray(np.sqrt(variance) / np.maximum(np.abs(mean), _EPSILON))


def _sorted_runs(values: _Integers) -> tuple[_Integers, _Integers]:
    """Return the distinct values in ascending order, and how often each occurs."""
    ordered = np.sort(values)
    firsts = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1))
    return ordered[firsts], np.diff(firsts, append=len(ordered))


def _measures(records: _Records, candidates: Sequence[Candidate]) -> Iterator[NamedColumn]:
    yield from _paper_measures(records)
    yield from _contents(records)
    yield from _texts(records)
    yield from _place(records)
    yield from _names(records)
    yield from _beside_others(records)
    yield from _left_out(records)
    yield "count said", _states_count(records)
    yield "levels", [each.levels for each in candidates]
    yield "named", [each.signature.name != "" for each in candidates]


def _paper_measures(records: _Records) -> Iterator[NamedColumn]:
    """Compute means and coefficients of variation over the records."""
    characters = records.count("characters")
    density = characters / np.maximum(records.count("elements"), 1)
    linked = records.count("link_characters") / np.maximum(characters, 1)
    means = records.mean_counts(("characters", "words"))
    variations = records.variation_of_counts(("characters", "words"))
    yield "mean text_density", records.mean(density)
    yield "variation of text_density", records.variation(density)
    yield "mean characters", means[0]
    yield "variation of characters", variations[0]
    yield "mean link_density", records.mean(linked)
    yield "variation of link_density", records.variation(linked)
    yield "mean words", means[1]
    yield "variation of words", variations[1]


def _contents(records: _Records) -> Iterator[NamedColumn]:
    for name, column in zip(_AVERAGED, records.mean_counts(_AVERAGED), strict=True):
        yield f"mean {name}", column
    for name, column in zip(_SHARED, records.having(_SHARED) / records.sizes, strict=True):
        yield f"records with {name}", column
    for name, column in zip(_VARYING, records.variation_of_counts(_VARYING), strict=True):
        yield f"variation of {name}", column
    characters = records.count("characters")
    [most] = records.most_of(characters)
    wordy, blank = records.means_of(records.count("words") >= 5, characters == 0)
    yield "records with five words", wordy
    yield "records without text", blank
    yield "largest record", most / np.maximum(records.total_count("characters"), 1)
    yield "count", records.sizes


def _texts(records: _Records) -> Iterator[NamedColumn]:
    """Measure the first and last text of each record, which are usually names, dates or buttons."""
    page = records.page
    numbers = page.distinct_texts[1]
    has_text = records.text_ends > records.text_starts
    # Every element of a candidate contains text.
    first, last = records.text_starts, records.text_ends - 1
    length = page.lengths[first]
    whole = numbers[first] * 7_919 + numbers[last] * 104_729 + records.own[:, 0] * 1_299_709
    mean, square, linked, mean_last = records.means_of(
        length, length * length, page.linked[first] & has_text, page.lengths[last]
    )
    distinct = records.distinct(numbers[first], numbers[last], whole)
    yield "distinct first texts", distinct[0]
    yield "distinct last texts", distinct[1]
    yield "distinct records", distinct[2]
    yield "mean first text", mean
    yield "variation of first text", _variation(mean, square)
    yield "first text linked", linked
    yield "mean last text", mean_last


def _place(records: _Records) -> Iterator[NamedColumn]:
    page = records.page
    first = records.element[records.firsts]
    end, text_end, deepest = records.most_of(records.ends, records.text_ends, records.depth)
    characters = np.concatenate([[0], np.cumsum(page.lengths)])
    of_page = max(int(characters[-1]), 1)
    around = _common_ancestors(page, first, end - 1)
    is_next = records.candidate[1:] == records.candidate[:-1]
    follows = np.zeros(len(records.element), dtype=np.bool_)
    follows[1:] = (records.ends[:-1] == records.element[1:]) & is_next
    between = np.zeros(len(records.element), dtype=np.int64)
    between[1:] = is_next * np.maximum(
        characters[records.text_starts[1:]] - characters[records.text_ends[:-1]], 0
    )
    depths = page.depths[records.element]
    outermost = np.where(records.depth == 0, records.whole[:, 0], 0)
    [covered] = records.totals_of(outermost)
    depth, square, following, gap, nested = records.means_of(
        depths, depths * depths, follows, between, records.depth > 0
    )
    [own] = records.mean_counts(["characters"])
    textareas = np.flatnonzero(page.having({"textarea"}))
    nearest = _distances(end, textareas) / len(page) if len(textareas) else np.ones(len(end))
    codes = np.array([_CODE_OF_TAG.get(tag, 0) for tag in page.distinct_tags])
    yield "tag", codes[page.tag_numbers[first]]
    yield "first element", first / len(page)
    yield "end", end / len(page)
    yield "text before", characters[records.text_starts[records.firsts]] / of_page
    yield "text after", 1.0 - characters[text_end] / of_page
    yield "share of page", covered / of_page
    yield "share of common ancestor", covered / np.maximum(page.counts[around, 0], 1)
    yield "depth", depth
    yield "variation of depth", _variation(depth, square)
    yield "depth of common ancestor", page.depths[around]
    yield "distinct parents", records.distinct(page.parents[records.element])[0]
    yield "records after each other", following
    yield "text between", gap / np.maximum(own, 1)
    yield "records in others", nested
    yield "deepest in others", deepest
    yield "page characters", np.full(len(end), float(of_page))
    yield "page elements", np.full(len(end), float(len(page)))
    yield "page text fields", np.full(len(end), float(len(textareas)))
    yield "distance of text field", nearest


def _distances(places: _Integers, others: _Integers) -> _Integers:
    """Return the distance from each position to the nearest of `others`, which are sorted."""
    after = np.searchsorted(others, places)
    following = others[np.minimum(after, len(others) - 1)]
    preceding = others[np.maximum(after - 1, 0)]
    return np.asarray(np.minimum(np.abs(following - places), np.abs(places - preceding)))


def _common_ancestors(page: PageElements, firsts: _Integers, lasts: _Integers) -> _Integers:
    """Return the closest common ancestor of each pair, starting at the parent of the first."""
    around = np.maximum(page.parents[firsts], 0)
    while (is_beyond := lasts >= page.ends[around]).any():
        around = np.where(is_beyond, page.parents[around], around)
    return around


def _names(records: _Records) -> Iterator[NamedColumn]:
    page = records.page
    for kind, name in enumerate(("discussing", "other_parts")):
        own = page.name_kinds[:, kind]
        around = np.minimum(page.count_around(own), MOST_NAMES)
        of_own, of_around = records.means_of(own[records.element], around[records.element])
        yield f"records named {name}", of_own
        yield f"{name} around", of_around


def _beside_others(records: _Records) -> Iterator[NamedColumn]:
    """Compare candidates with each other and with the whole page."""
    page = records.page
    dates = COUNTED.index("dates")
    is_outermost = records.depth == 0
    covered, captured = records.totals_of(
        *(np.where(is_outermost, records.whole[:, column], 0) for column in (0, dates))
    )
    [dated] = records.having(["dates"])
    kinds = _kinds(page, [classes for classes, _ in page.masked_names])
    number_of_kind = kinds[records.element]
    [kin] = records.most_of(np.bincount(kinds)[number_of_kind])
    sentences_of_page = max(int(page.counts[0, COUNTED.index("sentences")]), 1)
    yield "rank by text", _rank(-covered)
    yield "dated records", dated
    yield "dated records beside most", dated / max(float(dated.max()), 1.0)
    yield "share of dates", captured / max(int(page.counts[0, dates]), 1)
    yield "share of sentences", records.total_count("sentences") / sentences_of_page
    yield "elements of the same kind", kin / records.sizes
    yield "distinct kinds", records.distinct(number_of_kind)[0]


def _left_out(records: _Records) -> Iterator[NamedColumn]:
    """Count the siblings that are not records, and measure how uniform the records' classes are."""
    page = records.page
    kinds = (page.parents + 1) * len(page.distinct_tags) + page.tag_numbers
    _, kind_of = np.unique(kinds, return_inverse=True)
    shown = page.text_ends > page.text_starts
    of_kind = np.bincount(kind_of[shown], minlength=int(kind_of.max()) + 1)
    step = len(of_kind)
    pairs, _ = _sorted_runs(records.candidate * step + kind_of[records.element])
    siblings = np.bincount(pairs // step, weights=of_kind[pairs % step])
    class_of = _kinds(page, [next(iter(each.split()), "") for each, _ in page.masked_names])
    step = len(page)
    pairs, counts = _sorted_runs(records.candidate * step + class_of[records.element])
    commonest = np.maximum.reduceat(counts, np.flatnonzero(np.diff(pairs // step, prepend=-1)))
    yield "siblings left out", siblings / records.sizes - 1.0
    yield "records of the commonest class", commonest / records.sizes


def _kinds(page: PageElements, names: Sequence[str]) -> _Integers:
    """Return, for each element, a number that identifies its combination of tag and name."""
    looks, look_of = page.looks
    named, number_of = numbered(names)
    tag, name = np.divmod(looks, len(names))
    kinds = np.unique(tag * len(named) + number_of[name], return_inverse=True)[1]
    return np.asarray(kinds[look_of], dtype=np.int64)


def _states_count(records: _Records) -> list[bool]:
    """Return whether the page states the number of records shortly before the first one."""
    texts = records.page.texts
    short = [place for place, text in enumerate(texts) if len(text) <= LONGEST_COUNT]
    lines = "\n".join([*map(texts.__getitem__, short)])
    ends = [*accumulate(len(texts[place]) + 1 for place in short)]
    sizes = {*records.sizes.tolist()}
    stated = [
        (short[bisect_right(ends, number.start())], int(number[0]))
        for number in _NUMBER.finditer(lines)
        if len(number[0]) <= _MAX_DIGITS and int(number[0]) in sizes
    ]
    places_of: defaultdict[int, list[int]] = defaultdict(list)
    for place, number in stated:
        places_of[number].append(place)
    starts = records.text_starts[records.firsts].tolist()
    return [
        size in places_of
        and bisect_left(places_of[size], start - COUNT_WITHIN)
        < bisect_right(places_of[size], start)
        for size, start in zip(records.sizes.tolist(), starts, strict=True)
    ]


def _rank(values: _Integers) -> _Floats:
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return ranks.astype(np.float64)


def nesting_of(group: _Integers, starts: _Integers, ends: _Integers) -> tuple[_Integers, _Integers]:
    """Return each range's innermost enclosing range, or -1, and its number of enclosing ranges.

    Ranges are compared only within their group. They must be ordered by group and start, and
    overlapping ones must be nested.
    """
    offset = group * (int(ends.max(initial=0)) + 1)
    ended = np.searchsorted(np.sort(offset + ends), offset + starts, side="right")
    # All previous ranges have started by now.
    depth = np.arange(len(starts)) - ended
    around = np.full(len(starts), -1, dtype=np.int64)
    for level in range(1, int(depth.max(initial=0)) + 1):
        inner = np.flatnonzero(depth == level)
        outer = np.flatnonzero(depth == level - 1)
        around[inner] = outer[np.searchsorted(outer, inner) - 1]
    return around, depth
