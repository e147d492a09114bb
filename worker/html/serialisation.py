"""Parsing of a page by the HTML standard, and its serialisation."""

import re
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

# The parser's events emulate scripts: they copy the chosen option into its button.
OPTIONS: Final = LexborDocumentOptions.WO_EVENTS

_PLAINTEXT = re.compile(r"<plaintext(?=[\s/>])", re.IGNORECASE)


def serialised(text: str) -> bytes:
    """Parse a page and serialise it by the standard (section 13.3).

    A ``plaintext`` element is replaced by its content, as serialised text inside it would be
    indistinguishable from markup.
    """
    parser = LexborHTMLParser(text, options=OPTIONS, scripting=True)
    if _PLAINTEXT.search(text):
        parser.unwrap_tags(["plaintext"])
    return (parser.html or "").encode()
