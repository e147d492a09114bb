"""The elements of HTML by the part that they play where a page is shown: the one list of each."""


def _tags(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_NEVER_TEXT = _tags(
    "applet audio canvas embed frame frameset head iframe noframes noscript object script style "
    "template video"
)

UNSEEN = _NEVER_TEXT | _tags(
    "area base basefont datalist link meta noembed param rp source title track"
)
"""Elements whose content a browser does not show as text (HTML standard, section 15.3.1)."""

CONTROLS = _tags("button input optgroup option select textarea")
"""Elements that a reader acts on."""

NO_TEXT = _NEVER_TEXT | CONTROLS | _tags("map math svg")
"""Elements that hold nothing of what a page tells: those that a browser shows no text of, and its
controls, drawings and formulas, which it does."""

_WORDING = _tags(
    "a abbr acronym b bdi bdo big blink cite code del dfn em font i ins kbd label mark nobr q rb "
    "rt ruby s samp small span strike strong sub sup time tt u var wbr"
)

INLINE = _WORDING | _tags("button data img input map meter output picture progress rtc select svg")
"""Elements that a browser sets within a line; every other one begins and ends a line of its own."""

WITHIN_SENTENCES = _WORDING | {"rp"}
"""Elements that leave a text in one piece: those within a line that hold words. An image or a
control within a line parts what stands before it from what follows, as a caption from its text."""

HEADINGS = _tags("h1 h2 h3 h4 h5 h6")
"""Headings."""

DIVISIONS = HEADINGS | _tags("p ul ol li dl dt dd blockquote pre center figure figcaption")
"""Blocks that divide a text: the element that holds the text is around them."""

TABLE_PARTS = _tags("table thead tbody tfoot tr caption")
"""What stands between a table and its cells."""
