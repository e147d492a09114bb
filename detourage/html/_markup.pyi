"""Conversion of serialised HTML, in UTF-8, to XML or to the columns of a flat document."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

_Column = npt.NDArray[np.int64]

def cut(html: bytes, /) -> tuple[bytes, bytes]: ...
def to_xml(
    html: bytes,
    noscript: Callable[[bytes], bytes] | None,
    page: bytes = ...,
    ranges: bytes = ...,
    /,
) -> bytes:
    """Convert HTML as serialised by a parser to XML, with the ranges that were cut out of the page.

    `noscript` parses and serialises the content of a ``noscript`` element; if it is None, the
    content remains text.
    Names are in lower case, with ``_`` for characters not allowed in XML element names. Attributes
    whose names contain such characters, namespace declarations, comments, processing instructions,
    the document type and characters not allowed in XML are omitted.
    """

def flatten(
    html: bytes,
    noscript: Callable[[bytes], bytes] | None,
    seed: int,
    page: bytes = ...,
    ranges: bytes = ...,
    /,
) -> tuple[Any, ...] | None: ...
def survey(html: bytes, /) -> tuple[int, int, int, bool, list[bytes]]: ...
def positions(
    html: bytes, texts: bytes, is_raw: npt.NDArray[np.bool_], is_whole: bool, /
) -> tuple[bytes, bytes]: ...
def around(parents: _Column, marked: npt.NDArray[np.bool_], /) -> tuple[bytes, bytes]: ...
def words(name: str, /) -> frozenset[str]: ...
def named(names: list[str], words: list[str], /) -> bytes: ...
def strings(utf8: bytes, places: _Column = ..., /) -> list[str]: ...
def starts(utf8: bytes, /) -> bytes: ...
def values(
    utf8: bytes, starts: bytes, owners: _Column, names: _Column, name: int, /
) -> dict[int, str]: ...
