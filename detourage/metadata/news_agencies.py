"""Recognition of the news agency that supplied an article, from its dateline, byline or sign-off.

An agency that is only mentioned, or that supplied a picture, is not the source of the article.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, TypedDict

from detourage import core
from detourage.metadata.bylines import names_in, without_mark
from detourage.metadata.surroundings import Meaning, NearbyLine
from detourage.text.calendars import month_named
from detourage.text.dates import without_dates
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.shipped import shipped_json
from detourage.text.words import contains_any, word_set

# A dateline, such as "PARIS, 3 May (AFP)", begins with a place and perhaps a date.
MAX_HEAD = 160  # characters searched for a dateline at the start of a line
MAX_PLACE = 70  # length, in characters, of the place and date before an agency
MAX_PLACE_WORDS = 9  # words in the place and date before an agency: "PORT-AU-PRINCE, 12 de enero"
MAX_BYLINE = 100  # length, in characters, of a line that names only agencies and persons
MAX_SIGN_OFF = 80  # characters searched for an agency at the end of a text
MIN_INITIALS = 3  # length of an agency's unlabelled initials; shorter ones may be a person's
MAX_EDITOR_INITIALS = 4  # length of an editor's initials after an agency, as in "dpa/jdo"
MAX_PARTS = 6  # number of names or other parts next to an agency at which a line is no byline
# Paragraphs at the start and end of the body, and lines after it, that are searched for an agency
_LINES_OPENING, _LINES_CLOSING, _LINES_AFTER = 3, 2, 4
_PICTURE_CREDIT = lazy_pattern(  # words in credits of pictures
    r"\b(?:photos?|photograph\w*|fotos?|bild(?:er)?|images?|picture|video|zdję\w+|фото|archiv\w*"
    r"|alliance|illustration|afbeelding|kuva)\b|[©ⓒ]|图|写真|사진|صورة|épa|getty|\bepa\b",
    re.IGNORECASE,
)
_SOURCE_LABEL = lazy_pattern(  # "Source: "
    r"^\W*(?:news )?(?:sources?|quellen?|fuentes?|fontes?|fonti|źródł[oa]|источники?|джерело|πηγή"
    r"|kaynak|bron|kilder?|källa|lähde|forrás|zdroj|sursa|来源|來源|稿源|文章来源|消息来源|信息来源"
    r"|出典|المصدر|منبع)\s{0,3}[:：]\s*",
    re.IGNORECASE,
)
_BETWEEN_NAMES = lazy_pattern(  # marks and words between the names in a byline
    r"[,/;|+=&·•()（）\[\]【】<>]|\s[-–—]\s"
    r"|(?<!\w)(?:and|und|et|y|e|i|og|och|en|и|mit|with|via|by|von|par|por|de|da|of|the|[Ff]or)\s"
)
_STATEMENT_IN_PLACE = lazy_pattern(  # signs that the text before an agency is a sentence
    r"[!?;:\"“”«»]|\b[^\W\d]{5,}\.\s+(?!\d|$)"
)
_COPYRIGHT = lazy_pattern(  # "(c) 2024 by the", before an agency
    r"(?:^|[.!?)(<\[…。]\s?)(?:(?:copyright|©|ⓒ|\(c\))\s*){1,2}(?:\d{4}(?:-\d{4})?)?,?\s*(?:by\s)?"
    r"(?:the\s)?",
    re.IGNORECASE,
)
_BARE_END = lazy_pattern(  # "… the end. -Reuters", with the agency as the group
    r"[.!?…»”\"'’。]\s{0,3}(?:[-–—/]{1,2}\s{0,2})?([^\s.!?…»”\"'’。–—-][^\s.!?…»”\"'’。]{1,30})[./]?\s*$"
)
_BRACKET_END = lazy_pattern(  # "… the end. (Reuters)", with the agency as the group
    r"(?:[.!?…»”\"'。！？)]|^)\s{0,3}[(（\[【]([^()（）\[\]【】]{2,40})[)）\]】][.。\s]*$"
)
_NUMBER = lazy_pattern(r"\s\d")  # the start of a number
_WRITER_TITLE = lazy_pattern(  # "Staff Writer", "Chief Correspondent"
    r"(?:\b\S{2,20} ){0,2}"
    r"\b(?:writers?|reporters?|correspondents?|staff|editors?|service|dienst)\b",
    re.IGNORECASE,
)
_STAFF_WORDS = word_set(  # words that may occur next to an agency in a byline
    "staff agencies agency agenturen agences agencias agenzie online redaktion redaction redacción"
    " redazione redactie news wire wires services report reports correspondent correspondents in"
)
_AROUND_NAME = " \t.,:;|-–—−_*\"'“”„«»‹›"
_WORDS = re.compile(r"\w+")
_UNCASED_SCRIPTS = "\u0590-\u08ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # without capital letters
# 新华社北京5月3日电, 据新华社电; (서울=연합뉴스); 【ロンドン共同】, ［東京 ロイター］.
_CHINESE = lazy_pattern(
    r"^[\s（(【\[]{0,3}(?:(?:本报|综合|据)[^，。]{0,6})?(?P<agency>[^\s，。0-9]{3,8}?)"
    r"(?:(?:[^，。\d]{0,12}\d{1,2}月|[^，。\d]{0,6})\d{1,2}日[^，。]{0,8}?(?:电|電|讯|訊)|专?(?:电|電|消息))"
)
_KOREAN = lazy_pattern(r"^[\s(\[【]{0,3}[^=()\[\]]{1,15}=(?P<agency>[^()\[\]=]{2,12})[)\]】]")
_JAPANESE = lazy_pattern(r"^[【［\[](?P<inside>[^】］\]]{2,25})[】］\]]")


class Agency(TypedDict):
    """Written forms of an agency: unambiguous names, and case-sensitive initials."""

    names: list[str]
    initials: list[str]


def find_wire(lines: Sequence[NearbyLine], text: str, authors: Sequence[str]) -> str | None:
    """Return the agency that supplied an article, as named in ``news_agencies.json``, or None."""
    body = text.split("\n\n")
    texts = [line.text[: 2 * MAX_BYLINE] for line in lines if line.place != "above"]
    texts += [each[:MAX_HEAD] for each in body[:_LINES_OPENING]]
    texts += [each[-2 * MAX_BYLINE :] for each in body[-_LINES_CLOSING:]]
    texts += [author for author in authors if len(author) <= MAX_BYLINE]
    if not _may_name("\n".join(texts)):
        return None
    lines = [line for line in lines if not line.meaning & Meaning.PICTURE]
    before = [line.text for line in lines if line.place in ("before", "opening")]
    after = [line.text for line in lines if line.place == "after"][:_LINES_AFTER]
    agencies = chain(
        map(_agency_in_dateline, (*before, *body[:_LINES_OPENING])),
        (_agency_among_persons(author) for author in authors if not _PICTURE_CREDIT.search(author)),
        _agencies_in_bylines(lines),
        map(_agency_at_end, (*body[-_LINES_CLOSING:], *after)),
    )
    return next(filter(None, agencies), None)


def _agencies_in_bylines(lines: Sequence[NearbyLine]) -> Iterator[str | None]:
    """Yield the agencies named by lines that may be bylines."""
    for number, line in enumerate(lines):
        is_elsewhere = line.place == "above" or (line.place == "after" and line.is_linked)
        if not is_elsewhere and len(line.text) <= MAX_BYLINE and _may_name(line.text):
            yield _agency_in_byline(line, lines[max(0, number - 1) : number + 2])


def _agency_in_byline(line: NearbyLine, nearby: Sequence[NearbyLine]) -> str | None:
    """Return the agency in a byline, or None; a date in a `nearby` line suggests a byline."""
    text = line.undated
    label = _SOURCE_LABEL.match(text)
    # "Associated Press Writer 10 minutes ago": the number is a remnant of the date.
    rest = _NUMBER.split(text[label.end() :] if label else text, maxsplit=1)[0]
    agency = _agency_among_persons(rest)
    if agency is None or _PICTURE_CREDIT.search(line.text):
        return None
    is_byline = line.meaning & Meaning.BYLINE or (label is None and without_mark(text) != text)
    if is_byline or _WRITER_TITLE.search(rest):
        return agency
    beginnings = (each.text[:MAX_HEAD] for each in nearby)
    is_dated = any(each.moment for each in nearby)
    is_dated = is_dated or any(without_dates(text) != text for text in beginnings)
    if label is not None:
        # At the top, a label such as "Source:" without a date may belong to a picture.
        is_text_credit = is_dated or line.place in ("closing", "after")
        return agency if is_text_credit or contains_any(label[0], _UNCASED_SCRIPTS) else None
    if line.place == "after" or len(rest.strip(_AROUND_NAME)) < MIN_INITIALS:
        return None
    return agency if is_dated or "/" in rest else None


def _agency_among_persons(line: str) -> str | None:
    """Return the first agency in a line that consists only of agencies and persons, or None."""
    if len(line) > MAX_BYLINE or not _has_words_of_name(line):
        return None
    names = without_mark(line)
    agency = _first_agency(names)
    others = _BETWEEN_NAMES.split(_WRITER_TITLE.sub(" ", _without_forms(names)))
    others = [part for part in others if part.strip(_AROUND_NAME)]
    is_byline = len(others) < MAX_PARTS and all(map(_may_accompany, others))
    return agency if is_byline else None


def _may_accompany(part: str) -> bool:
    """Return whether a text next to an agency is a person's name, initials or a job title."""
    name = part.strip(_AROUND_NAME)
    is_initials = len(name) <= MAX_EDITOR_INITIALS and name.isalpha()
    words = {word.strip(".").lower() for word in part.split()}
    is_name = " " in name and bool(names_in(part, is_byline=True))
    return is_initials or words <= _STAFF_WORDS or is_name


def _agency_in_dateline(line: str) -> str | None:
    """Return the agency in the dateline at the start of a line, or None."""
    head = line[:MAX_HEAD].strip()
    if not _may_name(head):
        return None
    return _agency_in_cased_dateline(head) or _agency_in_uncased_dateline(head)


def _agency_in_cased_dateline(head: str) -> str | None:
    """Return the agency in a dateline in a script with capital letters, or None."""
    form = _find_form(head)
    before = "" if form is None else head[: form.start()].strip()
    place = before.rstrip(_OPENING_BRACKETS)
    if form is None or len(place) > MAX_PLACE or _STATEMENT_IN_PLACE.search(place):
        return None
    words = [word for word in re.split(r"[\s,،./()-]+", place.strip(_AROUND_NAME)) if word]
    if len(words) > MAX_PLACE_WORDS or any(
        word[0].islower() and len(word) > 3 and month_named(word) is None for word in words
    ):
        return None
    has_digit = any(map(str.isdigit, place))
    if place != before and (rest := _REST_IN_BRACKETS.match(head, form.end())):
        # In brackets: PARIS, 3 May (AFP).
        is_place = place.strip().isupper() or has_digit or "," in place or not place
        is_dateline = is_place or _CONTINUATION.match(head, rest.end()) is not None
        is_dateline &= _PICTURE_CREDIT.search(rest[0]) is None
        return _agency_written_as(form[0]) if is_dateline else None
    # Between marks: МОСКВА, 3 мая — РИА Новости; TOKYO, Jan 3, Kyodo.
    end = _DATELINE_END.match(head, form.end())
    if end is None or (not place and form["initials"] is None):
        return None
    is_dateline = (not place or place[-1] in _SEPARATORS) and (end["dash"] is not None or has_digit)
    return _agency_written_as(form[0]) if is_dateline else None


_OPENING_BRACKETS = "(（[［【<{/"
_SEPARATORS = ",.:：-–—−"
_REST_IN_BRACKETS = lazy_pattern(r"[^()（）\[\]［］【】<>{}]{0,30}?[)）\]］】>}/](?!\w)")
_CONTINUATION = lazy_pattern(r"\s*+(?:\.\s*+)?[-–—−:：|_.，]")
_DATELINE_END = lazy_pattern(r"(?:/\w+)?(?P<dash>\s*+[-–—−]+\s|\s*+[:：])|\s*+[.,:]\s")


def _agency_in_uncased_dateline(head: str) -> str | None:
    """Return the agency in a Chinese, Korean or Japanese dateline, or None."""
    if not contains_any(head[:40], _UNCASED_SCRIPTS):
        return None
    for pattern in (_CHINESE, _KOREAN):
        match = pattern.match(head)
        if match:
            return _agency_written_as(match["agency"])
    match = _JAPANESE.match(head)
    if match is None:
        return None
    inside = match["inside"]
    parts = (_agency_written_as(part) for part in re.split(r"[\s=＝・]", inside))
    # The place may precede the agency without a separator.
    ends = (_agency_written_as(inside[start:]) for start in range(1, len(inside)))
    return next(filter(None, (*parts, *ends)), None)


def _agency_at_end(line: str) -> str | None:
    """Return the agency that signs a line, as in "(Reuters)" or "(c) 2024 AFP", or None."""
    if not _may_name(line[-2 * MAX_BYLINE :]):
        return None
    mark = _COPYRIGHT.search(line) if len(line) <= 2 * MAX_BYLINE else None
    if mark is not None:
        return _first_agency(line, mark.end(), is_start=True)
    end = line[-MAX_SIGN_OFF:].strip()
    match = _BRACKET_END.search(end) or _BARE_END.search(end)
    if match is None or _PICTURE_CREDIT.search(match[1]):
        return None
    signed = without_dates(match[1]).strip(_AROUND_NAME)
    return _first_agency(signed, is_start=True)


def _may_name(text: str) -> bool:
    """Return whether a text may name an agency; this quick check excludes most texts."""
    return contains_any(text, _UNCASED_SCRIPTS) or _has_words_of_name(text)


def _has_words_of_name(text: str) -> bool:
    """Return whether a text has all words of a written form of an agency, in any order."""
    known, forms = _agency_words()
    found = core.words_in(text.casefold(), known)
    folded = _folded(text) if found else ""
    candidates = (form for word in found for form in forms[word])
    return any(all(map(folded.__contains__, _folded_words(form))) for form in candidates)


@cache
def _agency_words() -> tuple[Any, Mapping[str, Sequence[str]]]:
    """Return the most specific word of each form (`core.word_set`), and the forms by word."""
    agencies = _shipped_agencies().values()
    initials = {form.casefold() for each in agencies for form in each["initials"]}
    forms: defaultdict[str, list[str]] = defaultdict(list)
    for form in written_forms():
        # Initials are more specific than the longest word: "AP" says more than "the" in "The AP".
        words = _WORDS.findall(form.casefold())
        specific = max(words, key=lambda word: (word in initials, len(word)))
        forms[specific].append(form)
    return core.word_set(forms), forms


@cache
def _folded_words(form: str) -> Sequence[str]:
    return _WORDS.findall(_folded(form))


def _first_agency(text: str, position: int = 0, *, is_start: bool = False) -> str | None:
    """Return the first agency after a position or, with `is_start`, the one at the position."""
    form = _form_at(text, position) if is_start else _find_form(text, position)
    return _agency_written_as(form[0]) if form is not None else None


def _find_form(text: str, position: int = 0) -> re.Match[str] | None:
    """Return the first written form after a position, or None."""
    for word in _WORDS.finditer(text, position):
        if _folded(word[0]) in _forms_by_first_word():
            # The form may begin with a quotation mark before the word.
            quoted = max(position, word.start() - 1)
            if form := _form_at(text, quoted) or _form_at(text, word.start()):
                return form
    return None


def _without_forms(text: str) -> str:
    """Return a text in which separators replace the written forms of agencies."""
    pieces, position = [], 0
    for word in _WORDS.finditer(text):
        quoted = max(position, word.start() - 1)
        if form := _form_at(text, quoted) or _form_at(text, max(position, word.start())):
            pieces.append(text[position : form.start()])
            position = form.end()
    return " | ".join([*pieces, text[position:]])


def _form_at(text: str, position: int) -> re.Match[str] | None:
    """Return the written form at a position: initials if it begins with any, or else a name."""
    word = _WORDS.search(text, position)
    first_word = _folded(word[0]) if word is not None else ""
    is_known = first_word in _forms_by_first_word()
    return _pattern_of_forms(first_word).match(text, position) if is_known else None


def _folded(word: str) -> str:
    """Return a word in lower case, in which the Turkish letters İ and ı become "i"."""
    return word.replace("İ", "i").replace("ı", "i").casefold()


def _agency_written_as(text: str) -> str | None:
    """Return the agency whose name or initials are the given text."""
    return _agency_by_form().get(text) or _agency_by_form().get(text.casefold())


def written_forms() -> tuple[str, ...]:
    """Return all written forms of all agencies."""
    return tuple(
        form
        for each in _shipped_agencies().values()
        for form in (*each["names"], *each["initials"])
    )


@cache
def _forms_by_first_word() -> Mapping[str, tuple[set[str], set[str]]]:
    """Return the initials and the names of agencies, by their first word in lower case."""
    forms: dict[str, tuple[set[str], set[str]]] = {}
    for each in _shipped_agencies().values():
        for number, written in enumerate((each["initials"], each["names"])):
            for form in written:
                first_word = _folded(_WORDS.findall(form)[0])
                forms.setdefault(first_word, (set(), set()))[number].add(form)
    return forms


@cache
def _pattern_of_forms(first_word: str) -> re.Pattern[str]:
    """Return the pattern of the forms with a given first word; one of all takes 5 ms to compile."""
    initials, names = (
        "|".join(sorted(map(re.escape, forms), key=len, reverse=True)) or "(?!)"
        for forms in _forms_by_first_word()[first_word]
    )
    return re.compile(rf"(?<!\w)(?:(?P<initials>{initials})|(?i:{names}))(?!\w)")


@cache
def _agency_by_form() -> Mapping[str, str]:
    """Return the agencies by their initials and by their names in lower case."""
    by_form: dict[str, str] = {}
    for name, each in _shipped_agencies().items():
        by_form.update(dict.fromkeys(each["initials"], name))
        by_form.update(dict.fromkeys(map(str.casefold, each["names"]), name))
    return by_form


@cache
def _shipped_agencies() -> Mapping[str, Agency]:
    agencies: dict[str, Agency] = shipped_json("detourage.metadata", "news_agencies.json")[
        "agencies"
    ]
    return agencies
