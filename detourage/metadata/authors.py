"""Author names, extracted from declared values and bylines."""

import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import cache

from detourage.text.calendars import is_weekday
from detourage.text.wordlists import listed
from detourage.text.words import contains_any

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
