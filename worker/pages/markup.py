"""HTML as a parser serialises it, written as XML.

What comes out is well-formed, whatever comes in. The serialisation (HTML standard, section 13.3)
leaves little to decide: every attribute has a quoted value, every element but the void ones an end
tag, and a text every escape.
"""

from collections.abc import Callable

try:
    from worker.pages import _markup as implementation
except ImportError:
    from worker.pages import markup_fallback as implementation  # type: ignore[no-redef]

Noscript = Callable[[bytes], bytes]


def to_xml(html: bytes, noscript: Noscript | None = None) -> bytes:
    """Write serialised HTML as XML.

    Parameters
    ----------
    html
        HTML as a parser serialises it, UTF-8.
    noscript
        Given what a ``noscript`` element holds, which a parser that scripts runs takes for text;
        returns the XML that stands in its place. None to keep it a text.

    Returns
    -------
    bytes
        XML, UTF-8. Names are in lower case, with ``_`` for what XML has no place for in the name of
        an element; attributes of such names, those that declare namespaces, comments, processing
        instructions and the document type are left out, and so are characters that XML does not
        know.
    """
    return implementation.to_xml(html, noscript)
