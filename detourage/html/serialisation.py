"""Parsing and serialisation of a page according to the HTML standard."""

from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

# The parser's events are disabled, because they emulate scripts, for example by copying the
# selected option into its button.
OPTIONS: Final = LexborDocumentOptions.WO_EVENTS


def serialise(markup: bytes) -> bytes:
    """Parse a page in UTF-8 and serialise it according to the standard (section 13.3).

    A ``plaintext`` element is replaced by its content, because the serialisation of its text cannot
    be distinguished from markup.
    """
    parser = LexborHTMLParser(markup, options=OPTIONS, scripting=True)
    html = (parser.html or "").encode()
    if b"<plaintext" in html:
        parser.unwrap_tags(["plaintext"])
        html = (parser.html or "").encode()
    return html
