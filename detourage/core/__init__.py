"""Compiled core: it divides a page into lines, runs the network, and divides a body into blocks.

The core reads the columns of a flat document in linear time and releases the GIL.
Results are the same on every machine.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from detourage.core import _core
from detourage.html.flat import Booleans, FlatDocument, Integers, joined_strings
from detourage.html.visible_text import text_buttons
from detourage.text.token_counts import character_tables

WORDS, SHAPES, LINK_WORDS = _core.WORDS, _core.SHAPES, _core.LINK_WORDS
PLACES, NAMES, PAGE_WORDS = _core.PLACES, _core.NAMES, _core.PAGE_WORDS
"""Sizes of arrays of hashed words per line or page (``network_inputs.hpp``, ``lines.hpp``)."""

MAX_CELL_TOKENS = _core.MAX_CELL_TOKENS
"""Maximum number of tokens in a cell of a data table; tables with longer cells are layout."""

KNOWN = _core.KNOWN  # number of features that compare a line with other pages of the template

Floats = npt.NDArray[np.float32]


class Logits(NamedTuple):
    """Outputs of the network for a page, before the softmax; `roles` has a row per line."""

    roles: Floats
    kinds: Floats


class Network:
    """The network in a model file; raise ValueError if the file is damaged."""

    def __init__(self, model: bytes | memoryview) -> None:
        self._network = _core.load(model)

    def judge(self, page: FlatDocument, url: str, comparison: Floats | None = None) -> Logits:
        """Run the network on a whole document.

        `comparison` compares the lines with other pages of the template: it has `KNOWN` numbers per
        line, and is ignored if it has more or fewer rows than there are lines.
        """
        compared = np.empty(0, np.float32) if comparison is None else comparison
        count, *outputs = _core.judge(self._network, document(page), url, compared.tobytes())
        roles, kinds = (np.frombuffer(output, np.float32) for output in outputs)
        return Logits(roles.reshape(count, -1) if count else _NO_ROWS, kinds)


_NO_ROWS = np.empty((0, 1), np.float32)  # logits of the roles on a page without lines


def columns(page: FlatDocument, url: str) -> dict[str, Any]:
    """Return the network's inputs for each line, for training; see ``network_inputs.hpp``."""
    inputs: dict[str, Any] = _core.columns(document(page), url)
    return inputs


def packet(page: FlatDocument, *columns: Integers) -> tuple[int, list[int], bool]:
    """Return the element with the most sentences, -1 for none, and its children outside the text.

    The `columns` are those of `SentenceTexts` (``body_by_sentences.hpp``), and the elements that
    cleaning removes. The last result is whether these elements were left out.
    """
    return _core.packet(document(page), *columns)


def hidden(page: FlatDocument) -> Booleans:
    """Return a mask of the elements hidden by attributes or styles; see ``visibility.hpp``."""
    return np.frombuffer(_core.hidden(document(page)), np.bool_)


def collapsible(page: FlatDocument) -> Booleans:
    """Return a mask of the elements that readers can expand, and of the controls that do so."""
    return np.frombuffer(_core.collapsible(document(page)), np.bool_)


def blocks(page: FlatDocument, *body: Any) -> tuple[list[Any], list[Any]]:
    """Return the blocks of a body, and the places of its media; see `Body` in ``blocks.hpp``."""
    found: tuple[list[Any], list[Any]] = _core.blocks(document(page), *body)
    return found


def extent(
    page: FlatDocument, selected: FlatDocument, *body: Any
) -> tuple[int, int, Integers, Integers]:
    """Return the elements around a body and its core, and those to omit; see ``extent.hpp``."""
    columns = selected.numbers, selected.parents, selected.ends
    texts = selected.text_starts, selected.text_ends
    around, core, *left_out = _core.extent(document(page), *columns, *texts, *body)
    dropped, muted = (np.frombuffer(each, np.int64) for each in left_out)
    return around, core, dropped, muted


def candidates(
    page: FlatDocument, selected: FlatDocument, words: Integers, by_readers: npt.NDArray[np.float64]
) -> tuple[list[Any], bytes]:
    """Return the candidates for comments in a selection of a document, and their features.

    `words` and `by_readers` are the numbers of words, and of words by readers, in each text of the
    selection; see ``comments.hpp``.
    """
    names = selected.numbers, selected.tag_numbers, selected.name_numbers
    columns = selected.parents, selected.ends, selected.text_starts, selected.text_ends
    texts = selected.shown, words, by_readers
    return _core.candidates(document(page), *names, *columns, *texts)


def matching(page: FlatDocument, tag: str, name: str, path: str) -> Integers:
    """Return the elements of a document with a signature; see ``comments.hpp``."""
    elements = np.flatnonzero(page.having({tag}))
    found = _core.matching(document(page), elements, *(each.encode() for each in (name, path)))
    return np.frombuffer(found, np.int64)


def headlines(page: FlatDocument, *texts: Integers) -> tuple[list[str], float] | None:
    """Return the addresses of the headlines of a page that lists other pages, and its word count.

    `texts` are the columns of `DisplayedTexts` in ``menus.hpp``. Return None for any other page.
    """
    return _core.headlines(document(page), *texts)


def name_words(sets: Iterable[str]) -> Any:
    """Convert sets of words, each given as words separated by spaces, for `layout`."""
    return _core.name_words(joined_strings(sets))


def layout(
    page: FlatDocument, words: Any, rows: Sequence[tuple[int, int, int]], count: int
) -> tuple[list[list[list[int]]], list[Any]]:
    """Return the columns of the layout of `count` comments, and their aligned texts.

    `words` is the result of `name_words`. `rows` has the element, the comment and the position of
    each row. See ``layout.hpp``.
    """
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T.copy()
    shown = page.shown, page.text_starts, page.text_ends
    *groups, aligned = _core.layout(document(page), words, *shown, *columns, count)
    return [[np.frombuffer(each, np.int64).tolist() for each in group] for group in groups], aligned


BELOW_IMAGE = 2  # bit of `captions` for a place below an image; the other bit is for a name


def captions(
    page: FlatDocument, displayed: FlatDocument, lines: Integers, sizes: Integers
) -> npt.NDArray[np.uint8]:
    """Return the evidence that each displayed element is a caption, as bits; see ``captions.hpp``.

    `lines` and `sizes` are the lines of the displayed texts and their numbers of tokens.
    """
    columns = displayed.numbers, displayed.text_starts, displayed.text_ends, displayed.shown
    return np.frombuffer(_core.captions(document(page), *columns, lines, sizes), np.uint8)


def meanings(page: FlatDocument, elements: Integers, *displayed: Integers) -> bytes:
    """Return the meanings of the names of elements and their ancestors; see ``meanings.hpp``."""
    return _core.meanings(document(page), elements, *displayed)


class PartLinks(NamedTuple):
    """Runs of page numbers ("1 2 3") and links with a label, on a page; see ``pagination.hpp``.

    Each number of a run comes with the element of its link, or None. The label of a link is None if
    the link has no text.
    """

    runs: list[list[tuple[int, int | None]]]
    labelled: list[tuple[int, str | None]]

    @classmethod
    def of(cls, page: FlatDocument, words: Any) -> Self:
        """Find the links in a document; `words` is the `word_set` of labels."""
        columns = page.shown, page.text_starts, page.text_ends
        return cls(*_core.part_links(document(page), words, *columns))


def word_set(words: Iterable[str]) -> Any:
    """Convert lower-case words for `PartLinks` and `words_in`."""
    return _core.word_set(joined_strings(words))


def words_in(text: str, words: Any) -> list[str]:
    """Return the words of a text (letters, digits and underscores) that are in a `word_set`."""
    return _core.words_in(words, text.encode("utf-8", "replace"), character_tables().traits)


def parts_in_values(page: FlatDocument, parts: Iterable[str]) -> bytes:
    """Return for each lower-case part 1 if any attribute's value contains it near the start."""
    return _core.parts_in_values(document(page), joined_strings(parts))


def lexicon(phrases: Iterable[str]) -> Any:
    """Convert phrases, each after its concept's number, for `concepts`; see ``lexicon.hpp``."""
    return _core.lexicon(joined_strings(map(str.lower, phrases)), *character_tables())


def concepts(
    lexicon: Any, texts: Iterable[str], max_words: int
) -> tuple[Integers, npt.NDArray[np.uint32]]:
    """Return the word counts of the texts that have words, and the concepts of each word.

    Concepts are bits. At most `max_words` words are read.
    """
    lower = joined_strings(text.replace("\0", " ").lower() for text in texts)
    sizes, masks = _core.concepts(lexicon, lower, max_words)
    return np.frombuffer(sizes, np.int64), np.frombuffer(masks, np.uint32)


def may_hold_comments(utf8: bytes) -> bool:
    """Return whether a text of a page, such as a script, may contain comments as JSON."""
    return _core.may_hold_comments(utf8)


def within_lines(page: FlatDocument) -> Booleans:
    """Return a mask of the elements that do not interrupt a line, computed once.

    They are `WITHIN_SENTENCES`, buttons within a text, and, in a sentence, unknown elements.
    """
    return page.once(within_lines, lambda: np.frombuffer(_core.within(document(page)), np.bool_))


def document(page: FlatDocument) -> Any:
    """Return a whole document in the form that the functions of `_core` require, converted once."""
    return page.once(document, lambda: _converted(page))


def _converted(page: FlatDocument) -> Any:
    pieces, attributes = page.pieces, page.attributes
    return _core.document(
        joined_strings(page.distinct_tags),
        pieces.utf8,
        joined_strings(attributes.distinct),
        attributes.utf8,
        *character_tables(),
        *(page.tag_numbers, page.parents, page.ends),
        *(pieces.parents, pieces.after),
        *(attributes.owners, attributes.names, text_buttons(page)),
    )
