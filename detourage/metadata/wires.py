"""Recognition of the news agency that supplied an article, from its dateline, byline or sign-off.

An agency that is merely mentioned, or that supplied a picture, is not the source of the article.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple, TypedDict

from detourage.metadata.bylines import names_in, without_mark
from detourage.metadata.surroundings import Note
from detourage.text.calendars import month_named
from detourage.text.dates import without_dates
from detourage.text.shipped import shipped_json
from detourage.text.words import contains_any, listed

MAX_HEAD = 160
"""Maximum number of characters searched for a dateline at the start of a line."""

MAX_PLACE = 70
"""Maximum length of the place and date before an agency: "PORT-AU-PRINCE, Haiti, 12 de enero"."""

MAX_PLACE_WORDS = 9
"""Maximum number of words in the place and date before an agency."""

MAX_BYLINE = 100
"""Maximum length of a line that names nothing but agencies and persons."""

MAX_SIGN_OFF = 80
"""Maximum number of characters searched for an agency at the end of a text."""

MIN_ALONE = 3
"""Minimum length of an agency's initials if only a date is next to them; shorter ones may be a
person's."""

MAX_SIGN = 4
"""Maximum length of an editor's initials after an agency, as in "dpa/jdo"."""

MAX_PARTS = 6
"""Maximum number of names in a byline."""

_LINES_OPENING = 3
_LINES_CLOSING = 2
_LINES_AFTER = 4

_OF_PICTURES = listed(
    "caption captions figcaption cap credit credits cred illo photo photos image images img"
    " picture gallery media figure bild fot foto bildunterschrift legende"
)
_OF_BYLINES = listed("author authors byline autor auteur source agency agence agentur quelle fonte")
_PICTURE = re.compile(
    r"\b(?:photos?|photograph\w*|fotos?|bild(?:er)?|images?|picture|video|zdję\w+|фото|archiv\w*"
    r"|alliance|illustration|afbeelding|kuva)\b|[©ⓒ]|图|写真|사진|صورة|épa|getty|\bepa\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^\W*(?:news )?(?:sources?|quellen?|fuentes?|fontes?|fonti|źródł[oa]|источники?|джерело|πηγή"
    r"|kaynak|bron|kilder?|källa|lähde|forrás|zdroj|sursa|来源|來源|稿源|文章来源|消息来源|信息来源"
    r"|出典|المصدر|منبع)\s{0,3}[:：]\s*",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"[(（\[［【<{/][^()（）\[\]［］【】<>{}]{1,40}?[)）\]］】>}/](?![\w])")
_ENCLOSING = "()（）[]［］【】<>{}/ "
# Spaces and dashes match only from the start of a run, which keeps the time linear.
_SPACE = r"(?:(?<!\s)\s++)?"
_SOME_SPACE = r"(?:(?<!\s)\s++|\s)"
_DASHES = r"(?<![-–—−])[-–—−]++"
_BETWEEN = re.compile(rf"{_SPACE}[,/;|+=&·•]\s*+|\s[-–—]\s|\s(?:and|und|et|y|e|i|и)\s")
_IN_BYLINES = re.compile(
    rf"{_SPACE}[,/;|+=&·•()（）\[\]【】<>]\s*+|\s[-–—]\s"
    rf"|{_SOME_SPACE}(?:and|und|et|y|e|i|og|och|en|и|mit|with|via|by|von|par|por|de|da|of)\s++"
    rf"|{_SPACE}\b[Ff]or (?=The )"
)
_PIECES = re.compile(
    rf"({_SPACE},\s*+|{_SPACE}{_DASHES}\s++|{_SOME_SPACE}{_DASHES}\s*+|{_SPACE}[:：]\s*+"
    rf"|\.\s*+{_DASHES}\s*+|\.\s++)"
)
_GOES_ON = re.compile(r"\s*+(?:\.\s*+)?[-–—−:：|_.，]")
_STATEMENT_IN_PLACE = re.compile(r"[!?;:\"“”«»]|\b[^\W\d]{5,}\.\s+(?!\d|$)")
_COPYRIGHT = re.compile(
    r"(?:copyright|©|ⓒ|\(c\))(?:\s*(?:copyright|©|ⓒ|\(c\)))?\s*(?:\d{4}(?:-\d{4})?)?,?\s*(?:by\s)?",
    re.IGNORECASE,
)
_BARE_END = re.compile(
    r"[.!?…»”\"'’。]\s{0,3}(?:[-–—/]{1,2}\s{0,2})?([^\s.!?…»”\"'’。–—-][^\s.!?…»”\"'’。]{1,30})[./]?\s*$"
)
_BRACKET_END = re.compile(
    r"(?:[.!?…»”\"'。！？)]|^)\s{0,3}[(（\[【]([^()（）\[\]【】]{2,40})[)）\]】][.。\s]*$"
)
_NUMBER = re.compile(r"\s\d")
_WRITER = re.compile(
    r"(?P<agency>\S{2,20}(?: \S{3,20})?)(?: \S{2,20}){0,2}"
    r" (?:writers?|reporters?|correspondents?|staff|editors?|service|dienst)",
    re.IGNORECASE,
)
_STAFF = listed(
    "staff agencies agency agenturen agences agencias agenzie online redaktion redaction redacción"
    " redazione redactie news wire wires services report reports correspondent correspondents in"
)
_EDGES = " \t.,:;|-–—−_*\"'“”„«»‹›"
_WORDS = re.compile(r"\w+")
_UNCASED = "\u0590-\u08ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"

# 新华社北京5月3日电, 据新华社电; (서울=연합뉴스); 【ロンドン共同】, ［東京 ロイター］.
_CHINESE = re.compile(
    r"^[\s（(【\[]{0,3}(?:(?:本报|综合|据)[^，。]{0,6})?(?P<agency>[^\s，。0-9]{3,8}?)"
    r"(?:(?:[^，。\d]{0,12}\d{1,2}月|[^，。\d]{0,6})\d{1,2}日[^，。]{0,8}?(?:电|電|讯|訊)|专?(?:电|電|消息))"
)
_KOREAN = re.compile(r"^[\s(\[【]{0,3}[^=()\[\]]{1,15}=(?P<agency>[^()\[\]=]{2,12})[)\]】]")
_JAPANESE = re.compile(r"^[【［\[](?P<inside>[^】］\]]{2,25})[】］\]]")


class Agency(TypedDict):
    """Written forms of an agency: unambiguous names, and initials, whose case must match."""

    names: list[str]
    initials: list[str]


class _Agencies(NamedTuple):
    by_name: dict[str, str]
    by_initials: dict[str, str]
    words: frozenset[str]


def wire_of(notes: Sequence[Note], text: str, authors: Iterable[str]) -> str | None:
    """Return the agency that supplied an article, by its name in ``wires.json``, or None.

    The dateline is tried first, then the declared authors, the byline and the end of the text.
    """
    shown = [note for note in notes if _OF_PICTURES.isdisjoint(note.names)]
    body = text.split("\n\n")
    before = [note.text for note in shown if note.place in ("before", "opening")]
    after = [note.text for note in shown if note.place == "after"][:_LINES_AFTER]
    found = chain(
        map(_of_dateline, (*before, *body[:_LINES_OPENING])),
        (_of_byline(author) for author in authors if not _PICTURE.search(author)),
        _of_notes(shown),
        map(_of_ending, (*body[-_LINES_CLOSING:], *after)),
    )
    return next(filter(None, found), None)


def _of_notes(notes: Sequence[Note]) -> Iterator[str | None]:
    """Yield the agencies named by lines that may be bylines."""
    for place, note in enumerate(notes):
        is_elsewhere = note.place == "above" or (note.place == "after" and note.is_linked)
        if not is_elsewhere and len(note.text) <= MAX_BYLINE and _may_name(note.text):
            yield _of_note(note, any(map(_has_date, notes[max(0, place - 1) : place + 2])))


def _has_date(note: Note) -> bool:
    line = note.text[:MAX_HEAD]
    return note.moment != "" or without_dates(line) != line


def _of_note(note: Note, is_by_date: bool) -> str | None:
    """Return the agency of a byline; a line with only an agency's name may be a picture credit."""
    if _PICTURE.search(note.text):
        return None
    line = without_dates(note.text)
    label = _LABEL.match(line)
    # "Associated Press Writer 10 minutes ago": the number is a remnant of the date.
    rest = _NUMBER.split(without_mark(line[label.end() :] if label else line), maxsplit=1)[0]
    agency = _of_byline(rest)
    is_named = not _OF_BYLINES.isdisjoint(note.names) or _WRITER.search(rest) is not None
    if agency is None or is_named or (label is None and without_mark(line) != line):
        return agency
    if label is not None:
        # Pictures above the text have credits too.
        is_of_text = is_by_date or note.place in ("closing", "after")
        return agency if is_of_text or contains_any(label[0], _UNCASED) else None
    if note.place == "after" or len(rest.strip(_EDGES)) < MIN_ALONE:
        return None
    return agency if is_by_date or "/" in rest else None


def _of_byline(line: str) -> str | None:
    """Return the agency of a line that names nothing but agencies and persons."""
    if len(line) > MAX_BYLINE or not _may_name(line):
        return None
    whole = _agency(line)
    if whole is not None:
        return whole
    parts = [part for part in _IN_BYLINES.split(without_mark(line)) if part.strip(_EDGES)]
    if len(parts) > MAX_PARTS:
        return None
    agencies = [_agency(part) or _behind_name(part) for part in parts]
    others = [part for part, agency in zip(parts, agencies, strict=True) if agency is None]
    return next(filter(None, agencies), None) if all(map(_may_accompany, others)) else None


def _behind_name(part: str) -> str | None:
    """Return the agency of "AP Medical Writer" and "JANE DOE The Associated Press"."""
    writer = _WRITER.fullmatch(part.strip())
    if writer is not None:
        return _agency(writer["agency"]) or _agency(writer["agency"].split()[0])
    words = part.split()[:MAX_PARTS]
    for start in range(2, len(words)):
        agency = _agencies().by_name.get(" ".join(words[start:]).casefold())
        if agency is not None and names_in(" ".join(words[:start]), is_byline=True):
            return agency
    return None


def _may_accompany(part: str) -> bool:
    words = {word.strip(".").lower() for word in part.split()}
    is_sign = len(part.strip(_EDGES)) <= MAX_SIGN and part.strip(_EDGES).isalpha()
    return is_sign or words <= _STAFF or bool(names_in(part, is_byline=True))


def _of_dateline(line: str) -> str | None:
    """Return the agency of the dateline at the beginning of a line."""
    head = line[:MAX_HEAD].strip()
    if not _may_name(head):
        return None
    return _of_uncased(head) or _in_brackets(head) or _between_dashes(head)


def _of_uncased(head: str) -> str | None:
    if not contains_any(head[:40], _UNCASED):
        return None
    for pattern in (_CHINESE, _KOREAN):
        match = pattern.match(head)
        if match:
            return _agency(match["agency"])
    match = _JAPANESE.match(head)
    if match is None:
        return None
    inside = match["inside"]
    parts = (_agency(part) for part in re.split(r"[\s=＝・]", inside))
    ends = (_agency(inside[start:]) for start in range(1, len(inside)))
    return next(filter(None, (*parts, *ends)), None)


def _in_brackets(head: str) -> str | None:
    """Return the agency of "PARIS, 3 May (AFP) -"."""
    match = _BRACKETS.search(head)
    if match is None or match.start() > MAX_PLACE or _PICTURE.search(match[0]):
        return None
    place = head[: match.start()].strip()
    agency = _first_agency(match[0].strip(_ENCLOSING))
    if agency is None or not _is_place(place):
        return None
    is_plain = place.isupper() or any(mark in place for mark in ",0123456789،") or not place
    return agency if is_plain or _GOES_ON.match(head, match.end()) else None


def _between_dashes(head: str) -> str | None:
    """Return the agency of "МОСКВА, 3 мая — РИА Новости." and "TOKYO, Jan 3, Kyodo -"."""
    pieces = _PIECES.split(head)
    for number in range(0, min(len(pieces) - 1, 2 * MAX_PARTS), 2):
        before, piece, after = "".join(pieces[:number]), pieces[number], pieces[number + 1]
        agency = _first_agency(piece)
        if agency is not None:
            has_digit = any(map(str.isdigit, before))
            is_separated = after.strip(" .") != "" and after.strip() != ","
            is_dated = has_digit and after.strip() in (".", ",", ":")
            is_first = number == 0 and piece.strip() not in _agencies().by_initials
            is_placed = _is_place(before) and len(before) <= MAX_PLACE
            return agency if is_placed and (is_separated or is_dated) and not is_first else None
    return None


def _is_place(text: str) -> bool:
    """Return whether a text may be a place and a date: capitalised words, months and numbers."""
    if len(text) > MAX_PLACE or _STATEMENT_IN_PLACE.search(text):
        return False
    words = [word for word in re.split(r"[\s,،./()-]+", text.strip(_EDGES)) if word]
    if len(words) > MAX_PLACE_WORDS or _agency(text) is not None:
        return False
    return all(
        not word[0].islower() or len(word) <= 3 or month_named(word) is not None for word in words
    )


def _of_ending(line: str) -> str | None:
    """Return the agency at the end of a text, or of a line after it."""
    if not _may_name(line[-2 * MAX_BYLINE :]):
        return None
    mark = _COPYRIGHT.search(line) if len(line) <= 2 * MAX_BYLINE else None
    if mark is not None and _is_start(line[: mark.start()]):
        words = re.split(r"[\s,.]+", line[mark.end() :])[:4]
        starts = (_agency(" ".join(words[:number])) for number in range(len(words), 0, -1))
        return next(filter(None, starts), None)
    end = line[-MAX_SIGN_OFF:].strip()
    match = _BRACKET_END.search(end)
    if match is not None:
        return None if _PICTURE.search(match[1]) else _leading_agency(match[1])
    match = _BARE_END.search(end)
    return _leading_agency(match[1]) if match is not None else None


def _is_start(text: str) -> bool:
    """Return whether a copyright notice after this text starts a line, a sentence or a bracket."""
    text = text.strip()
    return not text or text[-1] in ".!?)(<[…。"


def _leading_agency(text: str) -> str | None:
    """Return the agency at the start of a list; None if the list starts with anything else."""
    parts = (part for part in _BETWEEN.split(without_dates(text)) if part.strip(_EDGES))
    return next(map(_agency, parts), None)


def _first_agency(text: str) -> str | None:
    whole = _agency(text)
    return whole or next(filter(None, map(_agency, _BETWEEN.split(text))), None)


def _may_name(text: str) -> bool:
    """Return whether a short text contains a word of an agency's name; a fast first check."""
    words = _WORDS.findall(text.casefold())
    return not _agencies().words.isdisjoint(words) or contains_any(text, _UNCASED)


def _agency(text: str) -> str | None:
    """Return the agency whose name or initials are the given text."""
    form = " ".join(text.strip(_EDGES).split())
    known = _agencies()
    return known.by_initials.get(form) or known.by_name.get(form.casefold())


def written_forms() -> tuple[str, ...]:
    """Return all written forms of all agencies."""
    return tuple(form for each in _data().values() for form in (*each["names"], *each["initials"]))


@cache
def _agencies() -> _Agencies:
    agencies = _data()
    return _Agencies(
        {form.casefold(): name for name, each in agencies.items() for form in each["names"]},
        {form: name for name, each in agencies.items() for form in each["initials"]},
        frozenset(max(_WORDS.findall(form.casefold()), key=len) for form in written_forms()),
    )


def _data() -> dict[str, Agency]:
    shipped = shipped_json("detourage.metadata", "wires.json")
    agencies: dict[str, Agency] = shipped["agencies"]
    return agencies
