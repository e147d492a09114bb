"""What readers wrote, without what the page adds to it."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from worker.comments.dating import Dating
from worker.comments.layout import Layout, Text, joined
from worker.comments.naming import Naming
from worker.comments.replies import MAX_HEADER, tells_of_parent
from worker.language.wordlists import listed
from worker.language.words import clean, tokens
from worker.pages.elements import CONTROLS

MIN_REPEATS = 0.4
"""Share of the comments that must show a text at one place for it to be the template's."""

_TEXT_NAMES = listed("body text txt content bodytext messagetext postcontent richtext usertext")
_COMMENT_NAMES = listed("message msg comment post posting says entry description")
_AROUND_NAMES = listed(
    "author avatar meta metadata info user username userinfo profile date time timestamp footer"
    " foot header head actions action tools tool toolbar buttons button btn controls control share"
    " sharing vote votes voting like likes rating rate score rank stats badge badges reply replies"
    " respond links link permalink edited lastedited edit notice signature sig attachments report"
    " flag num number count title subject ad ads advert moderation nav menu popup"
)
_SIGNATURES = listed("signature sig signatur usersignature postsignature")
_AFTER_NAME = re.compile(r"^\s*[:：]\s*(?=[^\W\d_])")
"""What the name of who is answered leaves before the answer."""

_SEPARATORS = " .,:：;|·•‣»«–—-_/\\()[]"
"""Characters that part what is left out from the rest, and mean nothing alone."""

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


def bodies_of(
    layouts: Sequence[Layout], named: Mapping[int, Naming], dated: Mapping[int, Dating]
) -> list[str]:
    """Return what each reader wrote, paragraphs parted by a blank line.

    All comments of a page are made from one template, so their text stands at one path. It is
    the path whose text is expected to agree best with what they wrote, as the F1 of the words:
    each text node of a comment counts by how likely it is the reader's.

    Parameters
    ----------
    layouts
        The comments.
    named, dated
        Where their authors and dates stand.
    """
    repeated = _repeated(layouts)
    around = [
        _texts_of(layout, {each.element for each in (named.get(n), dated.get(n)) if each})
        | _reply_headers(layout)
        for n, layout in enumerate(layouts)
    ]
    weights = [_weights(layout, repeated, around[number]) for number, layout in enumerate(layouts)]
    path = _best_path(layouts, weights)
    return [_render(layout, path, weights[number]) for number, layout in enumerate(layouts)]


def _repeated(layouts: Sequence[Layout]) -> frozenset[tuple[str, str]]:
    """Return the texts that several comments show at the same path."""
    counts: Counter[tuple[str, str]] = Counter()
    for layout in layouts:
        counts.update({(layout.paths[node.parent], _plain(node.text)) for node in layout.texts})
    least = max(2.0, MIN_REPEATS * len(layouts))
    # Many may say the same heart.
    return frozenset(
        (path, text)
        for (path, text), count in counts.items()
        if count >= least and any(map(str.isalnum, text))
    )


_DIGITS = re.compile(r"\d+")
_MAX_COUNTING = 4
"""Words of a text whose numbers do not tell it from another: "Reply (3)", "12 posts"."""


def _plain(text: str) -> str:
    plain = clean(text).lower()
    return plain if plain.count(" ") >= _MAX_COUNTING else _DIGITS.sub("0", plain)


def _texts_of(layout: Layout, elements: Collection[int]) -> frozenset[int]:
    """Return the text nodes of short elements."""
    return frozenset(
        number
        for index in elements
        if layout.length_of(index) <= 200
        for number in range(layout.text_starts[index], layout.text_ends[index])
    )


def _reply_headers(layout: Layout) -> frozenset[int]:
    """Return the text nodes that say which comment is answered, up to the link to it."""
    headers: set[int] = set()
    first_of: dict[int, int] = {}
    for number, node in enumerate(layout.texts):
        first_of.setdefault(node.line, number)
    for index, element in enumerate(layout.elements):
        start, end = layout.text_starts[index], layout.text_ends[index]
        if element.tag == "a" and start < end and tells_of_parent(layout, index):
            start = first_of[layout.texts[start].line]
            if layout.length_between(start, end) <= MAX_HEADER:
                headers.update(range(start, end))
    return frozenset(headers)


def _weights(
    layout: Layout, repeated: Collection[tuple[str, str]], around: Collection[int]
) -> list[float]:
    """Return for each text node how likely it is the reader's."""
    weights = []
    for number, node in enumerate(layout.texts):
        path = layout.paths[node.parent]
        if number in around or (path, _plain(node.text)) in repeated:
            weights.append(0.0)
            continue
        weights.append(_likely(layout, node))
    return weights


_NAMED = 0.9
"""Probability that a text is what an element around it is named for."""


_LIKELY = 0.3
"""Probability from which on a text is the reader's where nothing stands at its usual place."""


def _likely(layout: Layout, node: Text) -> float:
    index = node.parent
    length = len(tokens(node.text))
    chance = min(0.9, 0.4 + 0.05 * length)
    while index >= 0:
        names = layout.names[index]
        if layout.elements[index].tag in CONTROLS or names & _SIGNATURES:
            return 0.0
        if layout.parents[index] >= 0:
            # Names of comments are part of many names: "comment-author", "message-actions".
            if names & _TEXT_NAMES:
                return max(chance, _NAMED)
            if names & _AROUND_NAMES:
                return min(chance, 1.0 - _NAMED)
            if names & _COMMENT_NAMES:
                return max(chance, _NAMED)
        index = layout.parents[index]
    return chance


def _best_path(layouts: Sequence[Layout], weights: Sequence[Sequence[float]]) -> str:
    expected: defaultdict[str, float] = defaultdict(float)
    sizes: defaultdict[str, int] = defaultdict(int)
    total = 0.0
    for layout, chances in zip(layouts, weights, strict=True):
        lengths = [len(tokens(node.text)) for node in layout.texts]
        before, size = [0.0], [0]
        for length, chance in zip(lengths, chances, strict=True):
            before.append(before[-1] + length * chance)
            size.append(size[-1] + (length if chance > 0 else 0))
        total += before[-1]
        for index in _outermost(layout):
            start, end = layout.text_starts[index], layout.text_ends[index]
            expected[layout.paths[index]] += before[end] - before[start]
            sizes[layout.paths[index]] += size[end] - size[start]
    scores = {path: 2 * expected[path] / (sizes[path] + total) for path in expected if total}
    # Of paths as good the first, which is the outermost.
    return max(scores, key=scores.__getitem__, default="0")


def _outermost(layout: Layout) -> list[int]:
    """Return the elements that show text, of those of one path within each other the outermost."""
    found = []
    open_until: dict[str, int] = {}
    for index, path in enumerate(layout.paths):
        is_shown = layout.text_starts[index] < layout.text_ends[index]
        if is_shown and index >= open_until.get(path, 0):
            found.append(index)
            open_until[path] = layout.ends[index]
    return found


def _render(layout: Layout, path: str, weights: Sequence[float]) -> str:
    holders = [index for index in _outermost(layout) if layout.paths[index] == path]
    places = [
        place
        for index in holders
        for place in range(layout.text_starts[index], layout.text_ends[index])
    ]
    # A comment that was removed says so elsewhere.
    least = 0.0 if holders else _LIKELY
    kept = [
        layout.texts[place]
        for place in (places if holders else range(len(layout.texts)))
        if weights[place] > least
    ]
    lines = [
        _AFTER_NAME.sub("", joined(list(nodes)))
        for _, nodes in groupby(kept, key=attrgetter("line"))
    ]
    shown = (line for line in lines if line.strip(_SEPARATORS))
    return "\n\n".join(line for line in shown if not _QUOTE_HEADER.search(line))
