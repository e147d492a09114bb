"""Recognition of the news agency that supplied an article, from its dateline, byline or sign-off.

An agency that is merely mentioned, or that supplied a picture, is not the source of the article.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import TypedDict

from detourage.metadata.bylines import names_in, without_mark
from detourage.metadata.surroundings import Note
from detourage.text.calendars import month_named
from detourage.text.dates import without_dates
from detourage.text.shipped import shipped_json
from detourage.text.words import contains_any, listed

MAX_HEAD = 160  # characters searched for a dateline at the start of a line
MAX_PLACE = 70  # length, in characters, of the place and date before an agency
MAX_PLACE_WORDS = 9  # words in the place and date before an agency: "PORT-AU-PRINCE, 12 de enero"
MAX_BYLINE = 100  # length, in characters, of a line that names only agencies and persons
MAX_SIGN_OFF = 80  # characters searched for an agency at the end of a text
MIN_INITIALS = 3  # length of an agency's initials without a label; shorter ones may be a person's
MAX_SIGN = 4  # length of an editor's initials after an agency, as in "dpa/jdo"
MAX_PARTS = 6  # names in a byline

_LINES_OPENING, _LINES_CLOSING, _LINES_AFTER = 3, 2, 4  # lines searched for an agency

_PICTURE_NAMES = listed(
    "caption captions figcaption cap credit credits cred illo photo photos image images img"
    " picture gallery media figure bild fot foto bildunterschrift legende"
)
_BYLINE_NAMES = listed(
    "author authors byline autor auteur source agency agence agentur quelle fonte"
)
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
_BETWEEN = re.compile(
    r"[,/;|+=&·•()（）\[\]【】<>]|\s[-–—]\s"
    r"|(?<!\w)(?:and|und|et|y|e|i|og|och|en|и|mit|with|via|by|von|par|por|de|da|of|the|[Ff]or)\s"
)
_STATEMENT_IN_PLACE = re.compile(r"[!?;:\"“”«»]|\b[^\W\d]{5,}\.\s+(?!\d|$)")
_COPYRIGHT = re.compile(
    r"(?:^|[.!?)(<\[…。]\s?)(?:(?:copyright|©|ⓒ|\(c\))\s*){1,2}(?:\d{4}(?:-\d{4})?)?,?\s*(?:by\s)?"
    r"(?:the\s)?",
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
    r"(?:\b\S{2,20} ){0,2}"
    r"\b(?:writers?|reporters?|correspondents?|staff|editors?|service|dienst)\b",
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


def wire_of(notes: Sequence[Note], text: str, authors: Iterable[str]) -> str | None:
    """Return the agency that supplied an article, by its name in ``wires.json``, or None."""
    shown = [note for note in notes if _PICTURE_NAMES.isdisjoint(note.names)]
    body = text.split("\n\n")
    before = [note.text for note in shown if note.place in ("before", "opening")]
    after = [note.text for note in shown if note.place == "after"][:_LINES_AFTER]
    found = chain(
        map(_dateline_agency, (*before, *body[:_LINES_OPENING])),
        (_byline_agency(author) for author in authors if not _PICTURE.search(author)),
        _note_agencies(shown),
        map(_ending_agency, (*body[-_LINES_CLOSING:], *after)),
    )
    return next(filter(None, found), None)


def _note_agencies(notes: Sequence[Note]) -> Iterator[str | None]:
    """Yield the agencies named by lines that may be bylines."""
    for place, note in enumerate(notes):
        is_elsewhere = note.place == "above" or (note.place == "after" and note.is_linked)
        if not is_elsewhere and len(note.text) <= MAX_BYLINE and _may_name(note.text):
            near = notes[max(0, place - 1) : place + 2]
            heads = (each.text[:MAX_HEAD] for each in near)
            is_dated = any(each.moment for each in near)
            yield _note_agency(note, is_dated or any(without_dates(head) != head for head in heads))


def _note_agency(note: Note, is_dated: bool) -> str | None:
    """Return the agency of a byline, or None if the line may credit a picture."""
    if _PICTURE.search(note.text):
        return None
    line = without_dates(note.text)
    label = _LABEL.match(line)
    # "Associated Press Writer 10 minutes ago": the number is a remnant of the date.
    rest = _NUMBER.split(line[label.end() :] if label else line, maxsplit=1)[0]
    agency = _byline_agency(rest)
    is_named = not _BYLINE_NAMES.isdisjoint(note.names) or _WRITER.search(rest) is not None
    if agency is None or is_named or (label is None and without_mark(line) != line):
        return agency
    if label is not None:
        # Pictures above the text have credits too.
        is_text_credit = is_dated or note.place in ("closing", "after")
        return agency if is_text_credit or contains_any(label[0], _UNCASED) else None
    if note.place == "after" or len(rest.strip(_EDGES)) < MIN_INITIALS:
        return None
    return agency if is_dated or "/" in rest else None


def _byline_agency(line: str) -> str | None:
    """Return the first agency of a line that names nothing but agencies and persons."""
    if len(line) > MAX_BYLINE or not _may_name(line):
        return None
    named = without_mark(line)
    agency = _first_agency(named)
    others = _BETWEEN.split(_WRITER.sub(" ", _forms().sub(" | ", named)))
    others = [part for part in others if part.strip(_EDGES)]
    is_byline = len(others) < MAX_PARTS and all(map(_may_accompany, others))
    return agency if is_byline else None


def _may_accompany(part: str) -> bool:
    sign = part.strip(_EDGES)
    is_sign = len(sign) <= MAX_SIGN and sign.isalpha()
    words = {word.strip(".").lower() for word in part.split()}
    return is_sign or words <= _STAFF or (" " in sign and bool(names_in(part, is_byline=True)))


def _dateline_agency(line: str) -> str | None:
    """Return the agency of the dateline at the beginning of a line."""
    head = line[:MAX_HEAD].strip()
    return (_cased_agency(head) or _uncased_agency(head)) if _may_name(head) else None


def _cased_agency(head: str) -> str | None:
    found = _forms().search(head)
    before = "" if found is None else head[: found.start()].strip()
    place = before.rstrip(_OPENING)
    if found is None or len(place) > MAX_PLACE or _STATEMENT_IN_PLACE.search(place):
        return None
    words = [word for word in re.split(r"[\s,،./()-]+", place.strip(_EDGES)) if word]
    if len(words) > MAX_PLACE_WORDS or any(
        word[0].islower() and len(word) > 3 and month_named(word) is None for word in words
    ):
        return None
    has_digit = any(map(str.isdigit, place))
    if place != before and (inside := _IN_BRACKETS.match(head, found.end())):
        # In brackets: PARIS, 3 May (AFP).
        is_plain = place.strip().isupper() or has_digit or "," in place or not place
        is_dateline = is_plain or _CONTINUATION.match(head, inside.end()) is not None
        return _agency(found[0]) if is_dateline and not _PICTURE.search(inside[0]) else None
    # Between marks: МОСКВА, 3 мая — РИА Новости; TOKYO, Jan 3, Kyodo.
    end = _DATELINE_END.match(head, found.end())
    if end is None or (not place and found["initials"] is None):
        return None
    is_separated = place[-1:] in _SEPARATORS and (end["dash"] is not None or has_digit)
    return _agency(found[0]) if is_separated else None


_OPENING = "(（[［【<{/"
_SEPARATORS = ",.:：-–—−"
_IN_BRACKETS = re.compile(r"[^()（）\[\]［］【】<>{}]{0,30}?[)）\]］】>}/](?!\w)")
_CONTINUATION = re.compile(r"\s*+(?:\.\s*+)?[-–—−:：|_.，]")
_DATELINE_END = re.compile(r"(?:/\w+)?(?P<dash>\s*+[-–—−]+\s|\s*+[:：])|\s*+[.,:]\s")


def _uncased_agency(head: str) -> str | None:
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


def _ending_agency(line: str) -> str | None:
    """Return the agency at the end of a text, or of a line after it."""
    if not _may_name(line[-2 * MAX_BYLINE :]):
        return None
    mark = _COPYRIGHT.search(line) if len(line) <= 2 * MAX_BYLINE else None
    if mark is not None:
        return _first_agency(line, mark.end(), is_start=True)
    end = line[-MAX_SIGN_OFF:].strip()
    match = _BRACKET_END.search(end) or _BARE_END.search(end)
    if match is None or _PICTURE.search(match[1]):
        return None
    signed = without_dates(match[1]).strip(_EDGES)
    return _first_agency(signed, is_start=True)


def _may_name(text: str) -> bool:
    """Return whether a short text may name an agency, because it contains a word of a name."""
    words = _WORDS.findall(text.casefold())
    return not _agency_words().isdisjoint(words) or contains_any(text, _UNCASED)


@cache
def _agency_words() -> frozenset[str]:
    return frozenset(max(_WORDS.findall(form.casefold()), key=len) for form in written_forms())


def _first_agency(text: str, position: int = 0, *, is_start: bool = False) -> str | None:
    """Return the first agency in a text or, with `is_start`, the agency at its start."""
    find = _forms().match if is_start else _forms().search
    found = find(text, position)
    return _agency(found[0]) if found is not None else None


def _agency(text: str) -> str | None:
    """Return the agency whose name or initials are the given text."""
    return _agencies().get(text) or _agencies().get(text.casefold())


def written_forms() -> tuple[str, ...]:
    """Return all written forms of all agencies."""
    return tuple(form for each in _data().values() for form in (*each["names"], *each["initials"]))


@cache
def _forms() -> re.Pattern[str]:
    """Return the pattern of all written forms."""
    names, initials = (
        "|".join(sorted(map(re.escape, forms), key=len, reverse=True))
        for forms in (
            {form for each in _data().values() for form in each["names"]},
            {form for each in _data().values() for form in each["initials"]},
        )
    )
    return re.compile(rf"(?<!\w)(?:(?P<initials>{initials})|(?i:{names}))(?!\w)")


@cache
def _agencies() -> Mapping[str, str]:
    """Return the agencies by their initials, and by their names in lower case."""
    by_form: dict[str, str] = {}
    for name, each in _data().items():
        by_form.update(dict.fromkeys(each["initials"], name))
        by_form.update(dict.fromkeys(map(str.casefold, each["names"]), name))
    return by_form


def _data() -> Mapping[str, Agency]:
    agencies: dict[str, Agency] = shipped_json("detourage.metadata", "wires.json")["agencies"]
    return agencies
