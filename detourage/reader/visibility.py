"""Parts of a page that its attributes or styles hide, permanently or until a reader opens them."""

import re
from collections.abc import Iterator

import numpy as np

from detourage.html.flat import Booleans
from detourage.html.names import split_words
from detourage.html.text import hides
from detourage.reader.outline import Outline
from detourage.text.words import listed

_ACCORDIONS = listed(
    "accordion accordions accordeon akkordeon acordeon acordeão fisarmonica harmonika faq faqs"
    " collapsible expander"
)
"""Words of a class or ID that denote text that opens below its heading."""

UNTIL_FOUND = "until-found"
"""Value of ``hidden`` that lets readers find the text in the page, which opens it."""

MAX_STYLE_CHARACTERS = 200_000  # characters of a page's styles that are searched for hidden classes

_NOT_DISPLAYED = re.compile(r"display(?<=[{;\s]display)\s{0,20}:\s{0,20}none\b")
_CLASS = re.compile(r"\.([\w-]+)")


def folded(page: Outline) -> Booleans:
    """Return a mask of the elements within accordions or the buttons that open them."""
    if folded not in page.memo:
        page.memo[folded] = _folded(page)
    found: Booleans = page.memo[folded]
    return found


def _folded(page: Outline) -> Booleans:
    flat = page.flat
    marked = flat.having(("details",))
    names = [each.lower() for each in page.distinct_names]
    all_names = "\n".join(names)
    words = [word for word in _ACCORDIONS if word in all_names]
    if words:
        named = [
            any(word in each for word in words)
            and not split_words(page.distinct_names[number]).isdisjoint(_ACCORDIONS)
            for number, each in enumerate(names)
        ]
        marked |= np.array(named, dtype=np.bool_)[page.name_numbers]
    openers = flat.values("aria-controls")
    marked[[*openers, *flat.values("aria-expanded")]] = True
    opened = {name for names in openers.values() for name in names.split()}
    for index, name in flat.values("id").items() if opened else ():
        marked[index] |= name in opened
    for index, value in flat.values("hidden").items():
        marked[index] |= value == UNTIL_FOUND
    return flat.within(marked)


def hidden(page: Outline) -> Booleans:
    """Return a mask of the elements hidden by ``hidden``, an inline style or a hidden class."""
    flat = page.flat
    marked = np.zeros(len(page.tags), dtype=np.bool_)
    for index, value in flat.values("hidden").items():
        marked[index] = value != UNTIL_FOUND
    for index, style in flat.values("style").items():
        marked[index] |= hides(style)
    texts = (style.text or "" for style in page.root.iter("style") if not style.get("media"))
    styles = "\n".join(text for text in texts if "none" in text)[:MAX_STYLE_CHARACTERS]
    classes = frozenset(_hidden_classes(styles))
    if classes:
        names = [not classes.isdisjoint(each.split()) for each, _ in flat.distinct_names]
        marked |= np.array(names, dtype=np.bool_)[page.name_numbers]
    return flat.within(marked)


def _hidden_classes(styles: str) -> Iterator[str]:
    """Yield the classes hidden by a rule that applies to all media and in any context."""
    before, *commented = styles.split("/*")
    styles = before + "".join(each.partition("*/")[2] for each in commented)
    depth = last = start = 0
    for found in _NOT_DISPLAYED.finditer(styles):
        place = found.start()
        depth = max(0, depth + styles.count("{", last, place) - styles.count("}", last, place))
        opened = styles.rfind("{", last, place)
        if depth == 1 and opened >= 0:
            start = max(start, styles.rfind("}", start, opened) + 1)
            matches = (_CLASS.fullmatch(each.strip()) for each in styles[start:opened].split(","))
            yield from (match[1] for match in matches if match)
            start = opened
        last = place
