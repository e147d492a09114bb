"""Extraction of the texts that commenters wrote, without labels and controls of the page."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter
from typing import NamedTuple

from detourage.comments.authors import FoundAuthor
from detourage.comments.dates import FoundDate
from detourage.comments.layout import Layout, join_texts
from detourage.comments.part_words import COMMENT, LINK, NO_TEXT, SIGNATURE, TEXT
from detourage.comments.replies import MAX_HEADER, names_parent
from detourage.html.visible_text import CONTROLS
from detourage.text.caches import cached_if_short
from detourage.text.lazy_patterns import lazy_pattern

# A text at the same path in at least this share of the comments is boilerplate.
MIN_REPEATS = 0.4
# In these elements, several commenters may write the same text, such as a command.
_TYPED_TEXT = frozenset({"code", "kbd", "samp", "var"})
# Punctuation left at the start of a reply when the name of the person answered is removed.
_PUNCTUATION_AFTER_NAME = lazy_pattern(r"^\s*[:：]\s*(?=[^\W\d_])")
MAX_LABEL_WORDS = 6  # words of a label next to a name or a date: "Joined in", "Senior member"
MAX_LABELLED = 200  # length, in characters, of an element with a name or date and its label
# Maximum length, in words, of a text that contains a name or a date: "Posted on May 31, 2024".
MAX_HEAD_WORDS = 12
# A line that consists only of these characters is dropped.
_SEPARATORS = " .,:：;|·•‣»«–—-_/\\()[]"
_SAID_VERBS = (
    r"said|wrote|schrieb|a écrit|a dit|escribió|dijo|ha scritto|napisał\(?a?\)?|schreef"
    r"|писал\(?а?\)?|написал\(?а?\)?"
)
_QUOTE_HEADER = lazy_pattern(  # "Ann wrote:", "Quote:", "Originally posted by Ann"
    rf"^.{{0,60}}?\b(?:{_SAID_VERBS})\s*[:：↑]*$"
    r"|^(?:quote|zitat|citation|cita|cytat|цитата)\s*[:：]?$"
    r"|^(?:zitat von|quote from|quoting|originally posted by|citation de|envoyé par)\b.{0,60}$"
    r"|^(?:click to expand|zum vergrößern anklicken|cliquez pour agrandir).{0,20}$",
    re.IGNORECASE,
)


class Body(NamedTuple):
    """The text of a comment and its text nodes, including headers of quotes that `text` omits."""

    text: str
    nodes: tuple[int, ...]


def read_bodies(
    layouts: Sequence[Layout], authors: Mapping[int, FoundAuthor], dates: Mapping[int, FoundDate]
) -> list[Body]:
    """Return the text of each comment.

    Comments of a page share a template, so their texts are at the same path. The chosen path has
    the highest expected F1 of words, given the probability that the commenter wrote each text node.
    """
    paths_and_texts = [
        [
            (layout.paths[node.parent], _normalise(text))
            for node, text in zip(layout.texts, layout.clean_texts, strict=True)
        ]
        for layout in layouts
    ]
    boilerplate = _repeated_texts(paths_and_texts)
    probabilities = []
    for number, layout in enumerate(layouts):
        author_and_date = authors.get(number), dates.get(number)
        excluded = _name_and_date_texts(layout, author_and_date) | _reply_headers(layout)
        excluded |= {
            index
            for index, path_and_text in enumerate(paths_and_texts[number])
            if path_and_text in boilerplate
            and layout.tags[layout.texts[index].parent] not in _TYPED_TEXT
        }
        probabilities.append(_probabilities(layout, excluded))
    outermost = [_outermost_elements(layout) for layout in layouts]
    path = _best_path(layouts, probabilities, outermost)
    return [_render(*each, path) for each in zip(layouts, probabilities, outermost, strict=True)]


def _repeated_texts(
    paths_and_texts: Sequence[Sequence[tuple[int, str]]],
) -> frozenset[tuple[int, str]]:
    """Return the texts that occur at the same path in several comments, each with its path."""
    counts = Counter(chain.from_iterable(map(set, paths_and_texts)))
    least = max(2.0, MIN_REPEATS * len(paths_and_texts))
    # Symbols are excluded, because many commenters may post the same emoji.
    return frozenset(
        (path, text)
        for (path, text), count in counts.items()
        if count >= least and any(map(str.isalnum, text))
    )


_DIGITS = lazy_pattern(r"\d+")
_MIN_SPACES = 4  # minimum spaces in a text whose numbers matter; the number in "Reply (3)" does not


@cached_if_short(4096)
def _normalise(text: str) -> str:
    """Return a text in lower case, with 0 for each number if the text is short."""
    lower = text.lower()
    return lower if lower.count(" ") >= _MIN_SPACES else _DIGITS.sub("0", lower)


def _name_and_date_texts(
    layout: Layout, author_and_date: Iterable[FoundAuthor | FoundDate | None]
) -> frozenset[int]:
    """Return the text nodes that contain the author, the date or their labels."""
    found: set[int] = set()
    for element, displayed in (each[:2] for each in author_and_date if each is not None):
        for text in range(layout.text_starts[element], layout.text_ends[element]):
            words = layout.word_counts[text]
            is_label = words <= MAX_LABEL_WORDS and layout.lengths[element] <= MAX_LABELLED
            if is_label or (words <= MAX_HEAD_WORDS and displayed in layout.clean_texts[text]):
                found.add(text)
    return frozenset(found)


def _reply_headers(layout: Layout) -> frozenset[int]:
    """Return the text nodes such as "In reply to Ann" that end with a link to another comment."""
    texts, headers = layout.texts, set[int]()
    for index in [index for index, tag in enumerate(layout.tags) if tag == "a"]:
        start, end = layout.text_starts[index], layout.text_ends[index]
        if start < end and names_parent(layout, index):
            length, line = sum(len(node.text) for node in texts[start:end]), texts[start].line
            while start > 0 and texts[start - 1].line == line and length <= MAX_HEADER:
                start -= 1
                length += len(texts[start].text)
            if length <= MAX_HEADER:
                headers.update(range(start, end))
    return frozenset(headers)


def _probabilities(layout: Layout, excluded: Container[int]) -> list[float]:
    """Return the probability that the commenter wrote each text node; 0 for excluded nodes."""
    limits: dict[int, float | None] = {-1: None}
    probabilities = []
    for text, (node, word_count) in enumerate(zip(layout.texts, layout.word_counts, strict=True)):
        by_length = min(0.9, 0.4 + 0.05 * word_count)
        limit = 0.0 if text in excluded else _nearest_limit(layout, node.parent, limits)
        bounded = max if limit == _MIN_IF_BODY else min
        probabilities.append(by_length if limit is None else bounded(by_length, limit))
    return probabilities


# Minimum probability that the commenter wrote a text if the element's class or ID says so.
_MIN_IF_BODY = 0.9
_MAX_IF_OTHER = 0.1
"""Maximum probability that the commenter wrote a text if the class or ID names another part.

A line is dropped if none of its texts is more probable, unless every line would be dropped."""

_MAX_IF_LINK = 0.2  # maximum for a link with a class such as "link": commenters may write links
_MIN_ELSEWHERE = 0.3
"""Probability above which a text is kept if its comment has no text at the chosen path."""


def _own_limit(tag: str, names: int) -> float | None:
    """Return the limit set by an element's own tag and names; see `_nearest_limit`."""
    if tag in CONTROLS or names & SIGNATURE:
        return 0.0
    # `COMMENT` comes last, because names of other parts contain its words: "comment-author".
    if names & TEXT:
        return _MIN_IF_BODY
    if names & (NO_TEXT | LINK):
        return _MAX_IF_LINK if tag == "a" and not names & NO_TEXT else _MAX_IF_OTHER
    return _MIN_IF_BODY if names & COMMENT else None


def _nearest_limit(layout: Layout, index: int, limits: dict[int, float | None]) -> float | None:
    """Return a limit for the probability that an element's texts belong to the body of a comment.

    The limit is that of the nearest element, from this one outwards, whose tag or names set one.
    `_MIN_IF_BODY` is a lower limit, any other number an upper limit; None means no limit. Limits
    are cached in `limits`.
    """
    without_limit: list[int] = []
    while index not in limits:
        limit = _own_limit(layout.tags[index], layout.names[index])
        if limit and layout.parents[index] < 0:
            limit = None
        if limit is not None:
            limits[index] = limit
            break
        without_limit.append(index)
        index = layout.parents[index]
    limit = limits[index]
    limits |= dict.fromkeys(without_limit, limit)
    return limit


def _best_path(
    layouts: Sequence[Layout],
    probabilities: Sequence[Sequence[float]],
    outermost: Sequence[Sequence[int]],
) -> int:
    """Return the path whose words have the highest expected F1 with the commenters' words."""
    expected: defaultdict[int, float] = defaultdict(float)  # expected commenters' words, by path
    words: defaultdict[int, int] = defaultdict(int)
    total_expected = 0.0
    for layout, chances, elements in zip(layouts, probabilities, outermost, strict=True):
        expected_before, words_before = [0.0], [0]
        for count, chance in zip(layout.word_counts, chances, strict=True):
            expected_before.append(expected_before[-1] + count * chance)
            words_before.append(words_before[-1] + (count if chance > 0 else 0))
        total_expected += expected_before[-1]
        for index in elements:
            start, end = layout.text_starts[index], layout.text_ends[index]
            expected[layout.paths[index]] += expected_before[end] - expected_before[start]
            words[layout.paths[index]] += words_before[end] - words_before[start]
    paths = expected if total_expected else ()
    scores = {path: 2 * expected[path] / (words[path] + total_expected) for path in paths}
    # Ties go to the first path, which is the outermost.
    return max(scores, key=scores.__getitem__, default=0)


def _outermost_elements(layout: Layout) -> list[int]:
    """Return the elements with text, except those inside another element at the same path."""
    outermost = []
    last_ends: dict[int, int] = {}
    text_ranges = zip(layout.paths, layout.text_starts, layout.text_ends, strict=True)
    for index, (path, start, end) in enumerate(text_ranges):
        if start < end and index >= last_ends.get(path, 0):
            outermost.append(index)
            last_ends[path] = layout.ends[index]
    return outermost


def _render(
    layout: Layout, probabilities: Sequence[float], outermost: Sequence[int], path: int
) -> Body:
    """Return the texts at a path or, if the comment has none there, probable texts elsewhere."""
    holders = [index for index in outermost if layout.paths[index] == path]
    texts: Iterable[int] = range(len(layout.texts))
    if holders:
        starts_and_ends = (
            (layout.text_starts[index], layout.text_ends[index]) for index in holders
        )
        texts = chain.from_iterable(range(start, end) for start, end in starts_and_ends)
    # A text elsewhere, such as a notice that the comment was removed, must be more probable.
    least = 0.0 if holders else _MIN_ELSEWHERE
    likely = [text for text in texts if probabilities[text] > least]
    written = {layout.texts[text].line for text in likely if probabilities[text] > _MAX_IF_OTHER}
    # If no line is more probable than `_MAX_IF_OTHER`, classes and IDs are misleading: keep all.
    kept = tuple(text for text in likely if not written or layout.texts[text].line in written)
    lines = [
        _PUNCTUATION_AFTER_NAME.sub("", join_texts(list(nodes)))
        for _, nodes in groupby((layout.texts[text] for text in kept), key=attrgetter("line"))
    ]
    lines = [line for line in lines if line.strip(_SEPARATORS)]
    body = "\n\n".join(line for line in lines if not _QUOTE_HEADER.search(line))
    return Body(body, kept)
