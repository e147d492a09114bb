"""File formats for many articles. Command-line options need this module, so it imports little."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Final, Literal, get_args

from detourage.command_errors import ExpectedError, require_extra

FileFormat = Literal["jsonl", "parquet"]
FILE_FORMATS: Final[tuple[FileFormat, ...]] = get_args(FileFormat)

SUFFIXES: Final[Mapping[FileFormat, str]] = {"jsonl": ".jsonl.gz", "parquet": ".parquet"}
"""Suffixes of the files of an export by day."""


def format_of(path: Path) -> FileFormat:
    """Return the format that the name of a file implies; raise ExpectedError if it is unknown."""
    suffix = PurePath(path.name.lower().removesuffix(".gz")).suffix
    if suffix not in ("", ".json", ".jsonl", ".ndjson", ".parquet"):
        raise ExpectedError(f"no format ends in {suffix}: give --format, or use .jsonl or .parquet")
    return "parquet" if suffix == ".parquet" else "jsonl"


def require_format(form: FileFormat) -> None:
    """Raise `MissingExtraError` if a format needs an extra that is not installed."""
    if form == "parquet":
        require_extra("arrow", "writing Parquet files", "pyarrow")
