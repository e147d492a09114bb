"""The argument INPUT…, options for its HTML files, and the page messages it holds."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from models.roles import CHOOSABLE_ROLES, LineRole, chosen_roles

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

input_paths = click.argument(
    "inputs",
    nargs=-1,
    required=True,
    metavar="INPUT…",
    type=click.Path(exists=True, allow_dash=True, path_type=Path),
)
base_url_option = click.option(
    "--base-url", metavar="URL", help="URL of the folder of HTML files, or of a file's folder."
)
site_pages_option = click.option(
    "--site-pages",
    type=click.Path(exists=True, path_type=Path),
    help="File or folder with other pages of the site, to compare the page with.",
)
url_option = click.option("--url", help="URL of the page; selects one of several pages in FILE.")
site_option = click.option("--site", help="Site of the HTML files; their domain by default.")


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


text_roles_option = click.option(
    "--text-roles",
    metavar="ROLE,…",
    callback=_read_roles,
    help="Roles of the lines that make up the text; `detourage run --help` lists them.",
)
ROLES_TO_CHOOSE = f"Roles for --text-roles: {', '.join(CHOOSABLE_ROLES)}."
"""Epilog of the command whose help lists the roles."""


def messages_in(
    inputs: tuple[Path, ...],
    base_url: str | None = None,
    site: str | None = None,
    written: Collection[Path] = (),
) -> Iterator[bytes]:
    """Return the page messages of all inputs, each of which is opened first.

    ``base_url`` and ``site`` are the origin of HTML files that do not declare it. Files in
    ``written`` are outputs, which a folder among the inputs may hold.
    """
    from worker.inputs import Origin, read_messages

    _check_origin(base_url, site)
    origin = Origin(base_url, site)
    return chain.from_iterable([_opened(read_messages(path, origin, written)) for path in inputs])


def _opened(messages: Iterator[bytes]) -> Iterator[bytes]:
    """Return the same messages, after opening their source."""
    first = next(messages, None)
    return iter(()) if first is None else chain([first], messages)


def _check_origin(base_url: str | None, site: str | None) -> None:
    if base_url is None and site is None:
        return
    from pydantic import ValidationError

    from models.messages import PageMessage

    try:
        PageMessage(version=1, url=base_url or "https://pages.invalid/", html="", site=site)
    except ValidationError as error:
        problem = error.errors()[0]
        option = "--site" if problem["loc"] == ("site",) else "--base-url"
        raise click.BadParameter(problem["msg"], param_hint=option) from error
    if base_url is not None and any(mark in base_url for mark in "?#"):
        raise click.BadParameter("must have no query and no fragment", param_hint="--base-url")
