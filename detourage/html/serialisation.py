"""Parsing and serialisation of a page according to the HTML standard.

As a script, this module serialises its input under limits on CPU time, memory and output. It
imports nothing from the package, which would take longer than parsing almost any page.
"""

import sys
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

# The parser's events are disabled, because they change the tree as scripts would, for example by
# copying the selected option into its button.
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


def _main() -> None:
    # Imported here because Windows has no such module, and only the script needs it.
    import resource

    seconds, memory, max_output = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    html = serialise(sys.stdin.buffer.read())
    if len(html) > max_output:
        sys.exit(1)
    sys.stdout.buffer.write(html)


if __name__ == "__main__":
    _main()
