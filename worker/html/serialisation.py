"""A page parsed by the HTML standard, and written down again."""

import re
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

# The parser's events run what scripts would see: they copy the chosen option into its button.
OPTIONS: Final = LexborDocumentOptions.WO_EVENTS

_PLAINTEXT = re.compile(r"<plaintext(?=[\s/>])", re.IGNORECASE)


def serialised(text: str) -> bytes:
    """Parse a page, and write it as the standard says (section 13.3).

    Where a ``plaintext`` element would make the rest of the page one that cannot be told from
    markup, what it holds stands in its parent.
    """
    parser = LexborHTMLParser(text, options=OPTIONS, scripting=True)
    if _PLAINTEXT.search(text):
        parser.unwrap_tags(["plaintext"])
    return (parser.html or "").encode()
