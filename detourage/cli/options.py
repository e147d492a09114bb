"""Arguments and options for inputs and outputs, which are validated before a command runs."""

from __future__ import annotations

import logging
import os
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detourage.cli.display import say
from detourage.export.formats import FILE_FORMATS
from detourage.roles import CHOOSABLE_ROLES, LineRole, chosen_roles

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from os import PathLike


class _InputPath(click.Path):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value).startswith(("http://", "https://")):
            self.fail("only `detourage extract` fetches URLs", param, ctx)
        return super().convert(value, param, ctx)


input_paths = click.argument(
    "inputs",
    nargs=-1,
    required=True,
    metavar="INPUT…",
    type=_InputPath(exists=True, allow_dash=True, path_type=Path),
)
site_pages_option = click.option(
    "--site-pages",
    type=click.Path(exists=True, path_type=Path),
    help="File or folder with other pages of the site, for comparison with the page.",
)
url_option = click.option("--url", help="URL of the page; selects one of several pages in FILE.")


def _check_origin(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """Validate the URL or site of the pages as a page message does."""
    del context
    if value is None:
        return None
    from pydantic import ValidationError

    from detourage.messages import PageMessage

    field = "site" if parameter.name == "site" else "url"
    try:
        PageMessage.model_validate(
            {"version": 1, "url": "https://pages.invalid/", "html": "", field: value}
        )
    except ValidationError as error:
        raise click.BadParameter(error.errors()[0]["msg"].removeprefix("Value error, ")) from error
    if field == "url" and any(mark in value for mark in "?#"):
        raise click.BadParameter("must have no query and no fragment")
    return value


site_option = click.option(
    "--site", callback=_check_origin, help="Site of the HTML files; by default, their domain."
)
base_url_option = click.option(
    "--base-url",
    metavar="URL",
    callback=_check_origin,
    help="URL of the folder that contains the HTML files.",
)


def _read_roles(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[LineRole, ...] | None:
    del context, parameter
    if value is None:
        return None
    try:
        return chosen_roles(value.split(","))
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def text_roles_option(where: str) -> Callable[[Any], Any]:
    """Return the option for the roles of the text; ``where`` says where to find a list of them."""
    return click.option(
        "--text-roles",
        metavar="ROLE,…",
        callback=_read_roles,
        help=f"Roles of the lines that make up the text; {where}.",
    )


ROLES_TO_CHOOSE = f"Roles for --text-roles: {', '.join(CHOOSABLE_ROLES)}."
"""Last paragraph of the help of commands with the option --text-roles."""


def messages_in(
    inputs: tuple[Path, ...],
    base_url: str | None = None,
    site: str | None = None,
    written: Collection[Path] = (),
) -> Iterator[bytes]:
    """Return the page messages in all inputs; in folders, skip the output files (``written``)."""
    from detourage.inputs import Origin, read_messages

    show_input_log(logging.INFO)
    origin = Origin(base_url, site)
    parts = []
    for path in inputs:
        messages = read_messages(path, origin, written)
        # Read the first message now, so that an input that cannot be opened is reported at once.
        parts += [list(islice(messages, 1)), messages]
    return chain.from_iterable(parts)


def show_input_log(level: int = logging.WARNING) -> None:
    """Write log records about the inputs to standard error, with control characters escaped."""
    logger = logging.getLogger("detourage.inputs")
    logger.handlers[:] = [_InputLog(level)]
    logger.setLevel(logging.INFO)


class _InputLog(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        say(record.getMessage())


def refuse_inputs(inputs: Iterable[str | Path], *outputs: Path | None) -> None:
    """Raise `click.UsageError` if an existing output is an input, or in an input folder."""
    for given in inputs:
        if not os.path.exists(given):  # noqa: PTH110 - a long URL is not a valid path
            continue
        source = Path(given).resolve()
        for output in filter(None, outputs):
            if output.exists() and (output.samefile(source) or source in output.resolve().parents):
                raise click.UsageError(f"{output} is an input, and would be overwritten")


class OutputFolder(click.Path):
    """An output folder, which the command creates if it does not exist."""

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
        return folder_problem(path, is_created=True)


class OutputFile(OutputFolder):
    """An output file.

    With ``is_replaced``, the command creates the folder, and replaces an existing file as a whole.
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
        target = path.resolve() if path.is_symlink() else path
        return folder_problem(target.parent, is_created=self._is_replaced)


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


def folder_problem(folder: Path, *, is_created: bool) -> str | None:
    """Return why no file can be written to a folder, or None if files can be written."""
    if not os.access(folder, os.F_OK):
        if not is_created:
            return f"there is no folder {str(folder)!r}"
        return folder_problem(folder.parent, is_created=True)
    if not folder.is_dir():
        return f"{str(folder)!r} is not a folder"
    import tempfile

    try:
        # Some reasons, such as a read-only file system, are noticed only when a file is written.
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return f"{str(folder)!r}: {error.strerror}"
