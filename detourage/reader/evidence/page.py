"""Evidence from the whole page and from other pages of its template."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from detourage.inference import NamedColumn
from detourage.inference.features import median
from detourage.reader import sentences, titles, whole_page
from detourage.reader.evidence.view import UNKNOWN, View
from detourage.reader.knowledge import digest_of
from detourage.text import words

NO_HEADLINE = -1000.0
"""Distance from the headline, in lines, to use if the page displays no headline."""

BUILT_OF = (
    *("main", "header", "footer", "nav", "section", "aside", "figure", "svg", "button", "picture"),
    *("source", "video", "template", "input", "font", "center", "table", "article", "script"),
)
BUILT_WITH = (
    *("itemtype", "srcset", "data-src", "role", "aria-label", "style", "bgcolor", "loading"),
)
"""Tags and attributes that indicate when a page was built, and for what purpose."""

LONG = 20
"""Minimum number of words in a long line."""

_ON_OTHER = ("text_on_other", "path_on_other", "lines_at_path", "words_at_path", "new_at_path")


def of_declarations(view: View) -> Iterator[NamedColumn]:
    """Compare the line with the headline, the description and the body found by sentence counts."""
    page = view.page
    finding = sentences.find_body(page)
    container = finding.container if finding is not None else 0
    left_out = finding.dropped | finding.muted if finding is not None else frozenset[int]()
    inside = range(container, page.ends[container])
    kept = view.within([container]).astype(np.float64)
    kept[view.within([index for index in left_out if index in inside])] = 0.5
    title, heading = titles.headline(page, container, view.url)
    places = np.arange(len(view.lines))
    title_tokens = set(words.tokens(title or ""))
    in_title = view.words_among(title_tokens)
    shown = view.within([heading] if heading is not None else [])[view.blocks]
    description = set(words.tokens(titles.declared_description(page)))
    from_headline = places - np.argmax(shown) if shown.any() else np.full(len(places), NO_HEADLINE)
    in_description = (
        view.words_among(description) / view.distinct_words
        if description
        else np.full(len(view.lines), UNKNOWN)
    )
    yield "kept_by_sentences", kept[view.blocks]
    yield "in_sentences_container", view.containers == container
    yield "lines_from_headline", from_headline
    yield "in_headline", in_title / view.distinct_words
    yield "of_headline", in_title / max(1, len(title_tokens))
    yield "in_description", in_description


def of_template(view: View) -> Iterator[NamedColumn]:
    """Compare the line with the known pages of the template."""
    knowledge = view.knowledge
    if knowledge is None or not knowledge.pages:
        unknown = np.full(len(view.lines), UNKNOWN)
        for name in _ON_OTHER:
            yield name, unknown
        return
    pages = len(knowledge.pages)
    digests = [digest_of(line.tokens) for line in view.lines]
    known = knowledge.numbers_of(view.paths.steps)
    line_paths = [known[number] for number in view.path_numbers.tolist()]
    repeated: Counter[int] = Counter()
    for digest in set(digests):
        for line in knowledge.by_digest.get(digest, ()):
            repeated[line.path] += line.words
    words_at = knowledge.words_at
    new_at = [
        (words_at[path] - repeated[path]) / words_at[path] if words_at[path] else UNKNOWN
        for path in line_paths
    ]
    yield "text_on_other", [digest in knowledge.by_digest for digest in digests]
    yield "path_on_other", [path in words_at for path in line_paths]
    yield "lines_at_path", [knowledge.lines_at[path] / pages for path in line_paths]
    yield "words_at_path", [words_at[path] / pages for path in line_paths]
    yield "new_at_path", new_at


def of_whole_page(view: View) -> Iterator[NamedColumn]:
    """Describe the page; the values are the same for all of its lines."""
    page = view.page
    numbers: list[whole_page.Number] = [
        *whole_page.of_elements(page, BUILT_OF),
        *whole_page.of_attributes(page, BUILT_WITH),
        ("elements", len(page.flat.tag_numbers)),
        ("metas", len(page.metas)),
        ("og_metas", sum(name.startswith("og:") for name in page.metas)),
        ("twitter_metas", sum(name.startswith("twitter:") for name in page.metas)),
        ("has_viewport", "viewport" in page.metas),
        *whole_page.of_runs(page),
        *whole_page.of_declarations(page),
        *whole_page.of_address(view.url),
        ("long_lines", int(np.count_nonzero(view.counts >= LONG))),
        ("median_words", median(view.counts)),
    ]
    for name, number in numbers:
        yield name, np.full(len(view.lines), float(number))
