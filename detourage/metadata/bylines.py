"""Authors and dates displayed next to an article."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from operator import attrgetter
from typing import NamedTuple

from detourage.metadata.surroundings import Note, Part, Place
from detourage.text.calendars import is_weekday
from detourage.text.dates import Moment, find_moments, parse_moment, without_dates
from detourage.text.words import contains_any, listed

MAX_NAME_WORDS = 5
"""Maximum number of words in a name, as in "María del Carmen López García"."""

MAX_NAME_CHARACTERS = 50
"""Maximum name length, in characters."""

MAX_CHARACTERS = 1_000
"""Maximum number of characters of a value that are examined."""

MAX_AUTHORS = 12
"""Maximum number of authors; a longer list contains something else."""

HAN = "\u3400-\u4dbf\u4e00-\u9fff"
"""Chinese characters, for use inside a character class."""

BYLINE_MARKS = (
    "by|von|par|por|di|da|door|av|af|przez|autor(?:en|in|es|a|zy|ka)?|authors?"
    "|auteurs?|autrice|autori|autore|författare|skribent|journalist|kirjoittaja|toimittaja"
    "|szerző|írta|yazar|penulis|oleh|tekst|text|texte|testo|texto|words|reporter"
    "|propos recueillis par|a cura di|napisał(?:a)?|opracował(?:a)?"
    "|автор(?:ы)?|текст|журналист|корреспондент|από|του|της|γράφει ο|γράφει η|συντάκτης|συντάκτρια"
    "|كتب|كتبت|بقلم|الكاتب|מאת"
)
"""Regular expression for the words that introduce an author in a byline."""

_BYLINE = re.compile(
    rf"^\W*(?:(?:{BYLINE_MARKS})(?:\s*[:：|/]\s*|\s+|$)|(?:作者|记者|撰文|编辑|文)\s*[:：]\s*)",
    re.IGNORECASE,
)
_CREDIT = re.compile(
    r"(?:(?<!\s)\s+)?+(?:\b(?:photos?|photography|fotos?|fotografie|images?|illustrations?|bild(?:er)?"
    r"|zdjęcia|фото)\b|摄影|图/|[©ⓒ]).*$",
    re.IGNORECASE | re.DOTALL,
)
_JOINING = "and|und|et|y|e|i|en|och|og|ja|és|ve|и|και|with|mit|avec|con"
_BETWEEN = re.compile(
    r"(?:(?<!\s)\s+)?(?:[;|•·/、,，；\n&＆،]"
    rf"|\s(?:im gespräch mit|in conversation with|{_JOINING})\s|\s[-–—]\s)\s*",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?:|www\.|\S@\S|^/|\.(?:com|net|org|html?|php)\b", re.IGNORECASE)
# An unclosed bracket matches up to the end of the line.
_IN_BRACKETS = re.compile(r"(?:(?<!\s)\s+)?+[(（\[【<][^)）\]】>\n]*+[)）\]】>]?+")
_NOT_IN_BYLINES = re.compile(r"[\d:：?!]")
_EDGES = " \t\"'“”„«»‚‘’*:：.,;|-–—/·•›»>_"

# Words that occur in job titles, section names, buttons and accounts, but not in names.
_NO_NAME = listed(
    "admin administrator webmaster editor editors editorial staff team desk newsroom contributor"
    " contributors reporter reporters correspondent correspondents writer writers journalist author"
    " authors columnist chief senior managing deputy freelance special political producer"
    " photographer columnists guest updated published posted share comments comment follow email"
    " print read more view all posts articles article about here profile"
    " redakteur redakteurin redacteur rédaction redaktor dziennikarz chefredakteur korrespondent"
    " korrespondentin reporterin journaliste journalistin periodista giornalista redactor user"
    " artikel autor autoren autorin autorenseite eingestellt alle mehr name datum kommentar"
    " kommentare anonymous unknown none null undefined nan facebook twitter google"
    " written publisher publishing news nachrichten aktuelles link links website site online blog"
    " veröffentlicht erschienen publié publicado pubblicato opublikowano gepubliceerd"
    " redaktion redaktionsteam online-redaktion redacción redação redazione redakcja redactie"
    " redaksi редакция newsdesk 著者 筆者 原创 原創 本报讯 编辑部"
)
# Words that occur in company names, but not in persons' names.
_LEGAL_FORMS = listed("gmbh mbh ag kg inc llc ltd limited corp corporation plc mediengruppe")
_DEGREES = listed("cfp cpa cfa phd md mba dds esq rn jd llm msc bsc ma ba mph dvm pharmd edd psyd")
_PARTICLES = listed(
    "von van de der den del della di da dos das do du des la le las los el al bin ibn ben y e und"
    " zu zur zum vom ter ten te af av st o d l mac mc abu bint and et og och en ja i"
)
_HAN_NO_NAME = re.compile(
    "关闭|打印|评论|来源|发表|转载|出自|简介|本站|未知|佚名|网友|编辑|记者|作者|時間|时间"
)


@cache
def _han_names() -> re.Pattern[str]:
    """Return the pattern for the spaces between Chinese names."""
    return re.compile(rf"(?<=[{HAN}]{{2}})\s+(?=[{HAN}]{{2}})")


def names_in(text: str, sites: Collection[str] = (), *, is_byline: bool = False) -> tuple[str, ...]:
    """Split the value of an author field or a byline into names.

    Byline markers, job titles, brackets, URLs and the site names in `sites` (normalised by
    `squash`) are removed. In a byline, every part must look like a name; a declared author may be
    an agency or an account.
    """
    text = text[:MAX_CHARACTERS]
    if _ADDRESS.search(text) and " " not in text.strip():
        return ()
    names: dict[str, None] = {}
    for part in _BETWEEN.split(_CREDIT.sub("", _IN_BRACKETS.sub(" ", without_mark(text)))):
        for found in _han_names().split(part) if contains_any(part, HAN) else (part,):
            name = without_mark(found).strip(_EDGES)
            if _is_name(name, is_byline=is_byline) and squash(name) not in sites:
                names[name] = None
    return tuple(names) if len(names) <= MAX_AUTHORS else ()


def without_mark(text: str) -> str:
    """Remove the words that introduce a byline."""
    return _BYLINE.sub("", text, count=1)


def squash(name: str) -> str:
    """Return the letters and digits of a name, in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", name.lower())
    return "".join(character for character in plain if character.isalnum())


def _plain(word: str) -> str:
    return "".join(character for character in word.lower() if character.isalpha())


def without_repeats(names: Iterable[str]) -> tuple[str, ...]:
    """Drop names that repeat another name in different case or with fewer words."""
    kept: dict[str, str] = {}
    for name in names:
        kept.setdefault(squash(name), name)
    return tuple(
        name
        for key, name in kept.items()
        if not any(key != other and len(key) > 4 and key in other for other in kept)
    )


def _is_name(name: str, *, is_byline: bool) -> bool:
    words = name.split()
    if not words or len(name) > MAX_NAME_CHARACTERS or len(words) > MAX_NAME_WORDS:
        return False
    if _ADDRESS.search(name) or not any(character.isalpha() for character in name):
        return False
    lowered = [word.strip(".").lower() for word in words]
    if all(word in _NO_NAME or word in _PARTICLES for word in lowered) or len(name) < 2:
        return False
    if not _LEGAL_FORMS.isdisjoint(lowered):
        return False
    if len(words) == 1 and (_plain(name) in _DEGREES or is_weekday(name) or name[0] == "@"):
        return False
    if not is_byline:
        return True
    if lowered[-1] in _PARTICLES or any(word in _NO_NAME for word in lowered):
        return False
    if _NOT_IN_BYLINES.search(name) or _HAN_NO_NAME.search(name) or is_weekday(name):
        return False
    return all(
        word[0].isupper() or not (word[0].islower() or word[0].isupper()) or plain in _PARTICLES
        for word, plain in zip(words, lowered, strict=True)
    )


MAX_BYLINE = 120
"""Maximum length, in characters, of a line that introduces an author."""

MAX_BESIDE_DATE = 60
"""Maximum length, in characters, of the text around an unmarked date; longer text is prose."""

MAX_NAMES = 40
"""Maximum length, in characters, of unmarked names next to a date."""

_AUTHOR_NAME = re.compile(
    r"^(?:author|autor|auteur|byline|zuozhe|redaktor|writer|journalist|creator)"
)
_DATE_NAMES = listed(
    "date time datetime published publish pubdate datum dateline datepublished timestamp posted"
    " fecha data created meta entry info pubtime"
)
_READERS = listed(
    "comment comments commentlist commentary reply replies respond discussion related teaser"
)

# Words that may precede a byline marker, as in "Text von", "Posted by" and "Ein Gastbeitrag von". A
# date in between has been replaced by a vertical bar.
_BEFORE_MARK = (
    "text|words|written|blog\\w*|posted?|story|article|review|opinion|column|published|report(?:ed)?"
    "|last|edited|on|at|artikel|beitrag|ein|eine|gast\\w*|kolumne|kommentar|essay|rezension|analyse"
    "|geschrieben|verfasst|veröffentlicht|erstellt|eingestellt|gepostet|am|um|uhr|publié|écrit|rédigé"
    "|recueilli|le|escrito|publicado|el|scritto|pubblicato|il|dodane|opublikowan\\w+|опубликовано"
)
_MARKED = re.compile(
    rf"(?:^|(?<=\w)[^\w|]*+\|)\W*(?:(?:{_BEFORE_MARK})\W+){{0,4}}(?:{BYLINE_MARKS})(?:\s*[:：|/]\s*|\s+)"
    r"(?P<names>\S.*)$",
    re.IGNORECASE,
)
_UPDATED = re.compile(
    r"updat|modif|aktualisier|zuletzt|stand\s*:|mis(?:e)? à jour|actualiz|aggiorna|atualiza"
    r"|bijgewerkt|aktualizacj|обновл|更新|修改|gewijzigd|oppdatert|uppdater|päivitetty|edited",
    re.IGNORECASE,
)
_PUBLISHED = re.compile(
    r"publi|posted|veröffentlich|erschienen|erstellt|geplaatst|opublikowan|dodano|опублик"
    r"|pubblicat|发布|发表|发稿|時間|时间|日期|datum|date\b|data\b|fecha|julkaistu|le\s+\d",
    re.IGNORECASE,
)
_RANKS: Mapping[Place, int] = {"before": 0, "opening": 1, "above": 3, "closing": 5, "after": 7}
_UNMARKED_RANKS: Mapping[Place, int] = {
    "before": 2,
    "opening": 4,
    "above": 4,
    "closing": 6,
    "after": 8,
}


def shown_authors(notes: Sequence[Note], sites: Collection[str] = ()) -> tuple[str, ...]:
    """Return the displayed authors found by the most reliable indicator that yields any.

    The indicators, in order of reliability: an element whose names indicate an author; the text
    after a byline marker ("By", "Von", "作者："); a line with a date; a name that starts a line
    about a person.
    """
    for place in ("before", "above", "opening", "closing", "after"):
        here = [note for note in notes if note.place == place and _may_name(note)]
        for read in (_named, _marked, _dated, _presented):
            for found in read(here):
                names = names_in(found.text, sites, is_byline=not found.is_account)
                if names:
                    return without_repeats(names)
    if any(contains_any(note.text, HAN) for note in notes):
        # Imported here because its patterns take 50 ms to compile, and few pages are Chinese.
        from detourage.metadata.chinese import chinese_bylines

        for text in chinese_bylines(notes):
            names = names_in(text, sites, is_byline=True)
            if names:
                return names
    return ()


class _NameSource(NamedTuple):
    """A text that may contain names; an account name may have any form."""

    text: str
    is_account: bool = False


def _may_name(note: Note) -> bool:
    return len(note.text) <= MAX_BYLINE and not _is_of_readers(note)


def _is_of_readers(note: Note) -> bool:
    """Return whether a line is part of a comment or teaser.

    Lines between headline and body never are, although a byline may include a comment count.
    """
    return note.place != "before" and not _READERS.isdisjoint(note.names)


def _named(notes: Sequence[Note]) -> Iterator[_NameSource]:
    """Yield the texts of elements whose classes or IDs indicate an author."""
    for note in notes:
        parts = [part.text for part in note.parts if _is_author(part)]
        if parts:
            found = ", ".join(without_dates(part) for part in parts)
            yield _NameSource(found)
            if not names_in(found, is_byline=True):
                yield from _account(without_mark(found))


def _account(text: str) -> Iterator[_NameSource]:
    """Yield the name of an account if a byline consists of nothing else."""
    found = text.strip(" \t|·,.:()")
    if re.fullmatch(r"[\w.-]{3,24}", found) and not found.isdigit():
        yield _NameSource(found, is_account=True)


def _is_author(part: Part) -> bool:
    return any(_AUTHOR_NAME.match(name) for name in part.names)


def _marked(notes: Sequence[Note]) -> Iterator[_NameSource]:
    """Yield the text after a byline marker, on the same line or else on the next one."""
    for note, following in zip_longest(notes, notes[1:]):
        rest = without_dates(note.text)
        if following is not None and not without_mark(note.text):
            rest = f"{note.text} {without_dates(following.text)}"
        match = _MARKED.search(rest)
        if match:
            names = names_in(match["names"], is_byline=True)
            if not names and (rest != note.text or any(map(_is_author, note.parts))):
                yield from _account(match["names"])
            # A single word that follows a full name is a location or an agency.
            several = [name for name in names if " " in name]
            yield _NameSource(", ".join(several if names and " " in names[0] else names[:1]))


def _dated(notes: Sequence[Note]) -> Iterator[_NameSource]:
    """Yield names of two or more words on a line that contains nothing else but a date."""
    for note in notes:
        rest = without_dates(note.text)
        is_short = rest != note.text and len(rest) <= MAX_NAMES
        if note.place in ("before", "opening") and is_short and not contains_any(rest, HAN):
            names = names_in(rest, is_byline=True)
            yield _NameSource(", ".join(name for name in names if " " in name))


def _presented(notes: Sequence[Note]) -> Iterator[_NameSource]:
    """Yield the name at the start of a line about a person ("**Jane Doe** is the author of …")."""
    for note in notes:
        first, *rest = (part.text for part in note.parts)
        goes_on = note.place == "before" and rest and rest[0][0].islower()
        if goes_on and " " in first and names_in(first, is_byline=True) == (first,):
            yield _NameSource(first)


class DisplayedDate(NamedTuple):
    """A date that a page displays.

    `rank` orders dates by the probability that they are the article's, most probable first.
    """

    moment: Moment
    rank: int
    is_marked: bool = True


def shown_dates(
    notes: Iterable[Note], language: str | None
) -> tuple[list[DisplayedDate], list[DisplayedDate]]:
    """Return the displayed publication and modification dates, most probable first."""
    published: list[DisplayedDate] = []
    modified: list[DisplayedDate] = []
    for note in notes:
        shown = _date_of(note, language)
        if shown is not None:
            (modified if _is_of_update(note) else published).append(shown)
    by_rank = attrgetter("rank")
    return sorted(published, key=by_rank), sorted(modified, key=by_rank)


def _date_of(note: Note, language: str | None) -> DisplayedDate | None:
    """Return the date stated by a line, or None if there is none or the line is prose."""
    is_teaser = note.place == "after" and note.is_linked
    if len(note.text) > MAX_BYLINE or is_teaser or _is_of_readers(note):
        return None
    moment = parse_moment(note.moment, language) if note.moment else None
    moment = moment or next(find_moments(note.text, language), None)
    if moment is None:
        return None
    if note.names & _DATE_NAMES or _PUBLISHED.search(note.text) or note.moment:
        return DisplayedDate(moment, _RANKS[note.place])
    if len(without_dates(note.text)) <= MAX_BESIDE_DATE:
        return DisplayedDate(moment, _UNMARKED_RANKS[note.place], is_marked=False)
    return None


def _is_of_update(note: Note) -> bool:
    is_updated = "updated" in note.names or _UPDATED.search(note.text) is not None
    return is_updated and _PUBLISHED.search(note.text) is None
