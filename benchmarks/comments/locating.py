"""Location of a page's gold comments, so that parsing can be measured independently of finding."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree
from lxml.html import HtmlElement

from benchmarks.evaluation.scores.records import Comment
from benchmarks.evaluation.scores.words import words

LEAST_RECALL = 0.85
"""Minimum share of a comment's words that its element must contain."""

MOST_WORDS = 400
"""Allowance for additional words: an element with more than twice the words of its comment plus
this number contains other comments."""

LEAST_GAIN = 0.05
"""Minimum gain in word F1 for a later element to replace an earlier one."""


@dataclass
class _Words:
    """The words of a page, with the range of words of each element."""

    tokens: list[str] = field(default_factory=list)
    start: dict[HtmlElement, int] = field(default_factory=dict)
    end: dict[HtmlElement, int] = field(default_factory=dict)

    def add(self, text: str | None) -> None:
        self.tokens.extend(word.lower() for word in words(text or ""))

    def own(self, group: Sequence[HtmlElement]) -> list[Counter[str]]:
        """Count each element's words, except those in other elements of the group nested in it."""
        counts = {each: Counter(self.tokens[self.start[each] : self.end[each]]) for each in group}
        for each in group:
            for above in each.iterancestors():
                if above in counts:
                    inside = self.tokens[self.start[each] : self.end[each]]
                    counts[above].subtract(inside)
                    break
        return [+count for count in counts.values()]


def locate(document: HtmlElement, wanted: Sequence[Comment]) -> list[HtmlElement]:
    """Return the elements with a common signature that best match the comments of a gold record.

    The best group has the highest F1 of matched elements, with a bonus for elements that contain
    the author and date. Ties are broken in favour of the group whose matched elements have the
    fewest words.
    """
    page = _words_of(document)
    comments = [comment for comment in wanted if words(comment.text)]
    counts = [Counter(word.lower() for word in words(comment.text)) for comment in comments]
    groups: defaultdict[tuple[str, ...], list[HtmlElement]] = defaultdict(list)
    for element in page.start:
        if page.end[element] > page.start[element]:
            for signature in _signatures(element):
                groups[signature].append(element)
    best: tuple[float, int] = (0.0, 0)
    found: list[HtmlElement] = []
    for group in groups.values():
        if not 0.6 * len(comments) <= len(group) <= 3 * len(comments) + 3:
            continue
        score = _score(page.own(group), counts, comments)
        if score > best:
            best, found = score, group
    return found


def _words_of(document: HtmlElement) -> _Words:
    page = _Words()
    walk = etree.iterwalk(document, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            page.start[element] = len(page.tokens)
            if element.tag not in ("script", "style"):
                page.add(element.text)
        else:
            page.end[element] = len(page.tokens)
            if element is not document:
                page.add(element.tail)
    return page


def _signatures(element: HtmlElement) -> Iterator[tuple[str, ...]]:
    names = (_masked(element.get("class"))).split()
    yield (element.tag, *names)
    for name in dict.fromkeys(names):
        yield ("one", element.tag, name)
    identity = _masked(element.get("id"))
    if "0" in identity:
        yield ("id", element.tag, identity)
    if element.get("itemprop"):
        yield ("itemprop", element.get("itemprop") or "")
    yield ("path", element.tag, *(above.tag for above in element.iterancestors()))


def _masked(names: str | None) -> str:
    return "".join("0" if character.isdigit() else character for character in names or "")


def _score(
    held: Sequence[Counter[str]], wanted: Sequence[Counter[str]], comments: Sequence[Comment]
) -> tuple[float, int]:
    free = dict(enumerate(held))
    matched = told = size = 0
    for count, comment in zip(wanted, comments, strict=True):
        number = _match(free, count)
        if number is None:
            continue
        own = free.pop(number)
        matched += 1
        size += own.total()
        told += sum(
            all(word.lower() in own for word in words(text))
            for text in (comment.author, comment.date)
            if text
        )
    f1 = 2 * matched / (len(held) + len(wanted)) if wanted else 0.0
    return round(f1, 2) + 0.1 * told / max(1, matched), -size


def _match(free: dict[int, Counter[str]], wanted: Counter[str]) -> int | None:
    best: tuple[float, int | None] = (0.0, None)
    for number, own in free.items():
        shared = (own & wanted).total()
        if shared >= LEAST_RECALL * wanted.total() and own.total() <= (
            2 * wanted.total() + MOST_WORDS
        ):
            f1 = 2 * shared / (own.total() + wanted.total())
            if f1 > best[0] + LEAST_GAIN:
                best = f1, number
    return best[1]
