"""Removal of asides: lines between or below paragraphs that are not part of the article.

Examples are headlines of other articles, subscription forms and copyright notices. The network is
often unsure whether such a line belongs to the text; rules about its surroundings decide.
"""

import re
from bisect import bisect, bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from detourage.html.flat import Booleans
from detourage.html.urls import absolute, base_of, site_of
from detourage.html.visible_text import HEADINGS
from detourage.reader.lines import Line, LineColumns
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage
from detourage.reader.phrases import MAX_WORDS, Phrases
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.words import clean, contains_any, word_set
from detourage.walls.offers import MAX_SEARCHED_LINES, begin_with_offer

MIN_HEADLINE_WORDS: Final = 3  # words in a linked headline
MAX_LABEL_CHARACTERS: Final = 30  # length of a label before a headline, such as "Read also:"
MIN_PARAGRAPH_WORDS: Final = 10  # words in a paragraph next to a linked headline
MAX_LINKED_SHARE: Final = 0.25  # share of linked words in a paragraph next to a linked headline

UNSURE: Final = 0.9
"""A linked headline without a label is an aside if it is text with less than this probability.

On real pages, all such headlines lead to other articles; most with a higher probability are
subheadings."""

MAX_FORM_WORDS: Final = 60  # words in an element with a subscription or consent form
MAX_FORM_SHARE: Final = 1 / 3  # words in an element with a form, relative to those of the text
MAX_WORDS_AFTER_NOTICE: Final = 25  # words in each line that follows a copyright notice
MAX_LINES_AFTER_NOTICE: Final = 3  # lines that follow a copyright notice at the end of a text

SURE: Final = 0.9
"""Minimum probability of being text for the last paragraph before an offer to subscribers. A line
with this probability is part of an offer only if the offer mentions reading on or logging in."""

MAX_OFFER_WORDS: Final = 60  # words in the lines of an offer that the network mistook for text
MAX_OFFER_LINES: Final = 4  # lines of an offer that the network mistook for text
MAX_RECOMMENDED: Final = 10  # links below a label such as "Read also:"
MAX_BIOGRAPHY_WORDS: Final = 40  # words in the biography of an article's author
MIN_LINES_BEFORE_BIOGRAPHY: Final = 4  # lines of a text, including its author's biography
NAME_TOKENS: Final = 2  # tokens at the start of a biography that are in the byline
MAX_EMAIL_FIELDS: Final = 20  # input fields for an e-mail address whose surroundings are examined

_OTHER_BLOCKS: Final = HEADINGS | word_set("ul ol dl table blockquote figure pre")
"""Block elements in which a linked headline belongs to the text and is not an aside."""

# Matches a label that ends with a colon, dash, arrow or bracket ("Read also:"), or begins with an
# arrow or bracket ("► More").
_LABEL: Final = lazy_pattern(r"[:：|»›>→⇒⟶►▶▸➤➔➡\-–—\])】〉》]\s*$|^\s*[►▶▸➤➔➡→»\[【]")
_FULL_STOPS: Final = (".", "。", "।", "۔")
_COOKIES: Final = lazy_pattern(
    "cookie|куки|クッキー|쿠키|çerez|ciastecz|eväste|kolačić|informasjonskaps|कुकी|الارتباط",
    re.IGNORECASE,
)
_EMAIL: Final = lazy_pattern("e-?mail", re.IGNORECASE)
_COPYRIGHT: Final = "©ⓒⒸ"


def without_asides(page: Outline, judged: JudgedPage, chosen: Booleans, url: str) -> Booleans:
    """Return a mask of the chosen lines without those that are likely to be asides of the site."""
    if judged.kind != "article":
        return chosen
    places = np.flatnonzero(chosen).tolist()
    asides = {
        *_linked_headlines(page, judged, places, url),
        *_forms(page, judged.columns, places),
        *_offers(judged, places),
        *_consents(page, judged, places),
        *_addressed_to_readers(judged, places),
        *_recommended(page, judged, places, url),
        *_biographies(judged, places),
    }
    if not asides or len(asides) == len(places):
        return chosen
    kept = chosen.copy()
    kept[[*asides]] = False
    return kept


def _linked_headlines(
    page: Outline, judged: JudgedPage, places: Sequence[int], url: str
) -> set[int]:
    """Return the lines between paragraphs that only recommend another article."""
    lines, columns = judged.lines, judged.columns
    is_headline = columns.linked >= np.maximum(MIN_HEADLINE_WORDS, columns.words / 2)
    linked = {*np.flatnonzero(is_headline).tolist()}.intersection(places)
    if not linked:
        return set()
    labels_above = {place: place - 1 for place in linked if _is_label_above(lines, place)}
    candidates = linked.union(labels_above.values())
    others = [place for place in places if place not in candidates]
    in_other_block = page.flat.within(page.flat.having(_OTHER_BLOCKS))
    base = base_of(page.root, url)
    asides: set[int] = set()
    for index, place in enumerate(places):
        if place not in linked or in_other_block[lines[place].block]:
            continue
        above = bisect(others, place)  # number of the text's other lines above this one
        neighbours = others[max(0, above - 1) : above + 1]
        if not above or not all(_is_paragraph(lines[each]) for each in neighbours):
            continue
        label, link = _label_and_link(page, lines[place])
        if place in labels_above:
            label = lines[place - 1].text
        address = absolute(link, base)
        if address is None or address.partition("#")[0] == url.partition("#")[0]:
            continue
        if label:
            is_aside = _is_label(label)
        else:
            # Several linked lines in a row are a list.
            is_alone = neighbours == [*places[index - 1 : index], *places[index + 1 : index + 2]]
            is_aside = is_alone and len(neighbours) > 1 and judged.probabilities[place] < UNSURE
        text = lines[place].text
        # Asides are headlines that lead to this site, and sentences that lead to another site.
        is_sentence = text.endswith(_FULL_STOPS)
        if is_aside and (site_of(address) != site_of(url)) == is_sentence and "://" not in text:
            asides.update((place, labels_above.get(place, place)))
    return asides.intersection(places)


def _is_label(text: str) -> bool:
    return len(text) <= MAX_LABEL_CHARACTERS and _LABEL.search(text) is not None


def _is_label_above(lines: Sequence[Line], place: int) -> bool:
    """Return whether the line above, in the same paragraph, can be the label of a headline."""
    above, line = lines[place - 1], lines[place]
    return place > 0 and above.block == line.block and not above.linked and _is_label(above.text)


def _is_paragraph(line: Line) -> bool:
    is_long = line.words >= MIN_PARAGRAPH_WORDS
    return line.is_prose and is_long and line.linked <= MAX_LINKED_SHARE * line.words


def _label_and_link(page: Outline, line: Line) -> tuple[str, str | None]:
    """Return a line's text before its first link, and the link's URL; "", None if words follow."""
    start, end = np.searchsorted(page.text_lines, (line.number, line.number + 1)).tolist()
    label, link = [], -1
    links = page.link_numbers[page.text_parents[start:end]].tolist()
    texts, sizes = page.flat.texts[start:end], page.text_sizes[start:end].tolist()
    for text, link_of_text, size in zip(texts, links, sizes, strict=True):
        if link < 0:
            link = link_of_text
        if link < 0:
            label.append(text)
        elif link_of_text != link and size:
            return "", None
    return clean("".join(label)), page.node(link).get("href") if link >= 0 else None


def _forms(page: Outline, lines: LineColumns, places: Sequence[int]) -> set[int]:
    """Return the lines of forms that have an e-mail field and interrupt or end the text."""
    values = page.flat.values
    declared = (*values("type").items(), *values("placeholder").items())
    fields = sorted({field for field, value in declared if _EMAIL.search(value)})
    numbers, max_words = lines.numbers[places].tolist(), _max_form_words(lines, places)
    forms = (_form_around(page, field, max_words) for field in fields[:MAX_EMAIL_FIELDS])
    return {line for form in forms for line in _lines_below_text(page, numbers, places, form)}


def _max_form_words(lines: LineColumns, places: Sequence[int]) -> float:
    return min(MAX_FORM_WORDS, MAX_FORM_SHARE * int(lines.words[places].sum()))


def _form_around(page: Outline, element: int, max_words: float) -> int:
    """Return the outermost element around the given one that has at most `max_words` words."""
    while (parent := page.parents[element]) >= 0 and page.sizes[parent] <= max_words:
        element = parent
    return element


def _lines_below_text(
    page: Outline, numbers: Sequence[int], places: Sequence[int], form: int
) -> Sequence[int]:
    """Return the text's lines (`places`) in an element if other lines of the text precede it."""
    inside = page.text_lines[page.text_starts[form] : page.text_ends[form]]
    if not len(inside):
        return ()
    start, end = bisect_left(numbers, inside[0]), bisect(numbers, inside[-1])
    return places[start:end] if start > 0 else ()


def _consents(page: Outline, judged: JudgedPage, places: Sequence[int]) -> set[int]:
    """Return the lines of cookie notices that have a button and interrupt the text."""
    lines = judged.lines
    buttons = np.flatnonzero(page.flat.having(("button",)))
    unsure = np.array(places)[judged.probabilities[places] < SURE].tolist()
    if not len(buttons) or not unsure:
        return set()
    numbers = judged.columns.numbers[places].tolist()
    max_words = _max_form_words(judged.columns, places)
    asides: set[int] = set()
    for place in unsure:
        if lines[place].words > max_words or not _COOKIES.search(lines[place].text):
            continue
        form = _form_around(page, lines[place].block, max_words)
        if bisect_left(buttons, form) < bisect_left(buttons, page.ends[form]):  # has a button
            asides.update(_lines_below_text(page, numbers, places, form))
    return asides


def _offers(judged: JudgedPage, places: Sequence[int]) -> Sequence[int]:
    """Return the lines after the last paragraph if they are an offer to subscribers."""
    words = 0
    for count, place in enumerate(reversed(places[-1 - MAX_OFFER_LINES :])):
        after = places[len(places) - count :]
        if after and _is_before_offer(judged, place, after):
            # If an offer outside the text follows the last line, that line is the last paragraph.
            return () if _is_before_offer(judged, places[-1], ()) else after
        words += judged.lines[place].words
        if words > MAX_OFFER_WORDS:
            break
    return ()


def _is_before_offer(judged: JudgedPage, place: int, after: Sequence[int]) -> bool:
    """Return whether an offer follows a paragraph; `after` are the lines of text below it."""
    lines, probabilities = judged.lines, judged.probabilities
    if probabilities[place] < SURE or not _is_paragraph(lines[place]):
        return False
    below = (each.text for each in lines[place + 1 : place + 1 + MAX_SEARCHED_LINES])
    is_strict = any(probabilities[each] >= SURE for each in after)
    return begin_with_offer(below, at_once=True, is_strict=is_strict)


def _addressed_to_readers(judged: JudgedPage, places: Sequence[int]) -> Iterator[int]:
    """Yield labels and requests of the site, and the notices and the source at the end."""
    sizes = judged.columns.words[places].tolist()
    short = [index for index, size in enumerate(sizes) if size <= MAX_WORDS]
    lines = [judged.lines[places[index]] for index in short]
    found = Phrases.of_each([line.text for line in lines])
    for index, line, phrases in zip(short, lines, found, strict=True):
        place, after = places[index], len(places) - 1 - index
        has_rights = phrases.has("rights") or contains_any(line.text, _COPYRIGHT)
        if has_rights and after <= MAX_LINES_AFTER_NOTICE:
            below = places[len(places) - after :]
            if all(judged.lines[each].words <= MAX_WORDS_AFTER_NOTICE for each in below):
                yield from (place, *below)
                return
        is_source = after == 0 and not line.linked and phrases.names_source
        if phrases.is_label or phrases.addresses_readers or is_source:
            yield place


def _recommended(page: Outline, judged: JudgedPage, places: Sequence[int], url: str) -> set[int]:
    """Return a label such as "Read also:", and the lines below it if they link to this site."""
    lines, columns, chosen = judged.lines, judged.columns, {*places}
    is_linked, has_link = (columns.linked >= columns.words).tolist(), columns.linked.tolist()
    asides: set[int] = set()
    for place in places:
        above = place  # the line above the linked lines, or a label with a link
        while is_linked[above] and 0 < above > place - MAX_RECOMMENDED:
            above -= 1
        end = above + 1
        while end < len(lines) and is_linked[end] and end - above <= MAX_RECOMMENDED:
            end += 1
        if end == above + 1 and not has_link[above]:
            continue
        label, link = _label_and_link(page, lines[above])
        if link is None and end > above + 1:
            label, link = lines[above].text, _label_and_link(page, lines[above + 1])[1]
        if label and Phrases.of(label).introduces_links:
            address = absolute(link, base_of(page.root, url))
            if site_of(address or "") == site_of(url):
                asides.update(range(above, end))
    return asides.intersection(chosen)


def _biographies(judged: JudgedPage, places: Sequence[int]) -> Sequence[int]:
    """Return the last line if it begins with the name in the byline: "Ann Lee is a reporter"."""
    last = judged.lines[places[-1]]
    is_long_text = len(places) >= MIN_LINES_BEFORE_BIOGRAPHY
    if not (is_long_text and last.words <= MAX_BIOGRAPHY_WORDS and last.text[0].isalpha()):
        return ()
    name = last.tokens[:NAME_TOKENS]
    if min(map(len, name)) == 1:  # in scripts without spaces, not a whole name
        return ()
    byline = judged.roles.index("byline")
    above = judged.role_probabilities[: places[1]].argmax(axis=1) == byline
    for place in np.flatnonzero(above).tolist():
        names = judged.lines[place].tokens
        if name in (names[start : start + NAME_TOKENS] for start in range(len(names))):
            return () if ":" in last.text[:MAX_LABEL_CHARACTERS] else places[-1:]
    return ()
