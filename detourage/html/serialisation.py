"""Parsing and serialisation of a page according to the HTML standard."""

import re
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

# The parser's events are disabled, because they emulate scripts, for example by copying the
# selected option into its button.
OPTIONS: Final = LexborDocumentOptions.WO_EVENTS

_PLAINTEXT = re.compile(r"<plaintext(?=[\s/>])", re.IGNORECASE)


def serialised(text: str) -> bytes:
    """Parse a page and serialise it according to the standard (section 13.3).

    A ``plaintext`` element is replaced by its content, because the serialisation of its text cannot
    be distinguished from markup.
    """
    parser = LexborHTMLParser(text, options=OPTIONS, scripting=True)
    if _PLAINTEXT.search(text):
        parser.unwrap_tags(["plaintext"])
    return (parser.html or "").encode()
