"""Parts of a page that its attributes or styles hide, permanently or until a reader opens them."""

import re
from collections.abc import Iterator

import numpy as np

from detourage.html.flat import Booleans
from detourage.html.text import hides
from detourage.reader.outline import Outline
from detourage.text.patterns import lazy_pattern
from detourage.text.words import word_set

_ACCORDIONS = word_set(
    "accordion accordions accordeon akkordeon acordeon acordeão fisarmonica harmonika faq faqs"
    " collapsible expander"
)
"""Words of a class or ID that denote text that opens below its heading."""

UNTIL_FOUND = "until-found"
"""Value of ``hidden`` for text that the browser displays when its search in the page finds it."""

MAX_STYLE_CHARACTERS = 200_000  # characters of a page's styles that are searched for hidden classes

_NOT_DISPLAYED = re.compile(r"display(?<=[{;\s]display)\s{0,20}:\s{0,20}none\b")
_CLASS = lazy_pattern(r"\.([\w-]+)")


def folded(page: Outline) -> Booleans:
    """Return a mask of the elements within accordions or the buttons that open them."""
    return page.cached(folded, lambda: _folded(page))


def _folded(page: Outline) -> Booleans:
    flat = page.flat
    is_folded = flat.having(("details",)) | page.named(_ACCORDIONS)
    buttons = flat.values("aria-controls")
    is_folded[[*buttons, *flat.values("aria-expanded")]] = True
    controlled_ids = {name for names in buttons.values() for name in names.split()}
    for index, name in flat.values("id").items() if controlled_ids else ():
        is_folded[index] |= name in controlled_ids
    for index, value in flat.values("hidden").items():
        is_folded[index] |= value == UNTIL_FOUND
    return flat.within(is_folded)


def hidden(page: Outline) -> Booleans:
    """Return a mask of the elements hidden by ``hidden``, an inline style or a hidden class."""
    flat = page.flat
    is_hidden = np.zeros(len(page.tags), dtype=np.bool_)
    for index, value in flat.values("hidden").items():
        is_hidden[index] = value != UNTIL_FOUND
    for index, style in flat.values("style").items():
        is_hidden[index] |= hides(style)
    texts = (style.text or "" for style in page.root.iter("style") if not style.get("media"))
    styles = "\n".join(text for text in texts if "none" in text)[:MAX_STYLE_CHARACTERS]
    classes = frozenset(_hidden_classes(styles))
    if classes:
        has_class = [not classes.isdisjoint(each.split()) for each, _ in flat.distinct_names]
        is_hidden |= np.array(has_class, dtype=np.bool_)[page.name_numbers]
    return flat.within(is_hidden)


def _hidden_classes(styles: str) -> Iterator[str]:
    """Yield the classes hidden by a rule for a single class: ``x`` for ``.x {display: none}``.

    Rules in a block, such as ``@media``, are ignored because they do not always apply.
    """
    before_comments, *comments = styles.split("/*")
    styles = before_comments + "".join(each.partition("*/")[2] for each in comments)
    depth = last = rule_start = 0  # `depth` is the number of open braces
    for declaration in _NOT_DISPLAYED.finditer(styles):
        place = declaration.start()
        depth = max(0, depth + styles.count("{", last, place) - styles.count("}", last, place))
        brace = styles.rfind("{", last, place)
        if depth == 1 and brace >= 0:
            rule_start = max(rule_start, styles.rfind("}", rule_start, brace) + 1)
            selectors = styles[rule_start:brace].split(",")
            matches = (_CLASS.fullmatch(selector.strip()) for selector in selectors)
            yield from (match[1] for match in matches if match)
            rule_start = brace
        last = place
