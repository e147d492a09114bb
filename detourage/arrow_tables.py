"""Articles as Arrow tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from detourage.article import Article
    from detourage.export.arrow import Schema, Table


def arrow_schema() -> Schema:
    """Return the Arrow schema of articles, with the keys of the article message.

    Raises
    ------
    ImportError
        If the ``arrow`` extra is not installed.
    """
    _require_pyarrow()
    from detourage.export.arrow import article_schema

    return article_schema()


def to_arrow(articles: Iterable[Article]) -> Table:
    """Return articles as an Arrow table with the columns of `arrow_schema`.

    Columns whose values exist only in a deployment, such as ``revision``, are null.

    Parameters
    ----------
    articles
        The articles, in the order of the rows.

    Raises
    ------
    ImportError
        If the ``arrow`` extra is not installed.
    """
    _require_pyarrow()
    from detourage.export.arrow import to_table

    return to_table(article.to_dict() for article in articles)


def _require_pyarrow() -> None:
    """Raise an ImportError that says how to install the extra if pyarrow is missing."""
    from detourage.expected_errors import MissingExtraError, require_extra

    try:
        require_extra("arrow", "an Arrow table", "pyarrow")
    except MissingExtraError as error:
        raise ImportError(str(error)) from None
