"""Sets of HTML elements by their role in rendering; no other module defines any."""

from detourage.text.words import listed

_NEVER_TEXT = listed(
    "applet audio canvas embed frame frameset head iframe noframes noscript object script style "
    "template video"
)

UNSEEN = _NEVER_TEXT | listed(
    "area base basefont datalist link meta noembed param rp source title track"
)
"""Elements whose content browsers do not display as text (HTML standard, section 15.3.1)."""

CONTROLS = listed("button input optgroup option select textarea")
"""Interactive elements."""

NO_TEXT = _NEVER_TEXT | CONTROLS | listed("map math svg")
"""Elements without article text: those not rendered as text, controls, drawings and formulas."""

_WORDING = listed(
    "a abbr acronym b bdi bdo big blink cite code del dfn em font i ins kbd label mark nobr q rb "
    "rt ruby s samp small span strike strong sub sup time tt u var wbr"
)

INLINE = _WORDING | listed("button data img input map meter output picture progress rtc select svg")
"""Elements rendered within a line; all other elements start and end a line."""

WITHIN_SENTENCES = _WORDING | {"rp"}
"""Inline elements that contain words and do not interrupt a text, unlike images and controls."""

HEADINGS = listed("h1 h2 h3 h4 h5 h6")

DIVISIONS = HEADINGS | listed("p ul ol li dl dt dd blockquote pre center figure figcaption")
"""Blocks that divide a text; the element that contains the whole text encloses them."""

TABLE_PARTS = listed("table thead tbody tfoot tr caption")
"""Elements between a table and its cells."""
