"""Changes between two revisions of an article that a reader would notice.

Equal sentences in the same order are matched, beginning with the longest runs of them. Of the other
sentences, those that occur in both revisions have moved, and pairs that share most of their words
are edited. Differences in typography do not count, and neither do lines that another article of the
template group contains, such as a promotion added by a new design.
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

MAX_OCCURRENCES: Final = 20
"""Maximum number of occurrences of a sentence in a text; more frequent sentences are ignored."""

MAX_PAIRS: Final = 10_000
"""Maximum number of pairs of unmatched sentences whose words are compared."""

MAX_CHARACTERS: Final = 100_000
"""Maximum total number of characters of the reported sentences, so that messages stay small. Longer
changes are never classified as typos."""

MIN_EDIT_SHARE: Final = 0.5
"""Minimum share of words that both versions of an edited sentence contain."""

MIN_MOVED_EDIT_SHARE: Final = 0.8
"""`MIN_EDIT_SHARE` for an edited sentence that has also moved."""

MIN_KEPT_SHARE: Final = 0.5
"""Share of the text, in characters, that must remain; otherwise, the change is a rewrite."""

MIN_TYPO_SIMILARITY: Final = 0.8
"""Minimum similarity (difflib's ratio) of two spellings of a word."""

MIN_TYPO_LETTERS: Final = 4
MAX_TYPO_LETTERS: Final = 40
"""Minimum and maximum length of a word whose spelling may be corrected; a changed short word, such
as "not" for "now", may be another word."""

MAX_COUNTER_WORDS: Final = 8
"""Maximum number of words of a line with a counter ("12 comments"), whose numbers are ignored."""

_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\d+")
_AMOUNT: Final = re.compile(r"[-−+$€£¥]?\d[\d.,]*+%?")  # such as "-1,000.5%" or "€20"
_SITE_NAME_SEPARATOR: Final = re.compile(r"\s*\|\s")  # " | " in "Headline | Site name"


def changes_between(
    before: Mapping[str, Any], after: Mapping[str, Any], other_texts: Iterable[str] = ()
) -> Changes:
    """Compare two article messages of a page.

    `other_texts` are texts of other articles of the template group. A line that also occurs in one
    of them belongs to the template and is ignored. If a text has too many sentences, or too much
    has changed to be reported, ``sentences`` is empty and ``is_complete`` False.
    """
    template_lines = frozenset(
        _without_counters(each)
        for text in other_texts
        for each in split_sentences(text)
        if each.is_line
    )
    revisions = _Revision(before), _Revision(after)
    title, lead = _title_change(before, after), _lead_change(*revisions)
    if any(len(revision.sentences) > MAX_SENTENCES for revision in revisions):
        sentences: list[SentenceChange] = []
        kept_share = 1.0
        is_complete = before.get("text") == after.get("text")
    else:
        sentences, kept_share = _compare(*revisions, template_lines)
        is_complete = _total_length(sentences) <= MAX_CHARACTERS
    correction = _new_correction(before, after)
    is_changed = bool(sentences or title or lead or correction) or not is_complete
    return Changes(
        since=int(before["revision"]),
        kind=_kind(after, title, lead, sentences, kept_share, correction) if is_changed else None,
        title=title,
        lead=lead,
        correction=correction,
        sentences=sentences if is_complete else [],
        is_complete=is_complete,
    )


@dataclass
class _Revision:
    """An article message, with the sentences of its text except those of the lead."""

    message: Mapping[str, Any]
    lead: frozenset[str] = field(init=False)  # keys of the lead's sentences
    sentences: list[Sentence] = field(init=False)
    outside_text: frozenset[str] = field(init=False)  # keys of the lead, title, captions, authors
    list_items: frozenset[int] = field(init=False)  # offsets in the text

    def __post_init__(self) -> None:
        message = self.message
        lead = str(message.get("lead") or "")
        self.lead = frozenset(each.key for each in split_sentences(lead))
        sentences = list(split_sentences(str(message.get("text") or "")))
        in_paragraphs = {each.key for each in sentences if not each.is_line}
        self.sentences = [
            each
            for each in sentences
            # A line that repeats a sentence of a paragraph is a pull quote.
            if each.key not in self.lead and not (each.is_line and each.key in in_paragraphs)
        ]
        captions = (image.get("caption") for image in message.get("images") or ())
        other_texts = (message.get("title"), *captions, *(message.get("authors") or ()))
        self.outside_text = self.lead | {
            each.key for text in other_texts if text for each in split_sentences(str(text))
        }
        self.list_items = frozenset(
            int(block["start"])
            for block in message.get("blocks") or ()
            if block["type"] == "list_item"
        )

    def is_negligible(self, number: int, changed: Collection[int]) -> bool:
        """Return whether an added, removed or moved line is unlikely to matter to a reader.

        This holds for subheadings and links, which a new design may add, unless the line is a list
        item, or next to a full sentence that is `changed` in the same way.
        """
        sentence = self.sentences[number]
        if not sentence.is_note or sentence.start in self.list_items:
            return False
        changed_neighbours = {number - 1, number + 1} & set(changed)
        return all(self.sentences[each].is_note for each in changed_neighbours)


def _compare(
    before: _Revision, after: _Revision, template_lines: Collection[str]
) -> tuple[list[SentenceChange], float]:
    """Return the changes in the order of the new text, and the share of the text that remains."""
    old, new = before.sentences, after.sentences
    # Each dictionary maps the index of an old sentence to that of the new one.
    matched = dict(_match_equal([each.key for each in old], [each.key for each in new]))
    counts = (Counter(each.key for each in sentences) for sentences in (old, new))
    frequent = {key for count in counts for key, times in count.items() if times > MAX_OCCURRENCES}
    moved = _pair_equal(
        old, new, _unpaired_indices(old, matched.keys()), _unpaired_indices(new, matched.values())
    )
    moved = {a: b for a, b in moved.items() if old[a].key not in frequent}
    ignored = before.outside_text | after.outside_text | frequent

    def changed_indices(sentences: Sequence[Sentence], paired: Iterable[int]) -> list[int]:
        """Return the indices of the sentences that are neither paired nor ignored."""
        return [
            each
            for each in _unpaired_indices(sentences, paired)
            if not _is_ignored(sentences[each], ignored, template_lines)
        ]

    changed_old = changed_indices(old, {*matched, *moved})
    changed_new = changed_indices(new, {*matched.values(), *moved.values()})
    gaps = _gaps(matched, len(old), len(new))
    edited = _pair_similar(old, new, changed_old, changed_new, gaps)
    added = set(changed_new) - set(edited.values())
    removed = set(changed_old) - edited.keys()
    notable_added = (b for b in added if not after.is_negligible(b, added))
    notable_removed = (a for a in sorted(removed) if not before.is_negligible(a, removed))
    notable_moved = ((a, b) for a, b in moved.items() if not after.is_negligible(b, ()))
    positions = _removal_positions(matched, old, new)
    # Each change with its position in the new text; at the same position, removed sentences (0)
    # come before others (1).
    changes = [
        *((new[b].start, 1, _change("moved", old[a], new[b])) for a, b in notable_moved),
        *((new[b].start, 1, _change("edited", old[a], new[b])) for a, b in edited.items()),
        *((new[b].start, 1, _change("added", None, new[b])) for b in notable_added),
        *((positions[a], 0, _change("removed", old[a], None)) for a in notable_removed),
    ]
    changes.sort(key=lambda each: each[:2])
    total = max(sum(len(each.text) for each in sentences) for sentences in (old, new))
    kept = sum(len(old[a].text) for a in (*matched, *moved, *edited))
    return [change for _, _, change in changes], kept / total if total else 1.0


def _unpaired_indices(sentences: Sequence[Sentence], paired: Iterable[int]) -> list[int]:
    """Return the indices of the sentences that are not among the paired ones."""
    excluded = set(paired)
    return [number for number in range(len(sentences)) if number not in excluded]


def _match_equal(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the indices of equal sentences that are in the same order in both texts."""
    # The common beginning and end are matched first, because difflib takes quadratic time.
    shorter = min(len(old), len(new))
    start = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    max_end = shorter - start
    end = next((n for n in range(max_end) if old[-1 - n] != new[-1 - n]), max_end)
    yield from ((number, number) for number in range(start))
    inner_old, inner_new = old[start : len(old) - end], new[start : len(new) - end]
    counts = Counter(inner_new)
    matcher = SequenceMatcher(
        lambda key: counts[key] > MAX_OCCURRENCES, inner_old, inner_new, autojunk=False
    )
    for a, b, size in matcher.get_matching_blocks():
        yield from ((start + a + number, start + b + number) for number in range(size))
    yield from ((len(old) - number, len(new) - number) for number in range(end, 0, -1))


def _pair_equal(
    old: Sequence[Sentence],
    new: Sequence[Sentence],
    unmatched_old: list[int],
    unmatched_new: list[int],
) -> dict[int, int]:
    """Pair the sentences that occur in both texts, in order if they occur several times."""
    indices_by_key: dict[str, list[int]] = {}
    for number in reversed(unmatched_new):
        indices_by_key.setdefault(new[number].key, []).append(number)
    pairs: dict[int, int] = {}
    for number in unmatched_old:
        if indices := indices_by_key.get(old[number].key):
            pairs[number] = indices.pop()
    return pairs


def _gaps(partners: Mapping[int, int], old: int, new: int) -> tuple[list[int], list[int]]:
    """Return for each sentence of both texts the number of matched sentences before it.

    An old and a new sentence with the same number are in the same gap between matched sentences.
    """
    matched_new = set(partners.values())
    return (
        list(accumulate((number in partners for number in range(old)), initial=0)),
        list(accumulate((number in matched_new for number in range(new)), initial=0)),
    )


def _pair_similar(
    old: Sequence[Sentence],
    new: Sequence[Sentence],
    unmatched_old: Sequence[int],
    unmatched_new: Sequence[int],
    gaps: tuple[list[int], list[int]],
) -> dict[int, int]:
    """Pair sentences that share most of their words, the most similar ones first."""
    if len(unmatched_old) * len(unmatched_new) > MAX_PAIRS:
        return {}
    candidates = []
    for a in unmatched_old:
        for b in unmatched_new:
            is_moved = gaps[0][a] != gaps[1][b]
            share = _common_share(old[a].bag, new[b].bag)
            if share >= (MIN_MOVED_EDIT_SHARE if is_moved else MIN_EDIT_SHARE):
                candidates.append((is_moved, -share, abs(a - b), a, b))
    pairs: dict[int, int] = {}
    paired_new: set[int] = set()
    for _, _, _, a, b in sorted(candidates):
        if a not in pairs and b not in paired_new:
            pairs[a] = b
            paired_new.add(b)
    return pairs


def _common_share(old: Counter[str], new: Counter[str]) -> float:
    """Return the Dice coefficient of two bags of words."""
    total = old.total() + new.total()
    return 2 * (old & new).total() / total if total else 0.0


def _is_ignored(
    sentence: Sentence, ignored: Collection[str], template_lines: Collection[str]
) -> bool:
    """Return whether a sentence has no words, has an ignored key, or belongs to the template."""
    if not sentence.bag or sentence.key in ignored:
        return True
    return sentence.is_line and _without_counters(sentence) in template_lines


def _without_counters(sentence: Sentence) -> str:
    """Return a sentence's key; in short notes such as "12 comments", numbers are replaced by 0."""
    if not sentence.is_note or sentence.bag.total() > MAX_COUNTER_WORDS:
        return sentence.key
    return _NUMBER.sub("0", sentence.key)


def _removal_positions(
    matched: Mapping[int, int], old: Sequence[Sentence], new: Sequence[Sentence]
) -> list[int]:
    """Return, for each old sentence, the position in the new text at which to list its removal.

    The position is the end of the nearest matched sentence before, or -1 if there is none.
    """
    positions, position = [], -1
    for number in range(len(old)):
        if number in matched:
            position = new[matched[number]].end
        positions.append(position)
    return positions


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
    """Compare the titles, ignoring typography and a site name at the end ("Headline | Site")."""
    old, new = (str(message.get("title") or "") for message in (before, after))
    if not old or not new or reading_key(old) == reading_key(new):
        return None
    shorter, longer = sorted((old, new), key=len)
    if longer.startswith(shorter) and _SITE_NAME_SEPARATOR.match(longer, len(shorter)):
        return None
    return TextChange(before=old, after=new)


def _lead_change(before: _Revision, after: _Revision) -> TextChange | None:
    """Compare the leads, unless the other revision contains one of them in its text or lead."""
    old, new = (str(revision.message.get("lead") or "") for revision in (before, after))
    if not old or not new or before.lead == after.lead:
        return None
    old_text, new_text = ({each.key for each in side.sentences} for side in (before, after))
    if before.lead <= new_text | after.lead or after.lead <= old_text | before.lead:
        return None
    return TextChange(before=old, after=new)


def _new_correction(before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
    """Return the first correction note that the previous revision does not have."""
    if before.get("corrections") is None:
        # Earlier versions of the service did not record correction notes.
        return None
    old_notes = {reading_key(str(note)) for note in before["corrections"]}
    notes = (str(note) for note in after.get("corrections") or ())
    return next((note for note in notes if reading_key(note) not in old_notes), None)


def _kind(
    after: Mapping[str, Any],
    title: TextChange | None,
    lead: TextChange | None,
    sentences: Sequence[SentenceChange],
    kept_share: float,
    correction: str | None,
) -> ChangeKind:
    """Classify the changes of an article, of which there is at least one."""
    if correction is not None:
        return "correction"
    if (after.get("metadata") or {}).get("kind") == "live":
        return "live"
    if kept_share < MIN_KEPT_SHARE:
        return "rewritten"
    edits: list[TextChange | SentenceChange] = [each for each in (title, lead) if each is not None]
    edits += sentences
    is_typo = 0 < _total_length(edits) <= MAX_CHARACTERS and all(
        _is_typo(each.before, each.after) for each in edits
    )
    return "typo" if is_typo else "update"


def _total_length(edits: Iterable[TextChange | SentenceChange]) -> int:
    return sum(len(each.before or "") + len(each.after or "") for each in edits)


def _is_typo(before: str | None, after: str | None) -> bool:
    """Return whether two texts differ only in punctuation and in the spelling of words."""
    if before is None or after is None or reading_key(before) == reading_key(after):
        return False
    if _AMOUNT.findall(before) != _AMOUNT.findall(after):
        return False
    old_words, new_words = (_WORD.findall(text) for text in (before, after))
    if len(old_words) != len(new_words):
        return False
    return all(a == b or _is_respelled(a, b) for a, b in zip(old_words, new_words, strict=True))


def _is_respelled(old: str, new: str) -> bool:
    """Return whether a word has probably been corrected, like "goverment" to "government"."""
    lengths = len(old), len(new)
    if min(lengths) < MIN_TYPO_LETTERS or max(lengths) > MAX_TYPO_LETTERS:
        return False
    if _NUMBER.search(old) or _NUMBER.search(new):
        return False
    return bool(SequenceMatcher(None, old, new, autojunk=False).ratio() >= MIN_TYPO_SIMILARITY)
