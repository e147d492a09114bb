"""Option types for output files, which are checked before a command starts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detourage.export.formats import FILE_FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike


class OutputFolder(click.Path):
    """A folder into which a command writes, created if missing."""

    def __init__(self, **options: Any) -> None:
        super().__init__(path_type=Path, **({"file_okay": False} | options))

    def convert(
        self, value: str | PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return the path, or fail with the reason why it cannot be written."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        problem = self._problem(path)
        if problem is not None:
            self.fail(f"{str(path)!r} cannot be written: {problem}.", param, ctx)
        return path

    def _problem(self, path: Path) -> str | None:
        return folder_problem(path, is_made=True)


class OutputFile(OutputFolder):
    """An output file.

    With ``is_replaced``, a new file replaces any existing one, in a folder created if missing.
    """

    def __init__(self, *, is_replaced: bool = False) -> None:
        super().__init__(file_okay=True, dir_okay=False)
        self._is_replaced = is_replaced

    def _problem(self, path: Path) -> str | None:
        if os.access(path, os.F_OK):
            if self._is_replaced and not path.is_file():
                return "it is not a regular file"
            if not os.access(path, os.W_OK):
                return "it is read-only"
            if not self._is_replaced:
                return None
        written = path.resolve() if path.is_symlink() else path
        return folder_problem(written.parent, is_made=self._is_replaced)


def file_format_option(by_default: str, **options: Any) -> Callable[[Any], Any]:
    """Return the option for the format of article files; ``by_default`` describes its default."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(FILE_FORMATS),
        metavar="FORMAT",
        help=f"{', '.join(FILE_FORMATS[:-1])} or {FILE_FORMATS[-1]}; by default, {by_default}.",
        **options,
    )


def folder_problem(folder: Path, *, is_made: bool) -> str | None:
    """Return why no file can be written to a folder, or None if that is possible."""
    if not os.access(folder, os.F_OK):
        if not is_made:
            return f"there is no folder {str(folder)!r}"
        return folder_problem(folder.parent, is_made=True)
    if not folder.is_dir():
        return f"{str(folder)!r} is not a folder"
    import tempfile

    try:
        # Test by writing, as obstacles other than permissions are possible.
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return f"{str(folder)!r}: {error.strerror}"
