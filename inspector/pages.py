"""Rendering of HTML templates: everything is escaped, and only web URLs become links."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import cycle
from typing import Any, Final
from urllib.parse import quote, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from detourage.export.markdown_and_html import Run
from detourage.html.urls import split_url
from detourage.text.plural import pluralise, short_age, shorten
from inspector.reads.sites import TrendPart
from inspector.request import InspectorRequest
from inspector.site_map import key

RIGHT_TO_LEFT = re.compile(r"(?:ar|fa|he|ur|ps|sd|ug|yi|dv|ckb)\b")
"""Pattern of the tags of right-to-left languages."""

MAX_URL_CHARACTERS: Final = 44
"""Maximum length of a shortened URL, in characters."""


def render(template: str, request: InspectorRequest, values: Mapping[str, Any]) -> str:
    """Render a view's template for a request."""
    return _ENVIRONMENT.get_template(template).render(
        request=request,
        path=request.http.url.path,
        **values,
    )


def abridge(url: str) -> str:
    """Return a URL's path and query, with an ellipsis in the middle if they are too long."""
    parts = urlsplit(url)
    path = quote(parts.path + (f"?{parts.query}" if parts.query else ""), safe="/%?&=+,;:!~()'@")
    if len(path) <= MAX_URL_CHARACTERS:
        return path or "/"
    half = MAX_URL_CHARACTERS // 2
    return f"{path[: half - 1]}…{path[-half:]}"


def instant(moment: datetime | str | None) -> Markup:
    """Return a time element in UTC; a script converts it to the user's time zone."""
    if moment is None:
        return Markup('<span class="none">–</span>')
    try:
        parsed = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        utc = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        # A page's date may be out of range, or become so when it is converted to UTC.
        return Markup("{}").format(moment)
    iso_time = utc.isoformat().replace("+00:00", "Z")
    return Markup('<time datetime="{0}" title="{0}">{1}</time>').format(
        iso_time, f"{utc.day} {utc:%b %Y %H:%M} UTC"
    )


def web_link(url: str | None, text: str | None = None) -> Markup:
    """Return a web URL as a link, and any other URL as text."""
    if not url:
        return Markup("")
    label = text or breakable(shorten(url, 90))
    if not is_web_url(url):
        return Markup('<span class="address" title="{}">{}</span>').format(url, label)
    return Markup(
        '<a class="address" href="{0}" title="{0}" rel="noreferrer noopener"'
        ' target="_blank">{1}</a>'
    ).format(url, label)


def render_runs(runs: Iterable[Run]) -> Markup:
    """Render runs of text with their links and emphasis."""
    rendered = []
    for run in runs:
        text = Markup("{}").format(run.text)
        if run.is_bold:
            text = Markup("<strong>{}</strong>").format(text)
        if run.is_italic:
            text = Markup("<em>{}</em>").format(text)
        if run.url and is_web_url(run.url):
            text = Markup(
                '<a href="{0}" title="{0}" rel="noreferrer noopener" target="_blank">{1}</a>'
            ).format(run.url, text)
        rendered.append(text)
    return Markup("").join(rendered)


def highlight(text: str, words: Sequence[str]) -> Markup:
    """Highlight words in a text, ignoring case."""
    if not words:
        return Markup("{}").format(text)
    # Longest first, as one word may be a prefix of another.
    pattern = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    # Texts between the words alternate with the words.
    parts = re.split(f"({pattern})", text, flags=re.IGNORECASE)
    markup = cycle([Markup("{}"), Markup("<mark>{}</mark>")])
    return Markup("").join(each.format(part) for each, part in zip(markup, parts, strict=False))


def is_web_url(url: str) -> bool:
    """Return whether a URL is an absolute web URL."""
    parts = split_url(url)
    return parts.scheme.lower() in ("http", "https") and bool(parts.hostname)


def direction(language: str | None) -> str:
    """Return the ``dir`` attribute for a language, which is ``auto`` if the language is unknown."""
    if language is None:
        return "auto"
    return "rtl" if RIGHT_TO_LEFT.match(language.lower()) else "ltr"


def number(value: float | None) -> str:
    """Format a whole number with thousands separators."""
    return "–" if value is None else f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def share(value: float | None) -> str:
    """Format a number from 0 to 1 with two decimals; no smaller number is rounded up to 1."""
    return "–" if value is None else f"{min(value, 0.99) if value < 1 else value:.2f}"


def age(seconds: float | None) -> str:
    """Format an age in its largest unit."""
    return "–" if seconds is None else short_age(seconds)


def rate(value: float) -> str:
    """Format a rate: 10 or more as a whole number, less with one decimal."""
    if value == 0 or value >= 10:
        return number(value)
    return f"{value:.1f}" if value >= 0.1 else "< 0.1"


def duration(seconds: float | None) -> str:
    """Format a duration with two significant digits."""
    if seconds is None:
        return ""
    return f"{1000 * seconds:.2g} ms" if seconds < 0.1 else f"{seconds:.2g} s"


def span(seconds: float) -> str:
    """Express a duration, such as that of a chart's bar, as ``hour`` or ``5 minutes``."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            number_of_units = round(seconds / length)
            return unit if number_of_units == 1 else pluralise(number_of_units, unit)
    return pluralise(round(seconds), "second")


def breakable(name: str) -> Markup:
    """Mark up a site name or URL with line-break opportunities between its parts."""
    return Markup("<wbr>").join(filter(None, re.findall(r"[^./_-]*[./_-]*", name)))


def trend_paths(parts: Sequence[TrendPart]) -> list[tuple[str, str]]:
    """Draw the stacked bars of a trend, 80 by 20 units in size, as one SVG path per category."""
    paths = {"rest": "", "article": "", "doubtful": ""}
    for index, part in enumerate(parts):
        top = 20.0
        trusted = part.articles - part.doubtful
        numbers = (trusted, part.doubtful, part.pages - part.articles)
        for kind, number in zip(("article", "doubtful", "rest"), numbers, strict=True):
            height = 20 * number / part.pages
            top -= height
            if number:
                paths[kind] += f"M{4 * index} {top:.1f}h3v{height:.1f}h-3z"
    return [(kind, path) for kind, path in paths.items() if path]


_ENVIRONMENT = Environment(
    loader=PackageLoader("inspector"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_FILTERS = (
    *(age, breakable, direction, duration, highlight, instant, number, pluralise, rate),
    *(render_runs, share, span, trend_paths, web_link),
)
_ENVIRONMENT.filters |= {each.__name__: each for each in _FILTERS}
_ENVIRONMENT.globals |= {"abridge": abridge, "key": key}
