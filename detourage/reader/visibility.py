"""Parts of a page that its attributes or styles hide, permanently or until a reader opens them."""

from detourage import core
from detourage.html.flat import Booleans
from detourage.reader.outline import Outline
from detourage.text.words import word_set

_ACCORDIONS = word_set(
    "accordion accordions accordeon akkordeon acordeon acordeão fisarmonica harmonika faq faqs"
    " collapsible expander"
)
"""Words of a class or ID that denote text that readers expand by clicking its heading."""


def folded(page: Outline) -> Booleans:
    """Return a mask of the elements within accordions or the buttons that open them."""

    def compute() -> Booleans:
        is_collapsible = core.collapsible(page.document)[page.flat.numbers]
        return page.flat.within(is_collapsible | page.named(_ACCORDIONS))

    return page.cached(folded, compute)


def hidden(page: Outline) -> Booleans:
    """Return a mask of the elements that ``core/visibility.cpp`` considers hidden."""
    return core.hidden(page.document)[page.flat.numbers]
