"""Lines between an article's paragraphs that belong to the site: links to other articles, forms.

The network judges a line by its words and its place, and is least certain about a line with only
the headline of another article. The surroundings show that such a line is not a subheading.
"""

import re
from bisect import bisect, bisect_left
from collections.abc import Sequence
from typing import Final

import numpy as np

from detourage.html.addresses import absolute, base_of, site_of
from detourage.html.flat import Booleans
from detourage.reader.lines import Line
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage
from detourage.text.words import clean
from detourage.walls.offers import MAX_SEARCHED_LINES, begin_with_offer

MIN_HEADLINE_WORDS: Final = 3  # words in a linked headline
MAX_LABEL_CHARACTERS: Final = 30  # length of a label before a headline, such as "Read also:"
MIN_PROSE_WORDS: Final = 10  # words in a paragraph next to a linked headline
MAX_LINKED_SHARE: Final = 0.25  # share of linked words in a paragraph next to a linked headline

UNSURE: Final = 0.9
"""Probability of being text below which a linked headline without a label is an aside.

On real pages, all of these headlines lead to other articles; most of the others are subheadings.
"""

UNLIKELY: Final = 0.75  # Probability below which linked headlines at the end of a text are left out
MAX_FORM_WORDS: Final = 60  # words in an element with a subscription or consent form
MAX_FORM_SHARE: Final = 1 / 3  # share of the text's words in an element with a form
MAX_NOTICE: Final = 40  # words in a copyright notice
MAX_AFTER_NOTICE: Final = 25  # words in a line that follows a copyright notice
MAX_LINES_AFTER_NOTICE: Final = 3  # lines that follow a copyright notice at the end of a text

SURE: Final = 0.9
"""Minimum probability of being text for the last paragraph before an offer to subscribers. A line
that is as probable can be part of an offer only if the offer mentions reading on or logging in."""

MAX_OFFER_WORDS: Final = 60  # chosen words after the last paragraph that an offer may include
MAX_OFFER_LINES: Final = 4  # chosen lines after the last paragraph that an offer may include
MAX_FIELDS: Final = 20  # fields for an e-mail address whose surroundings are examined

_OTHER_BLOCKS: Final = (
    *("ul", "ol", "dl", "table", "blockquote", "figure", "pre"),
    *("h1", "h2", "h3", "h4", "h5", "h6"),
)
"""Elements other than paragraphs, in which a linked headline is not an aside."""

_LABEL: Final = re.compile(r"[:：|»›>→⇒⟶►▶▸➤➔➡\-–—\])】〉》]\s*$|^\s*[►▶▸➤➔➡→»\[【]")
_FULL_STOPS: Final = (".", "。", "।", "۔")
_COOKIES: Final = re.compile(
    "cookie|куки|クッキー|쿠키|çerez|ciastecz|eväste|kolačić|informasjonskaps|कुकी|الارتباط",
    re.IGNORECASE,
)
_COPYRIGHT: Final = re.compile("[©ⓒⒸ]")


def without_asides(page: Outline, judged: JudgedPage, chosen: Booleans, url: str) -> Booleans:
    """Return the chosen lines without those that are likely to be asides of the site."""
    if judged.kind != "article":
        return chosen
    places = np.flatnonzero(chosen).tolist()
    left_out = {
        *_linked_headlines(page, judged, places, url),
        *_forms(page, judged.lines, places),
        *_notices(judged.lines, places),
        *_offers(judged, places),
        *_links_at_end(page, judged, places, url),
        *_consents(page, judged, places),
    }
    if not left_out or len(left_out) == len(places):
        return chosen
    kept = chosen.copy()
    kept[[*left_out]] = False
    return kept


def _linked_headlines(
    page: Outline, judged: JudgedPage, places: Sequence[int], url: str
) -> set[int]:
    """Return the lines between paragraphs that only recommend another article."""
    lines = judged.lines
    linked = {place for place in places if _is_mostly_linked(lines[place])}
    if not linked:
        return set()
    above = {place: place - 1 for place in linked if _is_label_above(lines, place)}
    set_off = linked.union(above.values())
    others = [place for place in places if place not in set_off]
    in_other = page.flat.within(page.flat.having(_OTHER_BLOCKS))
    addresses = page.flat.values("href")
    base, site = base_of(page.root, url), site_of(url)
    found: set[int] = set()
    for at, place in enumerate(places):
        if place not in linked or in_other[lines[place].block]:
            continue
        after = bisect(others, place)
        around = others[max(0, after - 1) : after + 1]
        if not after or not all(_is_paragraph(lines[each]) for each in around):
            continue
        label, link = _label_and_link(page, lines[place])
        if place in above:
            label = lines[place - 1].text
        address = absolute(addresses.get(link), base)
        if address is None or address.partition("#")[0] == url.partition("#")[0]:
            continue
        if label:
            is_aside = _is_label(label)
        else:
            # Several linked lines in a row are a list.
            is_alone = around == [*places[at - 1 : at], *places[at + 1 : at + 2]]
            is_aside = is_alone and len(around) > 1 and judged.probabilities[place] < UNSURE
        text = lines[place].text
        # Asides are headlines that lead to this site, and sentences that lead to another site.
        is_sentence = text.endswith(_FULL_STOPS)
        is_elsewhere = site_of(address) != site
        if is_aside and is_elsewhere == is_sentence and "://" not in text:
            found.update((place, above.get(place, place)))
    return found.intersection(places)


def _is_label(text: str) -> bool:
    return len(text) <= MAX_LABEL_CHARACTERS and _LABEL.search(text) is not None


def _is_label_above(lines: Sequence[Line], place: int) -> bool:
    """Return whether the line above, in the same paragraph, can be the label of a headline."""
    above, line = lines[place - 1], lines[place]
    return place > 0 and above.block == line.block and not above.linked and _is_label(above.text)


def _is_mostly_linked(line: Line) -> bool:
    return line.linked >= MIN_HEADLINE_WORDS and 2 * line.linked >= len(line.tokens)


def _is_paragraph(line: Line) -> bool:
    size = len(line.tokens)
    return line.is_prose and size >= MIN_PROSE_WORDS and line.linked <= MAX_LINKED_SHARE * size


def _label_and_link(page: Outline, line: Line) -> tuple[str, int]:
    """Return the text before the link of a line, and the link; ("", -1) if words follow it."""
    first, last = np.searchsorted(page.text_lines, (line.number, line.number + 1)).tolist()
    label, link = [], -1
    for node in page.texts[first:last]:
        around = page.links[node.parent]
        if link < 0:
            link = around
        if link < 0:
            label.append(node.text)
        elif around != link and node.size:
            return "", -1
    return clean("".join(label)), link


def _forms(page: Outline, lines: Sequence[Line], places: Sequence[int]) -> set[int]:
    """Return the lines around e-mail fields that have text before and after them."""
    types = page.flat.values("type")
    fields = [index for index, kind in types.items() if kind.strip().lower() == "email"]
    if not fields:
        return set()
    numbers = [lines[place].number for place in places]
    limit = _max_box_words(lines, places)
    found: set[int] = set()
    for field in fields[:MAX_FIELDS]:
        box = _box_around(page, field, limit)
        found.update(_lines_inside(page, numbers, places, box))
    return found


def _max_box_words(lines: Sequence[Line], places: Sequence[int]) -> float:
    return min(MAX_FORM_WORDS, MAX_FORM_SHARE * sum(len(lines[place].tokens) for place in places))


def _box_around(page: Outline, element: int, limit: float) -> int:
    """Return the largest element around the given one that has at most `limit` words."""
    while (above := page.parents[element]) >= 0 and page.sizes[above] <= limit:
        element = above
    return element


def _lines_inside(
    page: Outline, numbers: Sequence[int], places: Sequence[int], box: int
) -> Sequence[int]:
    """Return the lines of an element if the text has other lines both before and after them."""
    inside = page.text_lines[page.text_starts[box] : page.text_ends[box]]
    if not len(inside):
        return ()
    first, last = bisect_left(numbers, inside[0]), bisect(numbers, inside[-1])
    return places[first:last] if first > 0 and last < len(numbers) else ()


def _consents(page: Outline, judged: JudgedPage, places: Sequence[int]) -> set[int]:
    """Return the lines that request consent to cookies next to a button, as in `_lines_inside`."""
    lines = judged.lines
    about_cookies = [place for place in places if _COOKIES.search(lines[place].text)]
    buttons = np.flatnonzero(page.flat.having(("button",))) if about_cookies else ()
    if not len(buttons):
        return set()
    numbers = [lines[place].number for place in places]
    limit = _max_box_words(lines, places)
    found: set[int] = set()
    for place in about_cookies:
        if len(lines[place].tokens) > limit or judged.probabilities[place] >= SURE:
            continue
        box = _box_around(page, lines[place].block, limit)
        if bisect_left(buttons, box) < bisect_left(buttons, page.ends[box]):
            found.update(_lines_inside(page, numbers, places, box))
    return found


def _links_at_end(
    page: Outline, judged: JudgedPage, places: Sequence[int], url: str
) -> Sequence[int]:
    """Return the linked headlines at the end of a text, below its last paragraph."""
    lines = judged.lines
    if not places or lines[places[-1]].linked < len(lines[places[-1]].tokens):
        return ()
    addresses, base, site = page.flat.values("href"), base_of(page.root, url), site_of(url)
    for size, place in enumerate(reversed(places)):
        line = lines[place]
        if judged.probabilities[place] >= UNLIKELY or line.linked < len(line.tokens):
            return places[len(places) - size :] if size > 1 and _is_paragraph(line) else ()
        address = absolute(addresses.get(_label_and_link(page, line)[1]), base)
        if address is None or site_of(address) != site or line.linked < MIN_HEADLINE_WORDS:
            return ()
    return ()


def _notices(lines: Sequence[Line], places: Sequence[int]) -> list[int]:
    """Return the copyright notice at the end of a text, with the short lines that follow it."""
    last = places[-1 - MAX_LINES_AFTER_NOTICE :]
    for at, place in enumerate(last):
        line = lines[place]
        if _COPYRIGHT.search(line.text) and len(line.tokens) <= MAX_NOTICE:
            after = last[at + 1 :]
            if all(len(lines[each].tokens) <= MAX_AFTER_NOTICE for each in after):
                return [place, *after]
    return []


def _offers(judged: JudgedPage, places: Sequence[int]) -> Sequence[int]:
    """Return the short lines after the last paragraph if an offer to subscribers follows it."""
    lines, words = judged.lines, 0
    for size, place in enumerate(reversed(places[-1 - MAX_OFFER_LINES :])):
        line = lines[place]
        if judged.probabilities[place] >= SURE and _is_paragraph(line):
            below = (each.tokens for each in lines[place + 1 : place + 1 + MAX_SEARCHED_LINES])
            after = places[len(places) - size :]
            is_strict = any(judged.probabilities[each] >= SURE for each in after)
            if begin_with_offer(below, at_once=True, is_strict=is_strict):
                return after
        words += len(line.tokens)
        if words > MAX_OFFER_WORDS:
            break
    return ()
