"""Authors and dates displayed next to an article."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile, zip_longest
from operator import attrgetter
from typing import NamedTuple

from detourage.metadata.surroundings import Meaning, NearbyLine, Part, Place
from detourage.text.caches import cached_if_short
from detourage.text.calendars import is_weekday
from detourage.text.dates import Moment, find_dates, find_moments, parse_moment, without_dates
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.words import CLOSING, MARKS, UNSPACED_MARKS, contains_any, squash, word_set

TITLED_NAME_WORDS = 2  # words in a name before a job title without a comma
MAX_NAME_WORDS = 5  # words in a name, without particles, as in "María del Carmen López García"
MAX_NAME_CHARACTERS = 50  # length of a name, in characters
MAX_CHARACTERS = 1_000  # length of a declared value, in characters; the rest is ignored
MAX_AUTHORS = 12  # number of authors; a longer list does not consist of authors
HAN = "\u3400-\u4dbf\u4e00-\u9fff"  # Chinese characters, for use inside a character class
HANGUL = "\uac00-\ud7a3"  # Korean syllables
# Regular expression for the words that introduce an author in a byline.
BYLINE_MARKS = (
    "by|von|par|por|di|da|door|av|af|przez|autor(?:en|in|es|a|zy|ka)?|authors?|as told to"
    "|auteurs?|autrice|autori|autore|författare|skribent|journalist|kirjoitta(?:ja|nut)|toimittaja"
    "|szerzők?|írta|yazar|hazırlayan|kaleme alan|penulis|oleh|tekst|text|texte|testo|texto|words"
    "|reporter|(?:de|par) notre correspondante?|propos recueillis par|a cura di|napisał[ai]?"
    "|opracował[ai]?|oprac\\.|rozmawiała?|p[ií]še|pisze|napsal[ai]?|připravil[ai]?|napísal[ai]?"
    "|napisa[ol]|scris de|автор[иы]?|текст|журналист"
    "|корреспондент|від|των?|του|τους?|της?|από τ(?:ον|ην)|γράφ(?:ει|ουν) (?:ο|η|οι)|συντάκτης"
    "|συντάκτρια|подготовил[аи]?|підготува(?:в|ла|ли)|записал[аи]?|записа(?:в|ла)|беседовал[аи]?"
    "|пише|كتبه?|كتبت|بقلم|الكاتب|מאת|به قلم|نوشته|نویسند(?:ه|گان)|โดย|เขียนโดย|เรื่องโดย|লিখেছেন"
)
# Words that introduce an author only before a colon or as the whole text of an element.
_LABELS = (
    "editors?|contributors?|story|writers?|editing|redakt(?:ion|or|orka|ør|ör)|bericht|interview"
    "|rédaction|redacci(?:ó|ón)|redação|redazione|redactie|redakcja|reportagem?|reportaje|firma"
    "|redactora?|teksti|tekstas?|teksts|besedilo|avtor(?:ica)?|autor(?:ul|ka|ė|ius|s|i)?|аутор|авторка"
    "|haber|yazı|yazan|muhabir|röportaj|editör|müəllif|kirjutas|parengė|laporan|wartawan|pewarta"
    "|tác giả|người viết|bài(?: viết)?|thực hiện|phóng viên|de|deur|nga|gan|szöveg"
    "|autor(?:ka)? (?:tekstu|artykułu|textu|článku|članka)"
    "|автор\\w* (?:на )?(?:стат|текст|матер|публ)\\w+|κείμενο|ρεπορτάζ|επιμέλεια|հեղինակ|ავტორი"
    "|репортаж|інтерв['’]ю|интервью"
    "|إعداد|تحرير|المؤلف|المحرر|كتابة|تقرير|حوار|حاوره?ا?|گزارش|نگارنده|خبرنگار|تهیه|مصنف|تحریر|رپورٹ"
    "|כתב[הת]?|כותב(?:ת|ים)?|लेखक|लेखिका|लेखन|रिपोर्टर?|संवाददाता|द्वारा|লেখা|লেখক|প্রতিবেদ[কন]"
    "|ஆசிரியர்|எழுதியவர்|రచయిత|લેખક|ਲੇਖਕ|ಲೇಖಕ|ലേഖകൻ|ผู้เขียน|ผู้สื่อข่าว|เรื่อง"
)
_UNSPACED_LABEL = (
    "作者|记者|記者|著者|筆者|撰文者?|撰稿人?|采写|採訪|采访|取材|執筆|图文|文章?|文字|编辑|編輯|構成|聞き手"
    "|ライター|글쓴이|작성자|글|취재|저자"
)
# Words for pictures, whose authors are not those of the text
_PICTURES = (
    "photos?|photographs|photography|pictures|images?|illustrations?|fotos?|foto['’]s|fotografi\\w*"
    "|bild(?:er)?|billeder|kuvat?|valokuvat?|zdjęcia|snímky|фото\\w*|світлини|снимки|ảnh|fotoğraf\\w*"
    "|φωτογραφί\\w+|صور|تصوير|عکس|צילומים|ภาพ"
)
# Words that may precede those of `BYLINE_MARKS`, as in "Posted by" and "Ein Gastbeitrag von".
_BEFORE_MARK = (
    "text|words|written|blog\\w*|posted?|story|article|review|opinion|column|published|report(?:ed)?"
    "|reporting|analysis|interview|feature|commentary|compiled|contributed|authored"
    "|last|edited|on|at|artikel|beitrag|bericht|ein|eine|gast\\w*|kolumne|kommentar|essay"
    "|rezension|analyse|reportage|protokoll|ditulis|dibuat"
    "|geschrieben|verfasst|veröffentlicht|erstellt|eingestellt|gepostet|am|um|uhr|publié|écrit|rédigé"
    "|recueilli|le|escrito|redigido|publicado|el|scritto|pubblicato|il|skrevet|skriven|geschreven"
    "|dodane|opublikowan\\w+|опубликовано|материал"
)
# Words between which "de" or "di" introduces an author: "Un article de"
_ROMANCE_TEXT = (
    "article|texte|reportage|enquête|récit|texto|reportaje|artículo|crónica|reportagem|artigo"
    "|articolo|testo|servizio|inchiesta"
)
_AND = (
    "and|und|sowie|et|en|och|og|ja|és|ve|şi|și|oraz|та|και|with|mit|avec|con"
    "|(?-i:[yeiийіوו]|dan|và|u\\.|ও|और|एवं|اور|และ)"
)
_COLON = r"\s*[:：|¦｜/＝=・]\s*"
_WITH_PICTURES = rf"(?:\s*(?:[&+/,]|(?:{_AND})\s)\s*(?:{_PICTURES}))?"
_BYLINE_MARK = re.compile(  # "By ", "Text von ", "Text and photos by ", "Author:", "記者："
    rf"^\W*+(?:(?:{_LABELS}){_WITH_PICTURES}(?:{_COLON}|\s[-–—]\s|\s*+$)"
    rf"|(?:(?:una?|une|uma?)\s)?(?:{_ROMANCE_TEXT}){_WITH_PICTURES}\s(?:de|di)\s"
    rf"|(?:(?:{_BEFORE_MARK}){_WITH_PICTURES}\W+){{0,4}}(?:{BYLINE_MARKS}){_WITH_PICTURES}"
    rf"(?:{_COLON}|\s+|$)"
    rf"|(?:(?:写真|撮影|摄影|사진)[・·/])?(?:{_UNSPACED_LABEL})(?:[・·/](?:{_UNSPACED_LABEL}|写真|사진|图|圖))?(?:{_COLON}|$|(?<=[글진文真])\s+))",
    re.IGNORECASE,
)
_SECTION = lazy_pattern(rf"(?:^|.*\|)\W*(?:{_LABELS})\s*(?:[^\s\w:：]|$)", re.IGNORECASE)
# Labels of editors, and those before Chinese names, which are recognised by their surnames
_OTHER_LABEL = lazy_pattern(
    rf"\W*(?:editors?\b|editing\b|editör\b|redakt\w+|编辑|編輯"
    rf"|(?:本[报報])?(?:[记記]者|作者)(?!\s?[:：]\s?[{HAN}]{{3,5}}$))",
    re.IGNORECASE,
)
# Credits of pictures, editors, reviewers and translators, up to the end of the text.
_CREDIT = lazy_pattern(
    r"(?:(?<!\s)\s+)?+(?P<label>\b(?:photos?|photography|fotos?|fotografie|images?|bild(?:er)?|фото"
    r"|illustrations?|zdjęcia|editing by|(?:(?:medical|clinical|expert)ly )?(?:reviewed|edited) by"
    r"|fact[- ]?check(?:ed)?(?: by)?|translat(?:ed|ion)(?: from(?: the)? \w+)? by|çeviren"
    r"|(?:aus dem \w+ )?(?:übersetzt von|übersetzung)|(?:traduit|relu)(?: d[eu] (?:l['’])?\w+)? par"
    r"|(?:revisad|traduzid)[oa] por|tradu(?:ção|zione)|vertaald door|tłumaczenie|перевод)\b"
    r"|摄影|图/|编辑\s?[|｜:：]|[©ⓒ]).*$",
    re.IGNORECASE | re.DOTALL,
)
_LIST_MARKS = r"[;|¦•·/／、,，；\n&＆،]"
_BETWEEN_NAMES = lazy_pattern(
    rf"(?:(?<!\s)\s+)?(?:{_LIST_MARKS}(?:\s*+(?P<joining>[&＆]|(?:{_AND})\s))?"
    rf"|\s(?P<joining2>im gespräch mit|in conversation with|{_AND})\s|\s(?:--|[-–—+])\s)\s*",
    re.IGNORECASE,
)
# Arabic and Hebrew write "and" as part of the next word; the first names that begin with the same
# letter are those of one person.
_ATTACHED_AND = lazy_pattern(
    r"^(\S+\s\S+(?:\s\S+)??)\s[وו](?!ليد|ائل|سام|فاء|سيم|جدي|داد|حيد|רד\b|יקטור|יטלי)(?=\S{2,}\s\S)"
)
_OF_PICTURES = lazy_pattern(rf"[(\[](?:{_PICTURES})\W*[)\]]", re.IGNORECASE)
_IN_SURNAMES = word_set("y e i")  # between two surnames: "Ramos y Cajal", "Pinto e Castro"
_URL_OR_EMAIL = lazy_pattern(r"https?:|www\.|\S@\S|^/|\.(?:com|net|org|html?|php)\b", re.IGNORECASE)
_URLS_OR_EMAILS = lazy_pattern(r"(?<!\S)(?:https?:|www\.|[^\s@(<]*+@)[^\s(<]*+", re.IGNORECASE)
# An unclosed bracket matches up to the end of the line.
_IN_BRACKETS = lazy_pattern(r"(?:(?<!\s)\s+)?+[(（\[【<][^)）\]】>\n]*+[)）\]】>]?+")
_IS_TITLE = lazy_pattern(  # a job title or a date after a full name
    r"\d|\b(?:correspond[ae]nte?|korrespondent(?:in)?|editor|reporter(?:in)?|writer)$",
    re.IGNORECASE,
)
_NOT_IN_BYLINES = lazy_pattern(r"[\d:：?!]")
_AROUND_NAME = " \t()[]\"'“”„«»‚‘’*:：.,;|¦-–—/·•›»>_"
# Words that introduce a person's employer, place or subject: "Jane Doe in Paris"
_CIRCUMSTANCE = lazy_pattern(
    r"(?:^|\s)(?:[Ff]or|in|at|on|from|via|is|für|aus|bei|dans|pour|à|chez|para|desde|em|voor|per|dla"
    r"|для|в)(?=\s|$)"
)
_DATE_LABEL = lazy_pattern(  # " updated", " last updated", or a number
    r"\s(?:(?:last )?updated|(?:first )?published|posted|aktualisiert|zuletzt|veröffentlicht|publié"
    r"|mis à jour|publicado|actualizado|atualizado|aggiornato|pubblicato|bijgewerkt|gepubliceerd"
    r"|aktualizacja|opublikowano|обновлено|опубликовано|\d)\b",
    re.IGNORECASE,
)
_JAPANESE_KOREAN_TITLE = lazy_pattern(  # titles such as 記者 (reporter), and offices before a name
    r"^(?:[^,]*[支本]社|[^,]*支局)(?:[\s　・]\s*)|^\w{1,10}=(?=[가-힣]{2,4}\b)"
    r"|(?<=\w)\s?(?:記者|特派員|論説委員|編集委員|기자|특파원|논설위원|통신원)$"
)
_LAST_FIRST = lazy_pattern(  # "Doe, Jane"
    r"^([^\W\d_][^\s,;]*[^\W\d_.]),\s*([^\W\d_][^\s,;]*(?:\s(?:[^\W\d_]\.|[a-z]{1,3}))*+)$"
)
_ROLES = word_set(  # job titles
    "editor correspondent reporter columnist writer journalist producer photographer director"
    " engineer president professor technologist scientist analyst manager officer fellow researcher"
    " redakteur redakteurin redactor redactora redacteur korrespondent korrespondentin reporterin"
    " journaliste journalistin periodista giornalista dziennikarz dziennikarka correspondant"
    " correspondante corresponsal corrispondente journalistka muhabir editörü"
    " корреспондент редактор обозреватель журналист"
)
# Words in job titles, section names, buttons and account names, but not in persons' names.
_NON_NAME_WORDS = _ROLES | word_set(
    "admin administrator webmaster editors editorial staff team desk newsroom contributor"
    " contributors reporters correspondents writers author authors chief senior managing deputy"
    " freelance special political columnists guest updated published posted share comments comment"
    " follow email print read more view all posts articles article about here profile rédaction"
    " redaktor chefredakteur user artikel autor autoren autorin autorenseite eingestellt alle mehr"
    " name datum kommentar kommentare anonymous unknown none null undefined nan facebook twitter"
    " google written publisher publishing news nachrichten aktuelles link links website site"
    " online blog veröffentlicht erschienen publié publicado pubblicato opublikowano gepubliceerd"
    " redaktion redaktionsteam online-redaktion redacción redação redazione redakcja redactie last"
    " update updates location redaksi редакция newsdesk 입력 등록 수정 발행 著者 筆者 原创 原創"
    " 本报讯 编辑部"
)
_NON_PERSON_WORDS = _NON_NAME_WORDS | word_set(  # and words in the names of organisations
    "project institute university center centre foundation division department ministry group"
    " society association committee council school college programme program studio press"
)
# Words that occur in company names, but not in persons' names.
_LEGAL_FORMS = word_set("gmbh mbh ag kg inc llc ltd limited corp corporation plc mediengruppe")
_DEGREES = word_set(  # after names
    "cfp cpa cfa phd md mba dds esq rn jd llm msc bsc ma ba mph dvm pharmd edd psyd"
)
MAX_PARTICLE = 3  # letters in a particle in lower case that begins a name, such as "von"
MAX_DEGREE = 5  # letters in the abbreviation of a degree after a name, such as "FAND"
_PARTICLES = word_set(  # words of names that may be in lower case, as in "Ludwig van Beethoven"
    "von van de der den del della di da dos das do du des la le las los el al bin ibn ben y e und"
    " zu zur zum vom ter ten te af av st o d l mac mc abu bint wa ould and et og och en ja i 't"
)
_NON_FIRST_NAMES = _NON_NAME_WORDS | _DEGREES
_NON_PSEUDONYM_WORDS = _NON_NAME_WORDS | _PARTICLES
_ELIDED = lazy_pattern(r"[dl]['’‘](?=[^\W\d_])|al-")  # as in "Jeanne d'Arc"
_BETWEEN_HAN_NAMES = lazy_pattern(rf"(?<=[{HAN}]{{2}})\s+(?=[{HAN}]{{2}})")
_HAN_OFFICES = ("记者", "通讯员", "支局", "支社", "本社", "本报", "本報")
_HAN_NON_NAME_WORDS = lazy_pattern(  # words of buttons, labels and job titles
    "关闭|打印|评论|来源|报道|報導|发表|转载|出自|简介|本站|未知|佚名|网友|编辑|记者|作者|時間|时间"
)


def names_in(text: str, sites: Collection[str] = (), *, is_byline: bool = False) -> tuple[str, ...]:
    """Return the names in an author field or a byline, except those of `sites`; see `squash`."""
    return names_in_parts((Part(text),), sites, is_byline=is_byline)


def names_in_parts(
    parts: Iterable[Part], sites: Collection[str] = (), *, is_byline: bool = False
) -> tuple[str, ...]:
    """Return the names in the parts of a byline, as `names_in` does for a single text.

    Descriptions of persons are skipped. These extend from a job title, "for" or "in" to the next
    "and". Unlinked text after a linked name is also a description, unless it is a list.
    """
    names: dict[str, None] = {}
    may_be_name, was_linked, is_credited = True, False, False
    for text, _, is_linked in parts:
        was_credited, credit = is_credited, _CREDIT.search(text)
        is_credited = credit is not None and not text[credit.end("label") :].strip(_AROUND_NAME)
        if was_credited:
            continue
        segments = [*_segments(text, is_byline=is_byline)]
        is_marked = is_byline or without_mark(text) != text
        is_list = any(is_joined for is_joined, _ in segments)
        for is_joined, segment in segments:
            may_be_name |= is_joined
            is_description = was_linked and not (is_linked or is_list)
            if not may_be_name or not segment:
                continue
            name, may_continue = _without_description(segment, is_byline=is_marked)
            may_be_name = may_continue or not names
            if is_description:
                continue
            name = name.strip(_AROUND_NAME)
            name += "." if name.endswith((" Jr", " Sr")) else ""
            # After a full name, a single word is a location or an agency in a byline, and an
            # abbreviation a degree anywhere.
            is_degree = name.isupper() and name.isalpha() and len(name) <= MAX_DEGREE
            follows_name = not is_joined and " " in next(iter(names), "")
            is_place = (is_byline or is_degree) and follows_name
            first, *_ = name.split() or ("",)
            is_lower = first.islower() and not next(iter(names), "").islower()
            is_title = (is_lower and len(first) > MAX_PARTICLE) or _IS_TITLE.search(name)
            if follows_name and is_title:
                continue
            # "do Porto" and "aus Köln" have two words.
            is_short = " " not in name or (name[0].islower() and name.count(" ") == 1)
            if (
                (not is_short or not is_place or contains_any(name, HAN))
                and _may_be_author(name, is_byline=is_byline)
                and squash(name) not in sites
            ):
                names[name] = None
                was_linked |= is_linked
    return tuple(names) if len(names) <= MAX_AUTHORS else ()


def _segments(text: str, *, is_byline: bool) -> Iterator[tuple[bool, str]]:
    """Yield the items of a list of names, each with whether "and" joins it to the previous one."""
    text = text[:MAX_CHARACTERS]
    without_urls = _URLS_OR_EMAILS.sub(" ", text)
    if without_urls != text:
        # A name in brackets may follow an e-mail address: "jane@news.example (Jane Doe)".
        is_in_brackets = not _IN_BRACKETS.sub("", without_urls).strip(_AROUND_NAME)
        text = without_urls.strip(" ()<>") if is_in_brackets else without_urls
    if _URL_OR_EMAIL.search(text) and " " not in text.strip():
        return
    text = _OF_PICTURES.sub(_DROPPED, without_mark(text))
    text = _ATTACHED_AND.sub(r"\1, ", _CREDIT.sub("", _IN_BRACKETS.sub(" ", text)))
    if not is_byline:
        text = ";".join(_LAST_FIRST.sub(_in_order, each.strip()) for each in text.split(";"))
    first, *others = _BETWEEN_NAMES.split(f" {text} ")
    segments = [(False, first.strip())]
    # As the pattern has two groups, `split` returns their matches (", and" or "and") between names.
    for comma_and, only_and, name in zip(others[::3], others[1::3], others[2::3], strict=True):
        segment = name.strip()
        was_joined, last = segments[-1]
        is_surname = (only_and or "").lower() in _IN_SURNAMES and " " in last
        if is_surname and segment and " " not in segment:
            segments[-1] = was_joined, f"{last} {only_and} {segment}"
        else:
            segments.append((bool(comma_and or only_and), segment))
    for is_joined, segment in segments:
        if _DROPPED in segment:
            continue
        names = _BETWEEN_HAN_NAMES.split(segment) if contains_any(segment, HAN) else (segment,)
        for name in names:
            yield is_joined, name


_DROPPED = "\0"  # marks the name of a photographer in a list


def _in_order(match: re.Match[str]) -> str:
    """Return "Jane Doe" for "Doe, Jane" if the two words are the parts of a name."""
    last, first = match.groups()
    are_capitalised = last[0].isupper() and first[0].isupper() and not last.isupper()
    are_names = are_capitalised and not {last.lower(), first.lower()} & _NON_FIRST_NAMES
    return f"{first} {last}" if are_names else match[0]


def _without_description(segment: str, *, is_byline: bool) -> tuple[str, bool]:
    """Return a segment without the description of a person, and whether more names may follow."""
    name = without_mark(segment).strip(_AROUND_NAME)
    if contains_any(name, HAN + HANGUL):
        name = _JAPANESE_KOREAN_TITLE.sub("", name)
    may_continue = True
    if is_byline:
        description = _CIRCUMSTANCE.search(name) or _DATE_LABEL.search(name)
        if description and (description.start() == 0 or " " in name[: description.start()]):
            name, may_continue = name[: description.start()], False
    words = [word.strip(".").lower() for word in name.split()]
    known = next((n for n, word in enumerate(reversed(words)) if word not in _NON_FIRST_NAMES), 0)
    if is_byline and known and len(words) - known == TITLED_NAME_WORDS:
        return " ".join(name.split()[:-known]), may_continue  # "Jane Doe Staff Writer"
    roles = [index for index, word in enumerate(words) if word in _ROLES]
    if roles and is_byline and len(words) - roles[-1] in (3, 4):
        # "Political Editor Jane Doe"
        return " ".join(name.split()[roles[-1] + 1 :]), may_continue
    return name, may_continue and not roles


@cached_if_short(256)  # The lines around an article are examined several times.
def without_mark(text: str) -> str:
    """Return a text without words at its start that introduce an author, such as "Posted by"."""
    mark = _BYLINE_MARK.match(text)
    return text if mark is None else text[mark.end() :]


def without_repeats(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names without parts of other names, and once if they differ only in case."""
    kept: dict[str, str] = {}
    for name in names:
        kept.setdefault(squash(name), name)
    return tuple(
        name
        for key, name in kept.items()
        if not any(key != other and len(key) > 4 and key in other for other in kept)
    )


def _may_be_author(name: str, *, is_byline: bool) -> bool:
    """Return whether a text may be the name of an author or, in a byline, of a person."""
    words = name.split()
    if not words or len(name) > MAX_NAME_CHARACTERS:
        return False
    if _URL_OR_EMAIL.search(name) or not any(character.isalpha() for character in name):
        return False
    lowered = [word.strip(".").lower() for word in words]
    if sum(word not in _PARTICLES for word in lowered) > MAX_NAME_WORDS:
        return False
    if all(word in _NON_NAME_WORDS or word in _PARTICLES for word in lowered) or len(name) < 2:
        return False
    if not _LEGAL_FORMS.isdisjoint(lowered):
        return False
    is_other = name[0] == "@" or name.endswith(_HAN_OFFICES)
    if len(words) == 1 and (is_other or squash(name) in _DEGREES or is_weekday(name)):
        return False
    if not is_byline:
        return True
    if lowered[-1] in _PARTICLES or any(word in _NON_PERSON_WORDS for word in lowered):
        return False
    if contains_any(name, HAN) and _HAN_NON_NAME_WORDS.search(name):
        return False
    if _NOT_IN_BYLINES.search(name) or is_weekday(name):
        return False
    return all(
        not word[0].islower() or plain in _PARTICLES or _ELIDED.match(word)
        for word, plain in zip(words, lowered, strict=True)
    )


# Maximum lengths in characters
MAX_BYLINE = 120  # a line that contains a byline
MAX_DATE_TEXT = 60  # the text around a date without a label; a longer text is prose
MAX_IN_PARTS = 100  # a line whose parts are examined one by one
MAX_UNMARKED_NAMES = 40  # names next to a date, without a word such as "By"
_UPDATED = re.compile(  # words that introduce the date of an update
    r"updat|modif|a[ck]tuali[sz]|zuletzt|stand\s*:|mis(?:e)? à jour|aggiorna|atualiza|bijgewerkt"
    r"|gewijzigd|opp?dater|uppdater|päivitetty|edited|ažurir|frissít|módosít|diperbarui|güncel"
    r"|cập nhật|обновл|обновен|оновлен|актуализ|ажурир|ενημ[εέ]ρ[ωώ]|更新|修改|수정|업데이트|تحديث"
    r"|به[\u200c\s]?روز|بروزرسانی|ویرایش|עודכן|עדכון|अपडेट|अद्यतन|संशोधित|আপডেট|হালনাগাদ|อัปเดต|อัพเดท|แก้ไข",
    re.IGNORECASE,
)
_PUBLISHED = lazy_pattern(  # words that introduce the date of publication
    r"publi|posted|veröffentlich|erschienen|erstellt|geplaatst|opublikowan|dodano|опублик"
    r"|pubblicat|发布|發布|发表|发稿|時間|时间|日期|datum|\bdate\b|\bdata\b|fecha|julkaistu|^\W*le\s+\d"
    r"|zveřejněn|vydáno|megjelen|közzé|objavljen|опублік|\bпублик|δημοσ|yayın|diterbitkan|ngày đăng"
    r"|đăng lúc|公開|掲載|配信|발행|입력|등록\s?[:\d]|نشر|انتشار|פורסם|प्रकाशित|প্রকাশ|เผยแพร่",
    re.IGNORECASE,
)
# Ranks of dates by the places of their lines. A marked date is one identified by words or markup.
_MARKED_RANKS: Mapping[Place, int] = {
    "before": 0,
    "opening": 1,
    "above": 3,
    "closing": 5,
    "after": 7,
}
_UNMARKED_RANKS: Mapping[Place, int] = {
    "before": 2,
    "opening": 4,
    "above": 4,
    "closing": 6,
    "after": 8,
}


def displayed_authors(lines: Sequence[NearbyLine], sites: Collection[str] = ()) -> tuple[str, ...]:
    """Return the displayed authors from the most reliable place in which any are found."""
    usable = [line for line in lines if len(line.text) <= MAX_BYLINE and not _is_in_comment(line)]
    for place in ("before", "above", "opening", "closing", "after"):
        short_lines = [line for line in usable if line.place == place]
        for search in (_in_author_elements, _after_byline_marks, _next_to_dates, _in_descriptions):
            for found in search(short_lines):
                names = names_in_parts(found.parts, sites, is_byline=not found.is_account)
                if names:
                    return without_repeats(names)
    if any(contains_any(line.text, HAN + HANGUL) for line in lines):
        # Imported here because its patterns take 50 ms to compile, and few pages are East Asian.
        from detourage.metadata.east_asian_bylines import east_asian_bylines

        for text in east_asian_bylines(lines):
            names = names_in(text, sites, is_byline=True)
            if names:
                return names
    return ()


def unmarked_authors(lines: Sequence[NearbyLine], sites: Collection[str] = ()) -> tuple[str, ...]:
    """Return names without a word such as "By": next to a line with a date, or below the body."""
    for line, following in zip_longest(lines, lines[1:]):
        text = line.text
        if len(text) > MAX_BYLINE or _is_in_comment(line) or line.meaning & Meaning.PICTURE:
            continue
        if line.place in ("before", "opening") and following is not None:
            if not following.undated.strip(_AROUND_NAME) and following.undated != following.text:
                names = names_in_parts(line.parts, sites, is_byline=True)
                is_full = all(" " in name and name[0].isupper() for name in names)
                if names and is_full and not _CIRCUMSTANCE.match(text.lower()):
                    return without_repeats(names)
        elif line.place in ("closing", "after"):
            match = _SIGNED.match(text)
            names = names_in(match[1] or match[2], sites, is_byline=True) if match else ()
            if names and " " in names[0]:
                return names
    return ()


_SIGNED = lazy_pattern(  # "— Jane Doe", "Jane Doe is a freelance journalist"
    r"^[-–—]+\s?([^\d.:!?]+)$|^\W{0,3}([^\W\d_][^,.:;()\n]{4,40}?),?\s(?:is|ist|est|es|è|é|är|er|jest)"
    r"\s(?:\S+\s){0,3}?(?:journalist|writer|reporter|editor|correspondent|columnist|journaliste"
    r"|autorin|autor|redakteur|periodista|giornalist|jornalista|dziennikar)"
    r"\w*+(?!,?\s(?:says?|said|sagte?|dit|dice|disse|zegt|säger|mówi)\b)",
    re.IGNORECASE,
)


class _NameSource(NamedTuple):
    """Texts that may contain names; an account's name (`is_account`) may have any form."""

    parts: tuple[Part, ...]
    is_account: bool = False


def _is_in_comment(line: NearbyLine) -> bool:
    """Return whether a line belongs to a comment or a teaser."""
    # Parts that indicate comments, such as a link to the comments, count only if all parts do.
    is_comment = line.meaning & Meaning.COMMENT and line.place != "before"
    return bool(is_comment) and all(part.meaning & Meaning.COMMENT for part in line.parts)


def _in_author_elements(lines: Sequence[NearbyLine]) -> Iterator[_NameSource]:
    """Yield the texts of elements whose classes or IDs indicate an author."""
    # Elements with a word such as "By" come first, because others may have a column or a topic.
    places = (place for place, line in enumerate(lines) if line.meaning & Meaning.AUTHOR)
    for place in sorted(places, key=lambda at: without_mark(lines[at].text) == lines[at].text):
        authors = (part for part in lines[place].parts if part.meaning & Meaning.AUTHOR)
        parts = tuple(part._replace(text=without_dates(part.text)) for part in authors)
        further = takewhile(lambda line: line.meaning & Meaning.AUTHOR, lines[place + 1 :])
        yield _NameSource((*parts, *(line.parts[0] for line in further if _is_name(line))))
        if not names_in_parts(parts, is_byline=True):
            yield from _account(" ".join(part.text for part in parts))
            for part in filter(_is_pseudonym, parts):
                yield _NameSource((part,), is_account=True)


def _is_name(line: NearbyLine) -> bool:
    """Return whether a line before the body consists of a full name only."""
    is_full = line.place == "before" and len(line.parts) == 1 and " " in line.text
    return is_full and names_in(line.text, is_byline=True) == (line.text,)


def _account(text: str) -> Iterator[_NameSource]:
    """Yield the account name if a byline contains nothing else."""
    name = without_mark(text).strip(" \t|¦·,.:()")
    if re.fullmatch(r"[\w.-]{3,24}", name) and not name.isdigit():
        yield _NameSource((Part(name),), is_account=True)


def _is_pseudonym(part: Part) -> bool:
    """Return whether a text is linked and may be a lower-case pseudonym, such as "bell hooks"."""
    words = part.text.split()
    return (
        part.is_linked
        and 1 < len(words) <= 3
        and all(word.isalpha() and word not in _NON_PSEUDONYM_WORDS for word in words)
    )


def _after_byline_marks(lines: Sequence[NearbyLine]) -> Iterator[_NameSource]:
    """Yield the text after a word such as "By", on the same line or else on the next one."""
    for line, following in zip_longest(lines, lines[1:]):
        parts, rest = line.parts, line.undated
        if following is not None and not without_mark(line.text):
            parts = [*parts, *following.parts]
            rest = f"{line.text} {following.undated}"
        if len(parts) > 1 and len(rest) <= MAX_IN_PARTS and rest[-1:] not in ".!?":
            marked = _parts_after_mark(parts)
            if marked and " " in next(iter(names_in_parts(marked[:1], is_byline=True)), ""):
                yield _NameSource(marked)
        bars = re.finditer(r"\|", rest) if "|" in rest else ()
        tails = (rest[at:].lstrip() for at in (0, *(bar.end() for bar in bars)))
        marked_tails = ((tail, without_mark(tail)) for tail in tails)
        tail, text = next((each for each in marked_tails if each[0] != each[1]), ("", ""))
        # Far from the body, a label such as "Interview" may be that of a section.
        is_section = text and line.place in ("above", "after") and _SECTION.match(rest)
        if text and not is_section and not _OTHER_LABEL.match(tail):
            names = names_in(text, is_byline=True)
            if not names and (rest != line.text or line.meaning & Meaning.AUTHOR):
                yield from _account(text)
            # If the first author's name is a single word, further names are unreliable.
            is_full = names and (" " in names[0] or contains_any(names[0], HAN + HANGUL))
            yield _NameSource((Part(", ".join(names if is_full else names[:1])),))


def _parts_after_mark(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return the parts after a word such as "By", if only dates precede it."""
    texts = (without_dates(part.text).strip(_AROUND_NAME) for part in parts)
    undated = ((part, text) for part, text in zip(parts, texts, strict=True) if text)
    first, text = next(undated, (None, ""))
    name = without_mark(text)
    if first is None or name == text:
        return ()
    others = (part._replace(text=text) for part, text in undated)
    return (first._replace(text=name), *others) if name else tuple(others)


def _next_to_dates(lines: Sequence[NearbyLine]) -> Iterator[_NameSource]:
    """Yield names of two or more words on a line that otherwise contains only a date."""
    for line in lines:
        rest = line.undated if line.place in ("before", "opening") else line.text
        is_short = rest != line.text and len(rest) <= MAX_UNMARKED_NAMES
        if is_short and not contains_any(rest, HAN):
            names = names_in(rest, is_byline=True)
            yield _NameSource((Part(", ".join(name for name in names if " " in name)),))


def _in_descriptions(lines: Sequence[NearbyLine]) -> Iterator[_NameSource]:
    """Yield the name at the start of a line such as "**Jane Doe** is the author of …"."""
    for line in lines:
        if line.place == "before" and len(line.parts) > 1 and line.parts[1].text[0].islower():
            first = line.parts[0].text
            if " " in first and names_in(first, is_byline=True) == (first,):
                yield _NameSource((Part(first),))


class DisplayedDate(NamedTuple):
    """A date that a page displays. The lower its rank, the likelier it is the article's date."""

    moment: Moment
    rank: int
    is_marked: bool = True


def displayed_dates(
    lines: Iterable[NearbyLine], language: str | None
) -> tuple[list[DisplayedDate], list[DisplayedDate]]:
    """Return the displayed publication and modification dates, most probable first."""
    published: list[DisplayedDate] = []
    modified: list[DisplayedDate] = []
    for line in lines:
        date = _read_date(line, language)
        if date is not None:
            update = parse_moment(line.update, language) if line.update else None
            if update is not None:
                modified.append(date._replace(moment=update))
            for moment, is_update in _dates_by_mark(line, date.moment, language):
                (modified if is_update else published).append(date._replace(moment=moment))
    by_rank = attrgetter("rank")
    return sorted(published, key=by_rank), sorted(modified, key=by_rank)


def _read_date(line: NearbyLine, language: str | None) -> DisplayedDate | None:
    """Return the date in a line, or None if there is none or it is unlikely to be the article's."""
    is_teaser = line.place == "after" and line.is_linked
    may_be_dated = line.may_be_dated or line.moment
    if len(line.text) > MAX_BYLINE or is_teaser or not may_be_dated:
        return None
    moment = parse_moment(line.moment, language) if line.moment else None
    moment = moment or next(find_moments(line.text, language), None)
    if moment is None or _is_in_comment(line):
        return None
    if line.meaning & Meaning.DATE or _PUBLISHED.search(line.text) or line.moment:
        return DisplayedDate(moment, _MARKED_RANKS[line.place])
    rest = line.undated
    # A sentence with a date reports an event.
    words = sum(any(map(str.isalpha, word)) for word in rest.split())
    is_sentence = _SENTENCE_END.search(rest) is not None and (
        words > MIN_SENTENCE_SPACES or rest[-1] in UNSPACED_MARKS
    )
    is_prose = is_sentence and _UPDATED.search(rest) is None
    if len(rest) <= MAX_DATE_TEXT and not is_prose:
        return DisplayedDate(moment, _UNMARKED_RANKS[line.place], is_marked=False)
    return None


MIN_SENTENCE_SPACES = 3  # spaces in a sentence; a text with fewer may be a label
_SENTENCE_END = lazy_pattern(rf"[{MARKS}{UNSPACED_MARKS}][{re.escape(CLOSING)}]*$")


def _dates_by_mark(
    line: NearbyLine, moment: Moment, language: str | None
) -> Iterator[tuple[Moment, bool]]:
    """Yield the dates of a line, each with whether it is an update; `moment` replaces its day."""
    if _UPDATED.search(line.text) is not None:
        end = -1
        dates = []
        for date in sorted(find_dates(line.text, language), key=attrgetter("start")):
            if date.start >= end:
                dates.append(date)
                end = date.end
        if len(dates) > 1:
            start = 0
            for date in dates:
                words_before = line.text[start : date.start]
                start = date.end
                is_same = moment.day == date.moment.day
                is_same &= date is dates[0] or date.moment.clock is None
                yield moment if is_same else date.moment, _UPDATED.search(words_before) is not None
            return
    yield moment, _is_update(line)


def _is_update(line: NearbyLine) -> bool:
    is_updated = line.meaning & Meaning.UPDATE != 0 or _UPDATED.search(line.text) is not None
    return is_updated and not line.update and _PUBLISHED.search(line.text) is None


MAX_AGE_WORDS = 4  # words around an unmarked relative date ("3 hours ago"); longer text is prose


def displayed_age(lines: Iterable[NearbyLine]) -> str:
    """Return the relative date ("3 hours ago") near the headline, or an empty string."""
    # Imported here because most pages give a date.
    from detourage.text.relative_dates import find_relative, is_past

    for line in lines:
        is_near = line.place in ("above", "before", "opening") and len(line.text) <= MAX_BYLINE
        span = find_relative(line.text) if is_near and not _is_in_comment(line) else None
        if span is None or not is_past(line.text[slice(*span)]) or _is_update(line):
            continue
        rest = line.text[: span[0]] + line.text[span[1] :]
        max_words = MAX_AGE_WORDS if line.place == "before" else 0
        is_short = line.place != "above" and len(rest.strip(_AROUND_NAME).split()) <= max_words
        if is_short or line.meaning & Meaning.DATE or _PUBLISHED.search(rest):
            return line.text[slice(*span)]
    return ""
