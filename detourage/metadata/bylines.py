"""Authors and dates displayed next to an article."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from operator import attrgetter
from typing import NamedTuple

from detourage.metadata.surroundings import Note, Part, Place
from detourage.text.calendars import is_weekday
from detourage.text.dates import Moment, find_dates, find_moments, parse_moment, without_dates
from detourage.text.relative import find_relative, is_past
from detourage.text.words import CLOSING, MARKS, UNSPACED_MARKS, contains_any, listed, squash

MAX_NAME_WORDS = 5  # words in a name, without particles, as in "María del Carmen López García"
MAX_NAME_CHARACTERS = 50  # length of a name, in characters
MAX_CHARACTERS = 1_000  # length of a value, in characters; the rest is ignored
MAX_AUTHORS = 12  # authors; a longer list contains something else

HAN = "\u3400-\u4dbf\u4e00-\u9fff"
"""Chinese characters, for use inside a character class."""

BYLINE_MARKS = (
    "by|von|par|por|di|da|door|av|af|przez|autor(?:en|in|es|a|zy|ka)?|authors?|as told to"
    "|auteurs?|autrice|autori|autore|författare|skribent|journalist|kirjoittaja|toimittaja"
    "|szerző|írta|yazar|penulis|oleh|tekst|text|texte|testo|texto|words|reporter"
    "|propos recueillis par|a cura di|napisał(?:a)?|opracował(?:a)?|oprac\\.|piše|scris de"
    "|автор(?:ы)?|текст|журналист|корреспондент|від|του|της|γράφει ο|γράφει η|συντάκτης"
    "|συντάκτρια|подготовила?|підготува(?:в|ла)|записала?|беседовала?|пише"
    "|كتبه?|كتبت|بقلم|الكاتب|מאת|به قلم|نویسنده|โดย|เขียนโดย"
)
"""Regular expression for the words that introduce an author in a byline."""

# Words that introduce an author before a colon or in an element of their own.
_LABELS = (
    "editors?|contributors?|story|writers?|editing|redakt(?:ion|or|orka|ør|ör)|bericht|interview"
    "|rédaction|redacci(?:ó|ón)|redação|redazione|redactie|redakcja|reportagem?|reportaje|firma"
    "|redactor|teksti|tekstas?|teksts|besedilo|avtor(?:ica)?|autor(?:ul|ka|ė|ius|s|i)?|аутор|авторка"
    "|haber|yazı|yazan|muhabir|röportaj|editör|müəllif|kirjutas|parengė|laporan|wartawan"
    "|tác giả|người viết|bài|de|deur|nga|gan|κείμενο|ρεπορτάζ|επιμέλεια|հեղինակ|ავტორი"
    "|إعداد|تحرير|المؤلف|تقرير|حوار|گزارش|نگارنده|خبرنگار|تهیه|مصنف|تحریر|رپورٹ|כתבת?"
    "|लेखक|लेखिका|लेखन|रिपोर्ट|संवाददाता|द्वारा|লেখক|প্রতিবেদক|লিখেছেন|ஆசிரியர்|எழுதியவர்"
    "|రచయిత|લેખક|ਲੇਖਕ|ಲೇಖಕ|ലേഖകൻ|ผู้เขียน|เรื่อง"
)
_UNSPACED_LABEL = (
    "作者|记者|記者|著者|筆者|撰文者?|撰稿人?|采写|取材|執筆|文章?|编辑|編輯|構成|聞き手|ライター"
    "|글쓴이|작성자|글|취재|저자"
)

# Words that may precede a byline marker, as in "Text von", "Posted by" and "Ein Gastbeitrag von". A
# date in between has been replaced by a vertical bar.
_BEFORE_MARK = (
    "text|words|written|blog\\w*|posted?|story|article|review|opinion|column|published|report(?:ed)?"
    "|reporting|last|edited|on|at|artikel|beitrag|bericht|ein|eine|gast\\w*|kolumne|kommentar|essay"
    "|rezension|analyse"
    "|geschrieben|verfasst|veröffentlicht|erstellt|eingestellt|gepostet|am|um|uhr|publié|écrit|rédigé"
    "|recueilli|le|escrito|redigido|publicado|el|scritto|pubblicato|il|skrevet|skriven|geschreven"
    "|dodane|opublikowan\\w+|опубликовано|материал"
)
_AFTER_MARK = r"\s*[:：|¦/＝=・]\s*"
_MARK = re.compile(
    rf"^\W*+(?:(?:(?:{_BEFORE_MARK})\W+){{0,4}}(?:{BYLINE_MARKS})(?:{_AFTER_MARK}|\s+|$)"
    rf"|(?:{_LABELS})(?:{_AFTER_MARK}|\s[-–—]\s|\s*+$)"
    rf"|(?:{_UNSPACED_LABEL})(?:[・·/](?:{_UNSPACED_LABEL}))?(?:{_AFTER_MARK}|$|(?<=글)\s+))",
    re.IGNORECASE,
)
# Credits of pictures, editors and translators.
_CREDIT = re.compile(
    r"(?:(?<!\s)\s+)?+(?:\b(?:photos?|photography|fotos?|fotografie|images?|illustrations?|bild(?:er)?"
    r"|edit(?:ing|ed) by|translat(?:ed|ion) by|übersetzt von|übersetzung|traduit par|traducción"
    r"|zdjęcia|фото)\b|摄影|图/|[©ⓒ]).*$",
    re.IGNORECASE | re.DOTALL,
)
_JOINING = "and|und|et|en|och|og|ja|és|ve|та|και|with|mit|avec|con|(?-i:[yeiий])"
_LISTING = r"[;|¦•·/、,，；\n&＆،]"
_BETWEEN = re.compile(
    rf"(?:(?<!\s)\s+)?(?:{_LISTING}(?:\s*+(?P<joining>[&＆]|(?:{_JOINING})\s))?"
    rf"|\s(?P<joining2>im gespräch mit|in conversation with|{_JOINING})\s|\s[-–—]\s)\s*",
    re.IGNORECASE,
)
# Surnames may consist of two names: "Ramos y Cajal", "Pinto e Castro".
_IN_SURNAMES = listed("y e i")
_ADDRESS = re.compile(r"https?:|www\.|\S@\S|^/|\.(?:com|net|org|html?|php)\b", re.IGNORECASE)
_ADDRESSES = re.compile(r"(?<!\S)(?:https?:|www\.|[^\s@(<]++@)[^\s(<]*+", re.IGNORECASE)
# An unclosed bracket matches up to the end of the line.
_IN_BRACKETS = re.compile(r"(?:(?<!\s)\s+)?+[(（\[【<][^)）\]】>\n]*+[)）\]】>]?+")
_NOT_IN_BYLINES = re.compile(r"[\d:：?!]")
_EDGES = " \t()[]\"'“”„«»‚‘’*:：.,;|¦-–—/·•›»>_"
# Words that introduce a person's employer, place or subject.
_CIRCUMSTANCE = re.compile(
    r"(?:^|\s)(?:[Ff]or|in|at|on|from|via|is|für|aus|bei|dans|pour|à|chez|para|desde|em|voor|per|dla"
    r"|для|в)(?=\s|$)"
)
_DATED = re.compile(
    r"\s(?:(?:last )?updated|(?:first )?published|posted|aktualisiert|zuletzt|veröffentlicht|publié"
    r"|mis à jour|publicado|actualizado|atualizado|aggiornato|pubblicato|bijgewerkt|gepubliceerd"
    r"|aktualizacja|opublikowano|обновлено|опубликовано|\d)\b",
    re.IGNORECASE,
)
_PERSON_TITLE = re.compile(
    r"^(?:[^,]*[支本]社|[^,]*支局)(?:[\s　・]\s*)|^\w{1,10}=(?=[가-힣]{2,4}\b)"
    r"|(?<=\w)\s?(?:記者|特派員|論説委員|編集委員|기자|특파원|논설위원|통신원)$"
)
_LAST_FIRST = re.compile(
    r"^([^\W\d_][^\s,;]*[^\W\d_.]),\s*([^\W\d_][^\s,;]*(?:\s(?:[^\W\d_]\.|[a-z]{1,3}))*+)$"
)

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
    " last update updates location redaksi редакция newsdesk 著者 筆者 原创 原創 本报讯 编辑部"
)
_ROLES = listed(
    "editor correspondent reporter columnist writer journalist producer photographer director"
    " engineer president professor technologist scientist analyst manager officer fellow researcher"
    " redakteur redakteurin redactor redactora redacteur korrespondent korrespondentin reporterin"
    " journaliste journalistin periodista giornalista dziennikarz dziennikarka correspondant"
    " correspondante corresponsal corrispondente journalistka muhabir editörü"
    " корреспондент редактор обозреватель журналист"
)
_ORGANISATIONS = listed(
    "project institute university center centre foundation division department ministry group"
    " society association committee council school college programme program studio press"
)
_NOT_PERSONS = _NO_NAME | _ROLES | _ORGANISATIONS
# Words that occur in company names, but not in persons' names.
_LEGAL_FORMS = listed("gmbh mbh ag kg inc llc ltd limited corp corporation plc mediengruppe")
_DEGREES = listed("cfp cpa cfa phd md mba dds esq rn jd llm msc bsc ma ba mph dvm pharmd edd psyd")
_PARTICLES = listed(
    "von van de der den del della di da dos das do du des la le las los el al bin ibn ben y e und"
    " zu zur zum vom ter ten te af av st o d l mac mc abu bint and et og och en ja i 't"
)
_NOT_NAMED_FIRST = _NO_NAME | _ROLES | _DEGREES
_NO_PSEUDONYM = _NO_NAME | _PARTICLES
_ELIDED = re.compile(r"[dl]['’‘](?=[^\W\d_])|al-")
_HAN_NO_NAME = re.compile(
    "关闭|打印|评论|来源|发表|转载|出自|简介|本站|未知|佚名|网友|编辑|记者|作者|時間|时间"
)


@cache
def _han_names() -> re.Pattern[str]:
    """Return the pattern for the spaces between Chinese names."""
    return re.compile(rf"(?<=[{HAN}]{{2}})\s+(?=[{HAN}]{{2}})")


def names_in(text: str, sites: Collection[str] = (), *, is_byline: bool = False) -> tuple[str, ...]:
    """Split the value of an author field or a byline into names, without those of `sites`."""
    return names_of((Part(text),), sites, is_byline=is_byline)


def names_of(
    pieces: Iterable[Part], sites: Collection[str] = (), *, is_byline: bool = False
) -> tuple[str, ...]:
    """Return the names in the pieces of a byline, as `names_in` does for a single text.

    The text after a job title, "for" or "in" describes the person, up to the next "and"; so does
    unlinked text after a linked name, unless it continues with "and".
    """
    names: dict[str, None] = {}
    is_open, was_linked = True, False
    for text, _, is_linked in pieces:
        segments = [*_segments(text, is_byline=is_byline)]
        is_marked = is_byline or without_mark(text) != text
        is_list = any(is_joined for is_joined, _ in segments)
        for is_joined, segment in segments:
            is_open |= is_joined
            is_description = was_linked and not (is_linked or is_list)
            if not is_open or not segment:
                continue
            found, may_continue = _person(segment, is_byline=is_marked)
            is_open = may_continue or not names
            if is_description:
                continue
            name = found.strip(_EDGES)
            name += "." if name.endswith((" Jr", " Sr")) else ""
            # A single word that follows a full name is a location or an agency.
            is_place = is_byline and not is_joined and " " in next(iter(names), "")
            if (
                (" " in name or not is_place or contains_any(name, HAN))
                and _is_name(name, is_byline=is_byline)
                and squash(name) not in sites
            ):
                names[name] = None
                was_linked |= is_linked
    return tuple(names) if len(names) <= MAX_AUTHORS else ()


def _segments(text: str, *, is_byline: bool) -> Iterator[tuple[bool, str]]:
    """Yield the parts of a list of names, and whether a word for "and" precedes each."""
    text = text[:MAX_CHARACTERS]
    bare = _ADDRESSES.sub(" ", text)
    if bare != text:
        # An account may be followed by a name in brackets.
        text = bare if _IN_BRACKETS.sub("", bare).strip(_EDGES) else bare.strip(" ()<>")
    if _ADDRESS.search(text) and " " not in text.strip():
        return
    text = _CREDIT.sub("", _IN_BRACKETS.sub(" ", without_mark(text)))
    if not is_byline:
        text = ";".join(_LAST_FIRST.sub(_in_order, each.strip()) for each in text.split(";"))
    first, *others = _BETWEEN.split(f" {text} ")
    segments = [(False, first.strip())]
    for listed_join, join, segment in zip(*(others[place::3] for place in range(3)), strict=True):
        found = segment.strip()
        was_joined, last = segments[-1]
        if (join or "").lower() in _IN_SURNAMES and " " in last and found and " " not in found:
            segments[-1] = was_joined, f"{last} {join} {found}"
        else:
            segments.append((bool(listed_join or join), found))
    for is_joined, segment in segments:
        split = _han_names().split(segment) if contains_any(segment, HAN) else (segment,)
        for each in split:
            yield is_joined, each


def _in_order(match: re.Match[str]) -> str:
    """Return "First Last" for "Last, First"."""
    last, first = match.groups()
    are_names = last[0].isupper() and first[0].isupper() and not last.isupper()
    is_known = {last.lower(), first.lower()} & _NOT_NAMED_FIRST
    return f"{first} {last}" if are_names and not is_known else match[0]


def _person(segment: str, *, is_byline: bool) -> tuple[str, bool]:
    """Return a segment without descriptions of the person, and whether other names may follow."""
    found = _PERSON_TITLE.sub("", without_mark(segment).strip(_EDGES))
    is_open = True
    if is_byline:
        cut = _CIRCUMSTANCE.search(found) or _DATED.search(found)
        if cut and (cut.start() == 0 or " " in found[: cut.start()]):
            found, is_open = found[: cut.start()], False
    words = [word.strip(".").lower() for word in found.split()]
    roles = [place for place, word in enumerate(words) if word in _ROLES]
    if roles and is_byline and len(words) - roles[-1] in (3, 4):
        # "Political Editor Jane Doe"
        return " ".join(found.split()[roles[-1] + 1 :]), is_open
    return found, is_open and not roles


def without_mark(text: str) -> str:
    """Remove the words that introduce a byline."""
    return _MARK.sub("", text, count=1)


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
    if not words or len(name) > MAX_NAME_CHARACTERS:
        return False
    if _ADDRESS.search(name) or not any(character.isalpha() for character in name):
        return False
    lowered = [word.strip(".").lower() for word in words]
    if sum(word not in _PARTICLES for word in lowered) > MAX_NAME_WORDS:
        return False
    if all(word in _NO_NAME or word in _PARTICLES for word in lowered) or len(name) < 2:
        return False
    if not _LEGAL_FORMS.isdisjoint(lowered):
        return False
    if len(words) == 1 and (squash(name) in _DEGREES or is_weekday(name) or name[0] == "@"):
        return False
    if not is_byline:
        return True
    if lowered[-1] in _PARTICLES or any(word in _NOT_PERSONS for word in lowered):
        return False
    if _NOT_IN_BYLINES.search(name) or _HAN_NO_NAME.search(name) or is_weekday(name):
        return False
    return all(
        not word[0].islower() or plain in _PARTICLES or _ELIDED.match(word)
        for word, plain in zip(words, lowered, strict=True)
    )


MAX_BYLINE = 120  # length, in characters, of a line that introduces an author

MAX_DATE_TEXT = 60  # length, in characters, of the text around an unmarked date; longer is prose
MAX_IN_PARTS = 100  # length, in characters, of a line whose elements are read one by one
MAX_UNMARKED = 40  # length, in characters, of names next to a date, without a word such as "By"

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

_MARKED = re.compile(
    rf"(?:^|(?<=\w)[^\w|]*+\|)\W*(?:(?:{_BEFORE_MARK})\W+){{0,4}}"
    rf"(?:{BYLINE_MARKS})(?:{_AFTER_MARK}|\s+)(?P<names>\S.*)$",
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
_UNMARKED: Mapping[Place, int] = {"before": 2, "opening": 4, "above": 4, "closing": 6, "after": 8}


def shown_authors(notes: Sequence[Note], sites: Collection[str] = ()) -> tuple[str, ...]:
    """Return the displayed authors found by the most reliable indicator that yields any."""
    for place in ("before", "above", "opening", "closing", "after"):
        here = [
            note
            for note in notes
            if note.place == place and len(note.text) <= MAX_BYLINE and not _is_comment(note)
        ]
        for read in (_from_author_elements, _from_markers, _from_dated_lines, _from_descriptions):
            for found in read(here):
                names = names_of(found.pieces, sites, is_byline=not found.is_account)
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
    """Texts that may contain names; if `is_account`, the name may have any form."""

    pieces: tuple[Part, ...]
    is_account: bool = False


def _is_comment(note: Note) -> bool:
    """Return whether a line, unless it is between headline and body, is in a comment or teaser."""
    return note.place != "before" and not _READERS.isdisjoint(note.names)


def _from_author_elements(notes: Sequence[Note]) -> Iterator[_NameSource]:
    """Yield the texts of elements whose classes or IDs indicate an author."""
    for note in notes:
        pieces = tuple(
            part._replace(text=without_dates(part.text)) for part in note.parts if _is_author(part)
        )
        if pieces:
            yield _NameSource(pieces)
            if not names_of(pieces, is_byline=True):
                yield from _account(" ".join(piece.text for piece in pieces))
                for piece in filter(_is_pseudonym, pieces):
                    yield _NameSource((piece,), is_account=True)


def _account(text: str) -> Iterator[_NameSource]:
    """Yield the name of an account if a byline consists of nothing else."""
    found = without_mark(text).strip(" \t|¦·,.:()")
    if re.fullmatch(r"[\w.-]{3,24}", found) and not found.isdigit():
        yield _NameSource((Part(found),), is_account=True)


def _is_pseudonym(piece: Part) -> bool:
    """Return whether a text is linked and may be a name in lower case, as in "bell hooks"."""
    words = piece.text.split()
    return (
        piece.is_linked
        and 1 < len(words) <= 3
        and all(word.isalpha() and word not in _NO_PSEUDONYM for word in words)
    )


def _is_author(part: Part) -> bool:
    return any(_AUTHOR_NAME.match(name) for name in part.names)


def _from_markers(notes: Sequence[Note]) -> Iterator[_NameSource]:
    """Yield the text after a byline marker, on the same line or else on the next one."""
    for note, following in zip_longest(notes, notes[1:]):
        parts = [*note.parts]
        rest = without_dates(note.text)
        if following is not None and not without_mark(note.text):
            parts += following.parts
            rest = f"{note.text} {without_dates(following.text)}"
        if len(parts) > 1 and len(rest) <= MAX_IN_PARTS and rest[-1:] not in ".!?":
            pieces = _after_mark(parts)
            if pieces and " " in next(iter(names_of(pieces[:1], is_byline=True)), ""):
                yield _NameSource(pieces)
        match = _MARKED.search(rest)
        if match:
            names = names_in(match["names"], is_byline=True)
            if not names and (rest != note.text or any(map(_is_author, note.parts))):
                yield from _account(match["names"])
            yield _NameSource((Part(", ".join(names if names and " " in names[0] else names[:1])),))


def _after_mark(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return the texts of the parts after a byline marker that only dates precede."""
    pieces = [part._replace(text=without_dates(part.text).strip(_EDGES)) for part in parts]
    pieces = [piece for piece in pieces if piece.text]
    if not pieces or without_mark(pieces[0].text) == pieces[0].text:
        return ()
    first = pieces[0]._replace(text=without_mark(pieces[0].text))
    return tuple(pieces[1:]) if not first.text else (first, *pieces[1:])


def _from_dated_lines(notes: Sequence[Note]) -> Iterator[_NameSource]:
    """Yield names of two or more words on a line that contains nothing else but a date."""
    for note in notes:
        rest = without_dates(note.text)
        is_short = rest != note.text and len(rest) <= MAX_UNMARKED
        if note.place in ("before", "opening") and is_short and not contains_any(rest, HAN):
            names = names_in(rest, is_byline=True)
            yield _NameSource((Part(", ".join(name for name in names if " " in name)),))


def _from_descriptions(notes: Sequence[Note]) -> Iterator[_NameSource]:
    """Yield the name at the start of a line about a person ("**Jane Doe** is the author of …")."""
    for note in notes:
        first, *rest = (part.text for part in note.parts)
        is_sentence = note.place == "before" and rest and rest[0][0].islower()
        if is_sentence and " " in first and names_in(first, is_byline=True) == (first,):
            yield _NameSource((Part(first),))


class DisplayedDate(NamedTuple):
    """A date that a page displays; the lower its rank, the likelier it is the article's."""

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
            for moment, is_update in _by_mark(note, shown.moment, language):
                (modified if is_update else published).append(shown._replace(moment=moment))
    by_rank = attrgetter("rank")
    return sorted(published, key=by_rank), sorted(modified, key=by_rank)


def _date_of(note: Note, language: str | None) -> DisplayedDate | None:
    """Return the date stated by a line, or None if there is none or the line is prose."""
    is_teaser = note.place == "after" and note.is_linked
    if len(note.text) > MAX_BYLINE or is_teaser or _is_comment(note):
        return None
    moment = parse_moment(note.moment, language) if note.moment else None
    moment = moment or next(find_moments(note.text, language), None)
    if moment is None:
        return None
    if note.names & _DATE_NAMES or _PUBLISHED.search(note.text) or note.moment:
        return DisplayedDate(moment, _RANKS[note.place])
    rest = without_dates(note.text)
    # A sentence around a date reports an event.
    is_sentence = _SENTENCE_END.search(rest) is not None and (
        rest.count(" ") >= MIN_SENTENCE_SPACES or rest[-1] in UNSPACED_MARKS
    )
    is_prose = is_sentence and _UPDATED.search(rest) is None
    if len(rest) <= MAX_DATE_TEXT and not is_prose:
        return DisplayedDate(moment, _UNMARKED[note.place], is_marked=False)
    return None


MIN_SENTENCE_SPACES = 3  # spaces in a sentence; a text with fewer may be a label with a full stop

_SENTENCE_END = re.compile(rf"[{MARKS}{UNSPACED_MARKS}][{re.escape(CLOSING)}]*$")


def _by_mark(note: Note, moment: Moment, language: str | None) -> Iterator[tuple[Moment, bool]]:
    """Yield each date of a line, and whether the words before it identify it as an update."""
    if _UPDATED.search(note.text) is not None:
        end = -1
        dates = []
        for found in sorted(find_dates(note.text, language), key=attrgetter("start")):
            if found.start >= end:
                dates.append(found)
                end = found.end
        if len(dates) > 1:
            start = 0
            for found in dates:
                before = note.text[start : found.start]
                start = found.end
                is_same = moment.day == found.moment.day
                yield moment if is_same else found.moment, _UPDATED.search(before) is not None
            return
    yield moment, _is_update(note)


def _is_update(note: Note) -> bool:
    is_updated = not _UPDATE_NAMES.isdisjoint(note.names) or _UPDATED.search(note.text) is not None
    return is_updated and _PUBLISHED.search(note.text) is None


_UPDATE_NAMES = frozenset(("updated", "modified", "datemodified"))

MAX_AGE_WORDS = 4  # words around an unmarked age ("3 hours ago"); longer text is prose


def shown_age(notes: Iterable[Note]) -> str:
    """Return the age of the article displayed next to the headline, or an empty string."""
    for note in notes:
        if len(note.text) > MAX_BYLINE or _is_comment(note) or _is_update(note):
            continue
        span = find_relative(note.text)
        if span is None or not is_past(note.text[slice(*span)]):
            continue
        rest = note.text[: span[0]] + note.text[span[1] :]
        is_marked = note.names & _DATE_NAMES or _PUBLISHED.search(rest)
        is_short = note.place == "before" and len(rest.split()) <= MAX_AGE_WORDS
        if note.place in ("above", "before", "opening") and (is_marked or is_short):
            return note.text[slice(*span)]
    return ""
