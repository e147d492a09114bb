"""Changes between two revisions of an article that a reader would notice.

Sentences are aligned by the longest matching runs. Unmatched sentences that occur on both sides
have moved; those that share most of their words are edited. Differences in typography do not count,
and neither does text that also appears on other pages of the site, such as a promotion added by a
new design.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Any, Final

from stories.messages import ChangeKind, Changes, SentenceChange, TextChange
from stories.sentences import Sentence, reading_key, split_sentences

MAX_SENTENCES: Final = 1_000
"""Maximum number of sentences compared per revision, because hostile texts take quadratic time."""

MAX_REPEATED: Final = 20
"""Maximum number of occurrences of a sentence in a text; more frequent sentences are ignored."""

MAX_PAIRS: Final = 10_000
"""Maximum number of pairs of unmatched sentences whose words are compared."""

MAX_CHARACTERS: Final = 100_000
"""Maximum total length of the reported sentences, so that changes cannot dominate a message.
Longer edits are also not checked for corrected typos."""

MIN_EDIT_SHARE: Final = 0.5
"""Minimum share of common words in the two versions of an edited sentence."""

MIN_MOVED_EDIT_SHARE: Final = 0.8
"""The same minimum for an edited sentence that has also moved."""

MIN_KEPT_SHARE: Final = 0.5
"""Minimum share of the text, in characters, that must remain for the article not to count as
rewritten."""

MIN_TYPO_SIMILARITY: Final = 0.8
"""Minimum similarity of two spellings of a word."""

MIN_TYPO_LETTERS: Final = 4
MAX_TYPO_LETTERS: Final = 40
"""Minimum and maximum length of respelled words; a changed short word, such as "not" for "now",
may be another word."""

MAX_COUNTER_WORDS: Final = 8
"""Maximum number of words of a line that is compared with other pages without its numbers."""

_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\d+")
_AMOUNT: Final = re.compile(r"[-−+$€£¥]?\d[\d.,]*+%?")
_SITE_NAME: Final = re.compile(r"\s*\|\s")


def changes_between(
    before: Mapping[str, Any], after: Mapping[str, Any], other_texts: Iterable[str] = ()
) -> Changes:
    """Compare two article messages of a page.

    `other_texts` are texts of articles of the same template group; sentences that are alone on a
    line both there and in the compared articles are part of the template. If a text has too many
    sentences, or too much has changed to be reported, `sentences` is empty and ``is_complete``
    False.
    """
    shared = frozenset(
        _masked(each) for text in other_texts for each in split_sentences(text) if each.is_line
    )
    sides = _Side(before), _Side(after)
    title, lead = _title_change(before, after), _lead_change(*sides)
    if any(len(side.sentences) > MAX_SENTENCES for side in sides):
        found: list[SentenceChange] = []
        kept = 1.0
        is_complete = before.get("text") == after.get("text")
    else:
        found, kept = _compare(*sides, shared)
        is_complete = _length(found) <= MAX_CHARACTERS
    correction = _correction(before, after)
    is_changed = bool(found or title or lead or correction) or not is_complete
    return Changes(
        since=int(before["revision"]),
        kind=_kind(after, title, lead, found, kept, correction) if is_changed else None,
        title=title,
        lead=lead,
        correction=correction,
        sentences=found if is_complete else [],
        is_complete=is_complete,
    )


@dataclass
class _Side:
    """One of the two messages, with its sentences except those of the lead.

    `elsewhere` has the keys of the sentences in lead, title, captions and authors.
    """

    message: Mapping[str, Any]
    lead: frozenset[str] = field(init=False)
    sentences: list[Sentence] = field(init=False)
    elsewhere: frozenset[str] = field(init=False)
    items: frozenset[int] = field(init=False)  # offsets of the list items

    def __post_init__(self) -> None:
        message = self.message
        lead = str(message.get("lead") or "")
        self.lead = frozenset(each.key for each in split_sentences(lead))
        shown = list(split_sentences(str(message.get("text") or "")))
        in_paragraphs = {each.key for each in shown if not each.is_line}
        self.sentences = [
            each
            for each in shown
            # A line that repeats a sentence of a paragraph is a pull quote.
            if each.key not in self.lead and not (each.is_line and each.key in in_paragraphs)
        ]
        captions = (image.get("caption") for image in message.get("images") or ())
        named = (message.get("title"), *captions, *(message.get("authors") or ()))
        self.elsewhere = self.lead | {
            each.key for text in named if text for each in split_sentences(str(text))
        }
        self.items = frozenset(
            int(block["start"])
            for block in message.get("blocks") or ()
            if block["type"] == "list_item"
        )

    def is_negligible(self, number: int, changed: Collection[int]) -> bool:
        """Return whether an added, removed or moved line is unlikely to matter to a reader.

        New designs bring subheadings and links with them. Such a line counts if it is an item of a
        list, or next to a sentence that has changed in the same way.
        """
        sentence = self.sentences[number]
        if not sentence.is_note or sentence.start in self.items:
            return False
        around = {number - 1, number + 1} & set(changed)
        return all(self.sentences[each].is_note for each in around)


def _compare(
    before: _Side, after: _Side, shared: Collection[str]
) -> tuple[list[SentenceChange], float]:
    """Return the changes in the order of the new text, and the share of the text that remains."""
    old, new = before.sentences, after.sentences
    matched = dict(_matched([each.key for each in old], [each.key for each in new]))
    counts = (Counter(each.key for each in side) for side in (old, new))
    repeated = {key for count in counts for key, times in count.items() if times > MAX_REPEATED}
    moved = _pair_equal(old, new, _open(old, matched.keys()), _open(new, matched.values()))
    moved = {a: b for a, b in moved.items() if old[a].key not in repeated}
    elsewhere = before.elsewhere | after.elsewhere | repeated
    open_old, open_new = (
        [each for each in _open(texts, paired) if not _is_ignored(texts[each], elsewhere, shared)]
        for texts, paired in (
            (old, {*matched, *moved}),
            (new, {*matched.values(), *moved.values()}),
        )
    )
    edited = _pair_similar(old, new, open_old, open_new, _gaps(matched, len(old), len(new)))
    changes = [
        *(
            (new[b].start, 1, _change("moved", old[a], new[b]))
            for a, b in moved.items()
            if not after.is_negligible(b, ())
        ),
        *((new[b].start, 1, _change("edited", old[a], new[b])) for a, b in edited.items()),
    ]
    added = set(open_new) - set(edited.values())
    changes += [
        (new[b].start, 1, _change("added", None, new[b]))
        for b in added
        if not after.is_negligible(b, added)
    ]
    removed = set(open_old) - edited.keys()
    places = _places_of_removed(matched, old, new)
    changes += [
        (places[a], 0, _change("removed", old[a], None))
        for a in sorted(removed)
        if not before.is_negligible(a, removed)
    ]
    changes.sort(key=lambda each: each[:2])
    total = max(sum(len(each.text) for each in side.sentences) for side in (before, after))
    kept = sum(len(old[a].text) for a in (*matched, *moved, *edited))
    return [change for _, _, change in changes], kept / total if total else 1.0


def _open(sentences: Sequence[Sentence], paired: Iterable[int]) -> list[int]:
    taken = set(paired)
    return [number for number in range(len(sentences)) if number not in taken]


def _matched(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of equal sentences in the same order."""
    shorter = min(len(old), len(new))
    start = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    most = shorter - start
    end = next((n for n in range(most) if old[-1 - n] != new[-1 - n]), most)
    yield from ((number, number) for number in range(start))
    inner_old, inner_new = old[start : len(old) - end], new[start : len(new) - end]
    counts = Counter(inner_new)
    matcher = SequenceMatcher(
        lambda key: counts[key] > MAX_REPEATED, inner_old, inner_new, autojunk=False
    )
    for a, b, size in matcher.get_matching_blocks():
        yield from ((start + a + number, start + b + number) for number in range(size))
    yield from ((len(old) - number, len(new) - number) for number in range(end, 0, -1))


def _pair_equal(
    old: Sequence[Sentence], new: Sequence[Sentence], open_old: list[int], open_new: list[int]
) -> dict[int, int]:
    places: dict[str, list[int]] = {}
    for number in reversed(open_new):
        places.setdefault(new[number].key, []).append(number)
    return {number: places[key].pop() for number in open_old if places.get(key := old[number].key)}


def _gaps(partners: Mapping[int, int], old: int, new: int) -> tuple[list[int], list[int]]:
    """Return for each sentence of both texts the number of matched sentences before it."""
    reverse = set(partners.values())
    return (
        list(accumulate((number in partners for number in range(old)), initial=0)),
        list(accumulate((number in reverse for number in range(new)), initial=0)),
    )


def _pair_similar(
    old: Sequence[Sentence],
    new: Sequence[Sentence],
    open_old: Sequence[int],
    open_new: Sequence[int],
    gaps: tuple[list[int], list[int]],
) -> dict[int, int]:
    """Pair sentences that share most of their words, the most similar ones first."""
    if len(open_old) * len(open_new) > MAX_PAIRS:
        return {}
    found = []
    for a in open_old:
        for b in open_new:
            is_here = gaps[0][a] == gaps[1][b]
            share = _common(old[a].bag, new[b].bag)
            if share >= (MIN_EDIT_SHARE if is_here else MIN_MOVED_EDIT_SHARE):
                found.append((not is_here, -share, abs(a - b), a, b))
    paired: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, _, a, b in sorted(found):
        if a not in paired and b not in taken:
            paired[a] = b
            taken.add(b)
    return paired


def _common(old: Counter[str], new: Counter[str]) -> float:
    """Return the Dice coefficient of two bags of words."""
    total = old.total() + new.total()
    return 2 * (old & new).total() / total if total else 0.0


def _is_ignored(sentence: Sentence, elsewhere: Collection[str], shared: Collection[str]) -> bool:
    """Return whether a sentence is part of the template, or also in a lead, title or caption."""
    if not sentence.bag or sentence.key in elsewhere:
        return True
    return sentence.is_line and _masked(sentence) in shared


def _masked(sentence: Sentence) -> str:
    """Return the key of a sentence, with all numbers replaced by 0 if it is a short line."""
    if not sentence.is_note or sentence.bag.total() > MAX_COUNTER_WORDS:
        return sentence.key
    return _NUMBER.sub("0", sentence.key)


def _places_of_removed(
    partners: Mapping[int, int], old: Sequence[Sentence], new: Sequence[Sentence]
) -> list[int]:
    """Return for each old sentence the end of the nearest unchanged sentence before it."""
    places, place = [], -1
    for number in range(len(old)):
        if number in partners:
            place = new[partners[number]].end
        places.append(place)
    return places


def _change(action: str, old: Sentence | None, new: Sentence | None) -> SentenceChange:
    return SentenceChange.model_validate(
        {
            "action": action,
            "before": old and old.text,
            "before_start": old and old.start,
            "before_end": old and old.end,
            "after": new and new.text,
            "start": new and new.start,
            "end": new and new.end,
        }
    )


def _title_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> TextChange | None:
    old, new = (str(message.get("title") or "") for message in (before, after))
    if not old or not new or reading_key(old) == reading_key(new):
        return None
    shorter, longer = sorted((old, new), key=len)
    if longer.startswith(shorter) and _SITE_NAME.match(longer, len(shorter)):
        return None
    return TextChange(before=old, after=new)


def _lead_change(before: _Side, after: _Side) -> TextChange | None:
    """Compare the leads, unless the text of the other revision contains one of them."""
    old, new = (str(side.message.get("lead") or "") for side in (before, after))
    if not old or not new or before.lead == after.lead:
        return None
    texts = [{each.key for each in side.sentences} for side in (before, after)]
    if before.lead <= texts[1] | after.lead or after.lead <= texts[0] | before.lead:
        return None
    return TextChange(before=old, after=new)


def _correction(before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
    """Return the first correction note that the previous revision does not have."""
    if before.get("corrections") is None:
        # Revisions by earlier versions of the service have no notes.
        return None
    known = {reading_key(str(note)) for note in before["corrections"]}
    notes = (str(note) for note in after.get("corrections") or ())
    return next((note for note in notes if reading_key(note) not in known), None)


def _kind(
    after: Mapping[str, Any],
    title: TextChange | None,
    lead: TextChange | None,
    found: Sequence[SentenceChange],
    kept: float,
    correction: str | None,
) -> ChangeKind:
    if correction is not None:
        return "correction"
    if (after.get("metadata") or {}).get("kind") == "live":
        return "live"
    if kept < MIN_KEPT_SHARE:
        return "rewritten"
    edits: list[TextChange | SentenceChange] = [each for each in (title, lead) if each is not None]
    edits += found
    is_typo = 0 < _length(edits) <= MAX_CHARACTERS and all(
        _is_typo(each.before, each.after) for each in edits
    )
    return "typo" if is_typo else "update"


def _length(edits: Iterable[TextChange | SentenceChange]) -> int:
    return sum(len(each.before or "") + len(each.after or "") for each in edits)


def _is_typo(before: str | None, after: str | None) -> bool:
    """Return whether two texts differ only in punctuation and in the spelling of words."""
    if before is None or after is None or reading_key(before) == reading_key(after):
        return False
    if _AMOUNT.findall(before) != _AMOUNT.findall(after):
        return False
    old, new = (_WORD.findall(text) for text in (before, after))
    if len(old) != len(new):
        return False
    return all(a == b or _is_respelled(a, b) for a, b in zip(old, new, strict=True))


def _is_respelled(old: str, new: str) -> bool:
    lengths = len(old), len(new)
    if min(lengths) < MIN_TYPO_LETTERS or max(lengths) > MAX_TYPO_LETTERS:
        return False
    if _NUMBER.search(old) or _NUMBER.search(new):
        return False
    return bool(SequenceMatcher(None, old, new, autojunk=False).ratio() >= MIN_TYPO_SIMILARITY)
