"""Page messages from a path given on the command line."""

import os
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

from detourage.inputs.html import UNKNOWN, Origin, is_html, read_html_file
from detourage.inputs.lines import read_lines
from detourage.inputs.streams import STANDARD_INPUT, SourceError
from detourage.inputs.warc import read_warc

Reader = Callable[[Path], Iterator[bytes]]


def read_messages(
    path: Path | str, origin: Origin = UNKNOWN, left_out: Collection[Path] = ()
) -> Iterator[bytes]:
    """Return the raw page messages from a file, a folder or standard input (``-``), read lazily.

    ``path`` is a file of JSON lines (or a special file, such as a pipe), a WARC archive, an HTML
    file, or a folder with such files at any depth, except those ``left_out``; files may be gzipped.
    Raise `SourceError` immediately if the path is missing or unsupported, or while reading if a
    file is damaged or truncated.
    """
    path = Path(path)
    if path == STANDARD_INPUT:
        return read_lines(path)
    try:
        exists = path.exists()
    except OSError as error:
        raise SourceError(path, f"cannot be read: {error.strerror}") from error
    if not exists:
        raise SourceError(path, "no such file or folder")
    if path.is_dir():
        return _read_folder(path, origin, {each.resolve() for each in left_out})
    reader = _reader_of(path, path.parent, origin)
    if reader is not None:
        return reader(path)
    if not path.is_file():
        return read_lines(path)
    raise SourceError(path, "is neither JSON lines (.jsonl) nor WARC (.warc) nor HTML (.html)")


def _read_folder(folder: Path, origin: Origin, left_out: Collection[Path]) -> Iterator[bytes]:
    files = (each for each in _files_of(folder, origin) if each[0].resolve() not in left_out)
    first = next(files, None)
    if first is None:
        raise SourceError(folder, "contains no JSON lines, WARC or HTML files")
    return chain.from_iterable(reader(path) for path, reader in chain([first], files))


def _files_of(folder: Path, origin: Origin) -> Iterator[tuple[Path, Reader]]:
    def fail(error: OSError) -> None:
        raise SourceError(error.filename or folder, f"cannot be read: {error.strerror}") from error

    for directory, subdirectories, names in os.walk(folder, onerror=fail):
        subdirectories.sort()
        for name in sorted(names):
            path = Path(directory, name)
            if (reader := _reader_of(path, folder, origin)) is not None:
                yield path, reader


def _reader_of(path: Path, folder: Path, origin: Origin) -> Reader | None:
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix in (".jsonl", ".ndjson"):
        return read_lines
    if suffix == ".warc":
        return read_warc
    if is_html(path):
        return partial(read_html_file, folder=folder, origin=origin)
    return None
