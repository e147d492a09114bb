"""HTML elements by their role in rendering. Each list is defined only here."""


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
"""Interactive elements."""

NO_TEXT = _NEVER_TEXT | CONTROLS | _tags("map math svg")
"""Elements without article text: not rendered as text, or controls, drawings and formulas."""

_WORDING = _tags(
    "a abbr acronym b bdi bdo big blink cite code del dfn em font i ins kbd label mark nobr q rb "
    "rt ruby s samp small span strike strong sub sup time tt u var wbr"
)

INLINE = _WORDING | _tags("button data img input map meter output picture progress rtc select svg")
"""Elements rendered within a line; all others start and end a line of their own."""

WITHIN_SENTENCES = _WORDING | {"rp"}
"""Elements that do not interrupt a text: inline elements that contain words. An image or a control
within a line separates the text before it from the text after it, as a caption from its paragraph.
"""

HEADINGS = _tags("h1 h2 h3 h4 h5 h6")

DIVISIONS = HEADINGS | _tags("p ul ol li dl dt dd blockquote pre center figure figcaption")
"""Blocks that divide a text; the element that holds the text encloses them."""

TABLE_PARTS = _tags("table thead tbody tfoot tr caption")
"""Elements between a table and its cells."""
