"""Extraction of many pages in several processes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from detourage.pages import AnyPage, Page, pages_of
from detourage.pool import in_processes
from detourage.reading import failed, read_page

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from detourage.article import Result
    from detourage.roles import LineRole


def extract_many(
    pages: Iterable[AnyPage] | str | os.PathLike[str],
    *,
    processes: int = 1,
    text_roles: Sequence[LineRole] = (),
) -> Iterator[Result]:
    """Read many pages independently of each other.

    Parameters
    ----------
    pages
        Pages, pairs of HTML and address, or a file or folder as for `load_pages`. An iterable is
        consumed lazily, so it may be infinite.
    processes
        Number of processes. With more than one, a script needs the usual ``if __name__ ==
        "__main__":`` around its own code.
    text_roles
        As for `extract`.

    Yields
    ------
    Result
        One for each page, in order. A page that crashes its process gives ``"failed"`` and does not
        affect the other pages.

    Raises
    ------
    ValueError
        If `processes` is not positive.
    OSError
        If a file or folder cannot be read.
    """
    if processes < 1:
        raise ValueError(f"processes must be at least 1, not {processes}")
    reader = partial(read_page, text_roles=tuple(text_roles))
    if processes == 1:
        return map(reader, pages_of(pages))
    apart = partial(_read_apart, text_roles=tuple(text_roles))
    return in_processes(
        apart, pages_of(pages), processes, preload="detourage.reading", crashed=_crashed
    )


def _read_apart(page: Page, text_roles: Sequence[LineRole]) -> Result:
    """Read a page for another process, which has the page already."""
    result = read_page(page, text_roles)
    if result.article is None:
        return result
    return replace(result, article=replace(result.article, page=None))


def _crashed(page: Page) -> Result:
    return failed(page, RuntimeError("the page crashed the process that read it"))
