"""The argument INPUT…, the options for HTML files, and the reading of page messages."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from detourage.roles import CHOOSABLE_ROLES, LineRole, chosen_roles

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
    "--base-url", metavar="URL", help="URL of the folder that contains the HTML files."
)
site_pages_option = click.option(
    "--site-pages",
    type=click.Path(exists=True, path_type=Path),
    help="File or folder with other pages of the site, for comparison with the page.",
)
url_option = click.option("--url", help="URL of the page; selects one of several pages in FILE.")
site_option = click.option("--site", help="Site of the HTML files; by default, their domain.")


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
    help="Roles of the lines that make up the text; see `detourage run --help` for a list.",
)
ROLES_TO_CHOOSE = f"Roles for --text-roles: {', '.join(CHOOSABLE_ROLES)}."
"""Epilog of the command whose help lists the roles."""


def messages_in(
    inputs: tuple[Path, ...],
    base_url: str | None = None,
    site: str | None = None,
    written: Collection[Path] = (),
) -> Iterator[bytes]:
    """Open all inputs, and return their page messages, except those in ``written`` files."""
    from detourage.inputs import Origin, read_messages

    _check_origin(base_url, site)
    origin = Origin(base_url, site)
    return chain.from_iterable([_opened(read_messages(path, origin, written)) for path in inputs])


def _opened(messages: Iterator[bytes]) -> Iterator[bytes]:
    """Return the same messages, after their source has been opened."""
    first = next(messages, None)
    return iter(()) if first is None else chain([first], messages)


def _check_origin(base_url: str | None, site: str | None) -> None:
    if base_url is None and site is None:
        return
    from pydantic import ValidationError

    from detourage.messages import PageMessage

    try:
        PageMessage(version=1, url=base_url or "https://pages.invalid/", html="", site=site)
    except ValidationError as error:
        problem = error.errors()[0]
        option = "--site" if problem["loc"] == ("site",) else "--base-url"
        raise click.BadParameter(problem["msg"], param_hint=option) from error
    if base_url is not None and any(mark in base_url for mark in "?#"):
        raise click.BadParameter("must have no query and no fragment", param_hint="--base-url")
