"""File formats for many articles. Command-line options need this module, so it imports little."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Final, Literal, get_args

from detourage.expected_errors import ExpectedError, require_extra

FileFormat = Literal["jsonl", "parquet"]
FILE_FORMATS: Final[tuple[FileFormat, ...]] = get_args(FileFormat)

SUFFIXES: Final[Mapping[FileFormat, str]] = {"jsonl": ".jsonl.gz", "parquet": ".parquet"}
"""Suffixes of the files of an export by day."""


def format_of(path: Path) -> FileFormat:
    """Return the format that the name of a file implies; raise ExpectedError if it is unknown."""
    name = path.name.lower()
    if name.endswith(".parquet"):
        return "parquet"
    if PurePath(name.removesuffix(".gz")).suffix not in ("", ".json", ".jsonl", ".ndjson"):
        ending = "".join(PurePath(name).suffixes[-2:])
        raise ExpectedError(f"no format ends in {ending}: give --format, or use .jsonl or .parquet")
    return "jsonl"


def require_format(form: FileFormat) -> None:
    """Raise `MissingExtraError` if a format needs an extra that is not installed."""
    if form == "parquet":
        require_extra("arrow", "writing Parquet files", "pyarrow")
