"""Find the elements of a page's gold comments, so that reading them can be measured separately."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree
from lxml.html import HtmlElement

from benchmarks.evaluation.scores.records import Comment
from benchmarks.evaluation.scores.words import words

MIN_RECALL = 0.85  # minimum share of a comment's words that its element must contain

MAX_OTHER_WORDS = 400
"""Allowance for additional words: an element with more than twice the words of its comment plus
this number contains other comments."""

MIN_GAIN = 0.05  # minimum gain in word F1 for a later element to replace an earlier one


@dataclass
class _PageWords:
    """The words of a page, with the range of words of each element."""

    tokens: list[str] = field(default_factory=list)
    start: dict[HtmlElement, int] = field(default_factory=dict)
    end: dict[HtmlElement, int] = field(default_factory=dict)

    def add(self, text: str | None) -> None:
        self.tokens.extend(word.lower() for word in words(text or ""))

    def own_words(self, group: Sequence[HtmlElement]) -> list[Counter[str]]:
        """Count each element's words, leaving out nested elements that also belong to the group."""
        counts = {each: Counter(self.tokens[self.start[each] : self.end[each]]) for each in group}
        for each in group:
            for ancestor in each.iterancestors():
                if ancestor in counts:
                    inside = self.tokens[self.start[each] : self.end[each]]
                    counts[ancestor].subtract(inside)
                    break
        return [+count for count in counts.values()]


def locate(document: HtmlElement, wanted: Sequence[Comment]) -> list[HtmlElement]:
    """Return the group of elements with a common signature that best matches the gold comments.

    The best group has the highest F1 of matched elements, with a bonus for elements that contain
    the author and date. Ties are broken in favour of the group whose matched elements have the
    fewest words.
    """
    page = _read_words(document)
    comments = [comment for comment in wanted if words(comment.text)]
    counts = [Counter(word.lower() for word in words(comment.text)) for comment in comments]
    groups: defaultdict[tuple[str, ...], list[HtmlElement]] = defaultdict(list)
    for element in page.start:
        if page.end[element] > page.start[element]:
            for signature in _signatures(element):
                groups[signature].append(element)
    best_score: tuple[float, int] = (0.0, 0)
    best_group: list[HtmlElement] = []
    for group in groups.values():
        if not 0.6 * len(comments) <= len(group) <= 3 * len(comments) + 3:
            continue
        score = _score_group(page.own_words(group), counts, comments)
        if score > best_score:
            best_score, best_group = score, group
    return best_group


def _read_words(document: HtmlElement) -> _PageWords:
    """Read the words of a page in document order, except those of scripts and styles."""
    page = _PageWords()
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
    """Yield keys that similar elements share: classes, an ID with digits, itemprop, and path."""
    names = (_with_digits_masked(element.get("class"))).split()
    yield (element.tag, *names)
    for name in dict.fromkeys(names):
        yield ("one", element.tag, name)
    identity = _with_digits_masked(element.get("id"))
    if "0" in identity:
        yield ("id", element.tag, identity)
    if element.get("itemprop"):
        yield ("itemprop", element.get("itemprop") or "")
    yield ("path", element.tag, *(above.tag for above in element.iterancestors()))


def _with_digits_masked(names: str | None) -> str:
    return "".join("0" if character.isdigit() else character for character in names or "")


def _score_group(
    words_of_elements: Sequence[Counter[str]],
    wanted: Sequence[Counter[str]],
    comments: Sequence[Comment],
) -> tuple[float, int]:
    """Score a group by matched comments with their author and date; fewer words break ties."""
    unmatched = dict(enumerate(words_of_elements))
    matched = fields_found = size = 0
    for count, comment in zip(wanted, comments, strict=True):
        index = _best_match(unmatched, count)
        if index is None:
            continue
        own_words = unmatched.pop(index)
        matched += 1
        size += own_words.total()
        fields_found += sum(
            all(word.lower() in own_words for word in words(text))
            for text in (comment.author, comment.date)
            if text
        )
    f1 = 2 * matched / (len(words_of_elements) + len(wanted)) if wanted else 0.0
    return round(f1, 2) + 0.1 * fields_found / max(1, matched), -size


def _best_match(unmatched: dict[int, Counter[str]], wanted: Counter[str]) -> int | None:
    """Return the index of the element with the highest word F1 that contains the comment."""
    best: tuple[float, int | None] = (0.0, None)
    for index, own_words in unmatched.items():
        shared = (own_words & wanted).total()
        if shared >= MIN_RECALL * wanted.total() and own_words.total() <= (
            2 * wanted.total() + MAX_OTHER_WORDS
        ):
            f1 = 2 * shared / (own_words.total() + wanted.total())
            if f1 > best[0] + MIN_GAIN:
                best = f1, index
    return best[1]
