"""Descriptions of evidence: a readable phrase and an aspect for every column."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from detourage.reader.evidence import MAX_AWAY, OFFSETS, TAGS, UNKNOWN
from detourage.reader.evidence.elements import AROUND, INNER_TAGS
from detourage.reader.evidence.layout import MAX_SINCE
from detourage.reader.evidence.page import BUILT_OF, BUILT_WITH
from detourage.reader.evidence.role_vocabulary import ROLE_PHRASES, UNSPACED
from detourage.reader.evidence.wording import GROUPS, OPENING
from detourage.reader.vocabulary import PARTS
from detourage.reader.whole_page import DECLARED, WORDS_OF_HOSTS, WORDS_OF_PATHS
from detourage.text.plural import counted

Phrase = Callable[[float], str]


CONTEXT = ("context", "its words, its markup and the lines around it")
"""Aspect and phrase for the evidence that no other aspect covers."""


@dataclass(frozen=True)
class Aspect:
    """Columns of similar evidence, whose contributions are reported together."""

    name: str
    columns: tuple[int, ...]


def phrase(column: str, value: float) -> str:
    """Describe a column's value in words; a column without a phrase is described by its name."""
    say = _PHRASES.get(column)
    return say(value) if say is not None else f"{column.replace('_', ' ')} {value:.3g}"


def _share(of: str, unknown: str = "") -> Phrase:
    def say(value: float) -> str:
        if value == UNKNOWN and unknown:
            return unknown
        amount = "none" if value <= 0 else "all" if value >= 1 else f"{100 * value:.0f} %"
        return f"{amount} of {of}"

    return say


def _flag(yes: str, no: str, unknown: str = "") -> Phrase:
    return lambda value: unknown if value == UNKNOWN and unknown else yes if value > 0 else no


def _count(one: str, many: str, after: str = "", unknown: str = "") -> Phrase:
    def say(value: float) -> str:
        if value == UNKNOWN and unknown:
            return unknown
        number = "no" if value == 0 else f"{value:.0f}"
        return f"{number} {one if value == 1 else many}{after}"

    return say


def _tag(which: str) -> Phrase:
    def say(value: float) -> str:
        return f"{which} is {'another' if value == UNKNOWN else TAGS[int(value)]}"

    return say


def _headline_distance(value: float) -> str:
    if value <= -1000:
        return "the page shows no headline"
    if value == 0:
        return "is the headline's line"
    side = "below" if value > 0 else "above"
    lines = "line" if abs(value) == 1 else "lines"
    return f"{abs(value):.0f} {lines} {side} the headline"


def _sentence_density(value: float) -> str:
    return (
        f"a sentence end every {counted(round(1 / value), 'word')}"
        if value > 0
        else "no sentence end"
    )


def _packet_to_densest(value: float) -> str:
    if value <= 0:
        return "no sentences in its block of text"
    if value >= 1:
        return "in the block of text with the most sentences"
    return f"its block of text has {100 * value:.0f} % as many sentences as the page's densest"


def _kept_by_sentences(value: float) -> str:
    if value >= 1:
        return "among the page's densest sentences"
    return f"{'a box within' if value > 0 else 'outside'} the page's densest sentences"


def _flag_of_repeats(value: float) -> str:
    return f"{value:.0f} times on the page" if value > 1 else "once on the page"


def _far(of: str, side: str) -> Phrase:
    def say(value: float) -> str:
        return f"no long text {side} it" if value >= MAX_AWAY else f"{value:.0f} {of} {side} it"

    return say


def _named(part: str) -> Phrase:
    def say(value: float) -> str:
        where = (
            "in no element"
            if value <= 0
            else "in an element"
            if value >= 1
            else "deep inside an element"
        )
        return f"{where} named {part}"

    return say


_NO_OTHER = "no other page to compare with"

_ASPECTS: Mapping[str, Mapping[str, Phrase]] = {
    "length": {
        "words": _count("word", "words"),
        "word_length": lambda value: f"{value:.1f} characters per word",
    },
    "links": {"link_density": _share("it is links")},
    "sentences": {
        "sentences": _count("sentence end", "sentence ends"),
        "sentence_density": _sentence_density,
        "commas": _count("comma", "commas"),
        "ends_sentence": _flag("ends like a sentence", "does not end like a sentence"),
        "ends_in_colon": _flag("ends in a colon", "does not end in a colon"),
        "starts_capital": _flag("begins with a capital", "does not begin with a capital"),
        "has_quote": _flag("contains a quotation mark", "contains no quotation mark"),
    },
    "characters": {
        "digits": _share("its characters are digits"),
        "capitals": _share("its characters are capitals"),
        "ideographs": _share("it is in a script without spaces"),
        "has_date": _flag("contains a date or a time", "contains no date"),
        "has_parter": _flag("contains a separator, as in menus", "contains no separator"),
    },
    "element": {
        "tag": _tag("its element"),
        "parent_tag": _tag("the element around its own"),
        "depth": lambda value: f"{counted(round(value), 'element')} deep",
        "lists": _flag("in a list", "in no list"),
        "tables": _flag("in a table", "in no table"),
        "hidden": _flag("hidden by its style", "not hidden"),
    },
    "names around": {
        "body_names_here": _flag(
            "its element is named like an article", "its element is not named like an article"
        ),
        "other_names_here": _flag(
            "its element is named like a menu, a box or a note",
            "its element is not named like a menu, a box or a note",
        ),
        "body_names": _count("element", "elements", " around it named like an article"),
        "other_names": _count(
            "element", "elements", " around it named like a menu, a box or a note"
        ),
        "sections": _flag(
            "in a nav, header, footer, aside or form",
            "in no nav, header, footer, aside or form",
        ),
        "uninteresting": _flag(
            "in a section named like a menu, share buttons or related links",
            "in no section named like a menu, share buttons or related links",
        ),
        "in_article": _flag("in an article or main element", "in no article or main element"),
    },
    "position": {
        "line": lambda value: f"line {value + 1:.0f} of the page",
        "line_share": _share("the page's lines come before"),
        "words_before": _share("the page's words come before"),
        "prose_before": _share("the page's sentences come before"),
        "lines_of_page": _count("line", "lines", " in the page"),
        "words_of_page": _count("word", "words", " in the page"),
    },
    "parts of the page": {f"named_{part}": _named(part) for part in PARTS},
    "wording": {
        "ends_in_ellipsis": _flag("ends in an ellipsis", "does not end in an ellipsis"),
        "copyright": _flag("contains a copyright sign", "contains no copyright sign"),
        "address": _flag("contains an address", "contains no address"),
        "starts_digit": _flag("begins with a digit", "does not begin with a digit"),
        "starts_mark": _flag("begins with punctuation", "does not begin with punctuation"),
        "capitalised": _share("its words are capitalised"),
        "years": _count("year", "years"),
        "ends_in_question": _flag("ends in a question mark", "does not end in a question mark"),
        "early_colon": _flag("has a colon near its start", "has no colon near its start"),
    },
    "similar lines": {
        "siblings": _count("line", "lines", " in similar places"),
        "sibling_words": _share("the page's words are in similar places"),
        "sibling_prose": _share("the text in similar places is sentences"),
        "sibling_links": _share("the text in similar places is links"),
        "sibling_length": lambda value: (
            f"{counted(round(value), 'word')} per line in similar places"
        ),
        "sibling_share": _share("the page's lines with sentences are in similar places"),
        "same_text": _flag_of_repeats,
    },
    "text around": {
        "packet_sentences": _count("sentence end", "sentence ends", " in its block of text"),
        "packet_prose": _count("word", "words", " of sentences in its block of text"),
        "packet_words": _count("word", "words", " in its block of text"),
        "packet_lines": _count("line", "lines", " in its block of text"),
        "packet_link_density": _share("its block of text is links"),
        "packet_prose_density": _share("its block of text is sentences"),
        "packet_share": _share("the page's sentences are in its block of text"),
        "packet_to_densest": _packet_to_densest,
        "in_densest_packet": _flag(
            "in the page's densest block of text", "not in the page's densest block of text"
        ),
        "prose_share_around": _share("the page's sentences are around it"),
        "link_density_around": _share("the text around it is links"),
        "prose_density_around": _share("the text around it is sentences"),
        "lines_around": _count("line", "lines", " around it"),
        "prose_share_around_that": _share("the page's sentences are further around it"),
        "link_density_around_that": _share("the text further around it is links"),
        "prose_density_around_that": _share("the text further around it is sentences"),
        "lines_around_that": _count("line", "lines", " further around it"),
        "kept_by_sentences": _kept_by_sentences,
        "in_sentences_container": _flag(
            "directly in the element of the densest sentences",
            "not directly in the element of the densest sentences",
        ),
    },
    "headline": {
        "lines_from_headline": _headline_distance,
        "in_headline": _share("its words are in the headline"),
        "of_headline": _share("the headline's words are in it"),
        "in_description": _share(
            "its words are in the page's description", "the page has no description"
        ),
    },
    "other page": {
        "text_on_other": _flag(
            "repeated on the other page of the template",
            "not on the other page of the template",
            _NO_OTHER,
        ),
        "path_on_other": _flag(
            "the other page has text in the same place",
            "the other page has no such place",
            _NO_OTHER,
        ),
        "lines_at_path": _count("line", "lines", " in the same place of the other page", _NO_OTHER),
        "words_at_path": _count("word", "words", " in the same place of the other page", _NO_OTHER),
        "new_at_path": _share(
            "the text in the same place of the other page is unique to that page",
            "nothing in the same place of the other page",
        ),
    },
}

_NEIGHBOURS = {
    -2: "the second line before",
    -1: "the line before",
    1: "the line after",
    2: "the second line after",
}


def _of_neighbours() -> Iterator[tuple[str, Phrase]]:
    for offset in OFFSETS:
        which = _NEIGHBOURS[offset]
        none = f"there is no {which.removeprefix('the ')}"
        yield f"words{offset:+d}", _count("word", "words", f" in {which}", none)
        yield f"link_density{offset:+d}", _share(f"{which} is links", none)
        yield (
            f"sentences{offset:+d}",
            _count("sentence end", "sentence ends", f" in {which}", none),
        )
        yield (
            f"same_container{offset:+d}",
            _flag(
                f"in the same block of text as {which}", f"in a different block from {which}", none
            ),
        )


def _of_distances() -> Iterator[tuple[str, Phrase]]:
    for side in ("before", "after"):
        text = f"the next long text {side} it"
        none = f"there is no long text {side} it"
        yield f"lines_to_prose_{side}", _far("lines to the next long text", side)
        yield f"words_to_prose_{side}", _far("words to the next long text", side)
        yield (
            f"prose_in_container_{side}",
            _flag(
                f"in the same block of text as {text}", f"in a different block from {text}", none
            ),
        )
        yield (
            f"prose_at_path_{side}",
            _flag(f"in a place like that of {text}", f"in a different place from {text}", none),
        )
        yield (
            f"prose_around_{side}",
            _flag(f"in the same element as {text}", f"in a different element from {text}", none),
        )
        yield (
            f"prose_lines_{side}",
            _count("long line of text", "long lines of text", f" {side} it"),
        )
    yield "line_of_packet", _count("line", "lines", " of its block of text before it")
    yield "line_to_packet_end", _count("line", "lines", " of its block of text after it")


def _of_the_page() -> Iterator[tuple[str, Phrase]]:
    for tag in BUILT_OF:
        yield f"{tag}_elements", _count(f"{tag} element", f"{tag} elements", " on the page")
    for name in BUILT_WITH:
        yield (
            f"{name}_attributes",
            _count(f"element with {name}", f"elements with {name}", " on the page"),
        )
    yield "elements", _count("element", "elements", " on the page")
    yield "metas", _count("declaration", "declarations", " in meta elements")
    yield "og_metas", _count("OpenGraph declaration", "OpenGraph declarations")
    yield "twitter_metas", _count("Twitter declaration", "Twitter declarations")
    yield "has_viewport", _flag("adapted to small screens", "not adapted to small screens")
    yield "largest_run", _count("sibling", "siblings", " in the largest run of similar elements")
    yield "largest_run_share", _share("the page's words are in its largest run of similar elements")
    for kind in DECLARED:
        yield (
            f"declared_{kind}",
            _flag(f"the page declares a type of {kind}", f"the page declares no type of {kind}"),
        )
    yield "declared_types", _count("declared type", "declared types", " on the page")
    yield "url_depth", _count("part", "parts", " in the path of the address")
    yield "url_hyphens", _count("hyphen", "hyphens", " in the last part of the address")
    yield "url_digits", _count("digit", "digits", " in the path of the address")
    yield "url_query", _count("character", "characters", " in the query of the address")
    for kind in WORDS_OF_PATHS:
        typical = f"typical of addresses of the kind {kind}"
        yield (
            f"url_word_{kind}",
            _flag(f"a word {typical} in the path", f"no word {typical} in the path"),
        )
        yield (
            f"url_part_{kind}",
            _flag(f"a part {typical} in the path", f"no part {typical} in the path"),
        )
    for kind in WORDS_OF_HOSTS:
        typical = f"typical of hosts of the kind {kind}"
        yield (
            f"url_host_{kind}",
            _flag(f"a word {typical} in the host", f"no word {typical} in the host"),
        )
    yield "long_lines", _count("long line", "long lines", " on the page")
    yield "median_words", _count("word", "words", " in the median line of the page")


def _of_repetition() -> Iterator[tuple[str, Phrase]]:
    for offset, side in ((-3, "third line before"), (3, "third line after")):
        yield f"words{offset:+d}", _count("word", "words", f" in the {side}", f"there is no {side}")
    for offset, side in ((-1, "before"), (1, "after")):
        for name, what in (("parent", "parent"), ("block", "element")):
            yield (
                f"same_{name}{offset:+d}",
                _flag(f"same {what} as the line {side}", f"different {what} from the line {side}"),
            )
    for name in ("heading", "h1"):
        yield f"lines_since_{name}", _since(name)
    yield "seen_before", _count("line", "lines", " before it with the same text")


def _since(what: str) -> Phrase:
    after = _count("line", "lines", f" since the last {what}")
    return lambda value: f"no {what} before it" if value >= MAX_SINCE else after(value)


def _of_surroundings() -> Iterator[tuple[str, Phrase]]:
    for name in AROUND:
        yield f"within_{name}", _flag(f"inside markup for {name}", f"not inside markup for {name}")
    yield "inner_tag", _inner_tag
    yield "text_nodes", _count("text node", "text nodes")
    yield "block_words", _count("word", "words", " in its element")
    yield "parent_words", _count("word", "words", " in its parent")
    yield "starts_parent", _flag("at the start of its parent", "not at the start of its parent")


def _inner_tag(value: float) -> str:
    return (
        "its text begins in another kind of element"
        if value == UNKNOWN
        else f"its text begins in a <{INNER_TAGS[int(value)]}> element"
    )


def _of_role_words() -> Iterator[tuple[str, Phrase]]:
    for group in GROUPS:
        yield f"says_{group}", _count("word", "words", f" typical of {_typical(group)}")
    for group in ROLE_PHRASES:
        yield f"says_{group}_share", _share(f"its words are typical of {_typical(group)}")
    for group in OPENING:
        of_group = f"typical of {_typical(group)}"
        yield (
            f"begins_{group}",
            _flag(f"begins with a word {of_group}", f"does not begin with a word {of_group}"),
        )
    yield "date_share", _share("its words are parts of dates")
    for name, _ in UNSPACED:
        of_group = f"typical of {_typical(name.removeprefix('han_'))}"
        yield name, _flag(f"characters {of_group}", f"no characters {of_group}")


def _typical(group: str) -> str:
    """Return the plural noun for the words of a group, as in "typical of bylines"."""
    return {
        "byline": "bylines",
        "date": "publication dates",
        "reading": "reading times",
        "picture": "picture credits",
        "related": "links to related articles",
        "share": "share buttons",
        "offer": "promotions",
        "legal": "legal notes",
        "note": "editorial notes",
        "bearer": "author biographies",
        "comment": "comment sections",
        "source": "sources",
        "months": "dates",
        "weekdays": "dates",
    }.get(group, group)


_ALL: Mapping[str, Mapping[str, Phrase]] = {
    **_ASPECTS,
    "punctuation": {
        "all_capitals": _flag("all in capitals", "not all in capitals"),
        "is_quoted": _flag("in quotation marks", "not in quotation marks"),
        "has_arrow": _flag("begins or ends with an arrow", "has no arrow at either end"),
        "starts_item": _flag(
            "begins with a bullet or dash", "does not begin with a bullet or dash"
        ),
        "programs": _count("code symbol", "code symbols"),
        "bars": _count("separator", "separators"),
    },
    "adjacent lines": dict(_of_repetition()),
    "surroundings": dict(_of_surroundings()),
    "words by role": dict(_of_role_words()),
    "neighbours": dict(_of_neighbours()),
    "long text near it": dict(_of_distances()),
    "page": dict(_of_the_page()),
}
_PHRASES = {column: say for phrases in _ALL.values() for column, say in phrases.items()}


@cache
def aspects_of(columns: tuple[str, ...]) -> tuple[Aspect, ...]:
    """Assign each column to one aspect."""
    known = [
        Aspect(name, tuple(columns.index(column) for column in phrases if column in columns))
        for name, phrases in _ALL.items()
    ]
    others = [
        Aspect(column.replace("_", " "), (place,))
        for place, column in enumerate(columns)
        if column not in _PHRASES
    ]
    return (*known, *others)
