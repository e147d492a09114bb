"""Extraction of the texts of comments, without anything that the page adds to them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain, groupby
from operator import attrgetter
from typing import NamedTuple

from detourage.comments.dating import Dating
from detourage.comments.layout import Layout, joined
from detourage.comments.naming import Naming
from detourage.comments.replies import MAX_HEADER, names_parent
from detourage.html.text import CONTROLS
from detourage.text.caches import cached_if_short
from detourage.text.words import clean, listed

MIN_REPEATS = 0.4
"""Minimum share of comments with the same text at the same path for the text to be boilerplate."""

_TEXT_NAMES = listed("body text txt content bodytext messagetext postcontent richtext usertext")
_COMMENT_NAMES = listed("message msg comment post posting says entry description")
_AROUND_NAMES = listed(
    "author avatar meta metadata info user username userinfo profile date time timestamp footer"
    " foot header head actions action tools tool toolbar buttons button btn controls control share"
    " sharing vote votes voting like likes rating rate score rank stats badge badges reply replies"
    " respond links link permalink edited lastedited edit notice signature sig attachments report"
    " flag num number count title subject ad ads advert moderation nav menu popup"
)
_LINKS = listed("link links")
_TYPED_TEXT = frozenset({"code", "kbd", "samp", "var"})
"""Elements for keyboard input and program output, where many commenters may write the same text."""

_SIGNATURES = listed("signature sig signatur usersignature postsignature")
_AFTER_NAME = re.compile(r"^\s*[:：]\s*(?=[^\W\d_])")
"""Punctuation left at a reply's start when the name of the person answered is removed."""

MAX_LABEL = 6  # length, in words, of a label next to a name or a date: "Joined in", "Senior member"
MAX_LABELLED = 200  # length, in characters, of an element with a name or date and their labels

MAX_HEAD_WORDS = 12
"""Maximum length, in words, of a text that displays a name or a date: "Posted on May 31, 2024"."""

MAX_PICTURES = 20  # pictures read in a comment without text
MAX_DESCRIPTION = 200  # length of a picture's description, in characters; the rest is cut off

_SEPARATORS = " .,:：;|·•‣»«–—-_/\\()[]"
"""Characters between removed parts and the remaining text, without meaning on their own."""

_SAID = (
    r"said|wrote|schrieb|a écrit|a dit|escribió|dijo|ha scritto|napisał\(?a?\)?|schreef"
    r"|писал\(?а?\)?|написал\(?а?\)?"
)
_QUOTE_HEADER = re.compile(
    rf"^.{{0,60}}?\b(?:{_SAID})\s*[:：↑]*$"
    r"|^(?:quote|zitat|citation|cita|cytat|цитата)\s*[:：]?$"
    r"|^(?:zitat von|quote from|quoting|originally posted by|citation de|envoyé par)\b.{0,60}$"
    r"|^(?:click to expand|zum vergrößern anklicken|cliquez pour agrandir).{0,20}$",
    re.IGNORECASE,
)


class Body(NamedTuple):
    """The text of a comment, and its text nodes, which include headers of quotes."""

    text: str
    nodes: tuple[int, ...]


def bodies_of(
    layouts: Sequence[Layout], named: Mapping[int, Naming], dated: Mapping[int, Dating]
) -> list[Body]:
    """Return the text of each comment.

    All comments of a page share a template, so their texts are at the same path. The path with the
    highest expected word F1 is chosen; each text node counts in proportion to the probability that
    the commenter wrote it.
    """
    placed = [
        [*zip(map(layout.paths.__getitem__, parents), map(_plain, layout.clean_texts), strict=True)]
        for layout in layouts
        for parents in [[node.parent for node in layout.texts]]
    ]
    repeated = _repeated(placed)
    is_template = [
        [
            each in repeated and layout.tags[node.parent] not in _TYPED_TEXT
            for node, each in zip(layout.texts, of, strict=True)
        ]
        for layout, of in zip(layouts, placed, strict=True)
    ]
    around = [
        _name_and_date_texts(layout, (named.get(n), dated.get(n))) | _reply_headers(layout)
        for n, layout in enumerate(layouts)
    ]
    probabilities = [
        _probabilities(layout, [number in around[n] or each for number, each in enumerate(flags)])
        for n, (layout, flags) in enumerate(zip(layouts, is_template, strict=True))
    ]
    outermost = [_outermost(layout) for layout in layouts]
    path = _best_path(layouts, probabilities, outermost)
    return [_render(*each, path) for each in zip(layouts, probabilities, outermost, strict=True)]


def _repeated(placed: Sequence[Sequence[tuple[int, str]]]) -> frozenset[tuple[int, str]]:
    """Return the texts that occur at the same path in several comments."""
    counts = Counter(chain.from_iterable(map(set, placed)))
    least = max(2.0, MIN_REPEATS * len(placed))
    # Symbols are excluded, because many commenters may post the same emoji.
    return frozenset(
        (path, text)
        for (path, text), count in counts.items()
        if count >= least and any(map(str.isalnum, text))
    )


_DIGITS = re.compile(r"\d+")
_MIN_SPACES = 4  # spaces in a text whose numbers are significant; in "Reply (3)", they are not


@cached_if_short(4096)
def _plain(text: str) -> str:
    plain = text.lower()
    return plain if plain.count(" ") >= _MIN_SPACES else _DIGITS.sub("0", plain)


def _name_and_date_texts(layout: Layout, shown: Iterable[Naming | Dating | None]) -> frozenset[int]:
    """Return the text nodes that display a name or a date, and their labels."""
    return frozenset(
        number
        for index, text in (each[:2] for each in shown if each is not None)
        for number in range(layout.text_starts[index], layout.text_ends[index])
        if (layout.lengths[index] <= MAX_LABELLED and layout.word_counts[number] <= MAX_LABEL)
        or (layout.word_counts[number] <= MAX_HEAD_WORDS and text in layout.clean_texts[number])
    )


def _reply_headers(layout: Layout) -> frozenset[int]:
    """Return the text nodes that state who is being answered, up to the link to that post."""
    headers: set[int] = set()
    first_of: dict[int, int] = {}
    for number, node in enumerate(layout.texts):
        first_of.setdefault(node.line, number)
    before = [0, *accumulate(len(node.text) for node in layout.texts)]
    for index, tag in enumerate(layout.tags):
        start, end = layout.text_starts[index], layout.text_ends[index]
        if tag == "a" and start < end and names_parent(layout, index):
            start = first_of[layout.texts[start].line]
            if before[end] - before[start] <= MAX_HEADER:
                headers.update(range(start, end))
    return frozenset(headers)


def _probabilities(layout: Layout, is_template: Sequence[bool]) -> list[float]:
    """Return the probability that the commenter wrote each text node."""
    limits: dict[int, float | None] = {-1: None}
    probabilities = []
    for node, length, excluded in zip(layout.texts, layout.word_counts, is_template, strict=True):
        by_length = min(0.9, 0.4 + 0.05 * length)
        limit = 0.0 if excluded else _limit_around(layout, node.parent, limits)
        bounded = max if limit == _MIN_IF_BODY else min
        probabilities.append(by_length if limit is None else bounded(by_length, limit))
    return probabilities


_MIN_IF_BODY = 0.9
"""Minimum probability of a text if its enclosing elements are named as the text of a comment."""

_MAX_IF_OTHER = 0.1
"""Maximum probability that the commenter wrote a text if the names of an enclosing element indicate
another part. A line without any text of a higher probability is dropped."""

_MAX_IF_LINK = 0.2  # maximum if the names indicate only a link, as commenters and pages add links

_MIN_ELSEWHERE = 0.3
"""Minimum probability of a text that is kept in a comment without text at the chosen path."""


def _limit_of(tag: str, names: frozenset[str]) -> float | None:
    if tag in CONTROLS or names & _SIGNATURES:
        return 0.0
    # Words for "comment" also occur in the names of other parts: "comment-author",
    # "message-actions".
    if names & _TEXT_NAMES:
        return _MIN_IF_BODY
    around = names & _AROUND_NAMES
    if around:
        return _MAX_IF_LINK if tag == "a" and around <= _LINKS else _MAX_IF_OTHER
    return _MIN_IF_BODY if names & _COMMENT_NAMES else None


def _limit_around(layout: Layout, index: int, limits: dict[int, float | None]) -> float | None:
    """Return the bound that the nearest informative names set on the probability of a text.

    `_MIN_IF_BODY` is a lower bound, and any other number an upper bound. The result is None if no
    enclosing element has informative names.
    """
    below: list[int] = []
    while index not in limits:
        limit = _limit_of(layout.tags[index], layout.names[index])
        if limit and layout.parents[index] < 0:
            limit = None
        if limit is not None:
            limits[index] = limit
            break
        below.append(index)
        index = layout.parents[index]
    limit = limits[index]
    for inside in below:
        limits[inside] = limit
    return limit


def _best_path(
    layouts: Sequence[Layout],
    probabilities: Sequence[Sequence[float]],
    outermost: Sequence[Sequence[int]],
) -> int:
    expected: defaultdict[int, float] = defaultdict(float)
    sizes: defaultdict[int, int] = defaultdict(int)
    total = 0.0
    for layout, chances, shown in zip(layouts, probabilities, outermost, strict=True):
        before, size = [0.0], [0]
        for length, chance in zip(layout.word_counts, chances, strict=True):
            before.append(before[-1] + length * chance)
            size.append(size[-1] + (length if chance > 0 else 0))
        total += before[-1]
        for index in shown:
            start, end = layout.text_starts[index], layout.text_ends[index]
            expected[layout.paths[index]] += before[end] - before[start]
            sizes[layout.paths[index]] += size[end] - size[start]
    scores = {path: 2 * expected[path] / (sizes[path] + total) for path in expected if total}
    # Ties go to the first path, which is the outermost.
    return max(scores, key=scores.__getitem__, default=0)


def _outermost(layout: Layout) -> list[int]:
    """Return the elements with text, except those inside another element at the same path."""
    found = []
    open_until: dict[int, int] = {}
    stretches = zip(layout.paths, layout.text_starts, layout.text_ends, strict=True)
    for index, (path, start, end) in enumerate(stretches):
        if start < end and index >= open_until.get(path, 0):
            found.append(index)
            open_until[path] = layout.ends[index]
    return found


def _render(
    layout: Layout, probabilities: Sequence[float], outermost: Sequence[int], path: int
) -> Body:
    holders = [index for index in outermost if layout.paths[index] == path]
    places = [
        place
        for index in holders
        for place in range(layout.text_starts[index], layout.text_ends[index])
    ]
    # A notice that the comment was removed is at a different path.
    least = 0.0 if holders else _MIN_ELSEWHERE
    likely = [
        place
        for place in (places if holders else range(len(layout.texts)))
        if probabilities[place] > least
    ]
    written = {layout.texts[place].line for place in likely if probabilities[place] > _MAX_IF_OTHER}
    # If no line has a text of a higher probability, the names do not indicate other parts here.
    kept = tuple(place for place in likely if not written or layout.texts[place].line in written)
    lines = [
        _AFTER_NAME.sub("", joined(list(nodes)))
        for _, nodes in groupby((layout.texts[place] for place in kept), key=attrgetter("line"))
    ]
    shown = (line for line in lines if line.strip(_SEPARATORS))
    text = "\n\n".join(line for line in shown if not _QUOTE_HEADER.search(line))
    return Body(text or _pictured(layout, path), kept)


def _pictured(layout: Layout, path: int) -> str:
    """Return the alternative texts of a comment's pictures, such as emoji or stickers."""
    found: list[str] = []
    limits: dict[int, float | None] = {-1: None}
    end = 0
    for holder, each in enumerate(layout.paths):
        if each != path or holder < end:
            continue
        end = layout.ends[holder]
        for index in range(holder, end):
            if layout.tags[index] != "img" or len(found) == MAX_PICTURES:
                continue
            description = clean(layout.get(index, "alt") or "")[:MAX_DESCRIPTION]
            limit = _limit_around(layout, index, limits)
            if description and (limit is None or limit >= _MIN_ELSEWHERE):
                found.append(description)
    return " ".join(found)
