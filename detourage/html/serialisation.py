"""Parsing and serialisation of a page according to the HTML standard."""

from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

# The parser's events are disabled, because they emulate scripts, for example by copying the
# selected option into its button.
OPTIONS: Final = LexborDocumentOptions.WO_EVENTS


def serialise(markup: bytes, *, has_plaintext: bool = True) -> bytes:
    """Parse a page in UTF-8 and serialise it according to the standard (section 13.3).

    A ``plaintext`` element, if the page may have one, is replaced by its content, because the
    serialisation of its text cannot be distinguished from markup.
    """
    parser = LexborHTMLParser(markup, options=OPTIONS, scripting=True)
    if has_plaintext:
        parser.unwrap_tags(["plaintext"])
    return (parser.html or "").encode()
