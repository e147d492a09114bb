"""Clean articles from web pages: text, metadata, structure and comments.

>>> import detourage
>>> article = detourage.extract(html, "https://news.example/story")
>>> article.title, article.published_at, article.text
>>> article.to_markdown()

`extract` reads one page, `read` also gives the reason if a page has no article, `extract_many`
reads many pages in several processes, and `Site` compares the pages of one site to distinguish
articles from the template. Only `fetch`, which downloads a page, uses the network. None of these
needs a server; for a stream of pages, see the command ``detourage run`` and the worker.
"""

import gc
import os
from typing import TYPE_CHECKING, Any

# On import, NumPy starts an OpenBLAS thread per core. Détourage gives these threads no work, but by
# default, they busy-wait for 40 ms.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

if TYPE_CHECKING:
    from detourage.arrow_tables import arrow_schema, to_arrow
    from detourage.article import (
        Article,
        ArticleBlock,
        ArticleEmbed,
        ArticleEmphasis,
        ArticleImage,
        ArticleLink,
        Result,
    )
    from detourage.comments import Comment
    from detourage.fetching import FetchError, fetch
    from detourage.page_extraction import extract, extract_many, read
    from detourage.pages import Page, load_pages
    from detourage.site import Group, Site

__all__ = [
    "Article",
    "ArticleBlock",
    "ArticleEmbed",
    "ArticleEmphasis",
    "ArticleImage",
    "ArticleLink",
    "Comment",
    "FetchError",
    "Group",
    "Page",
    "Result",
    "Site",
    "arrow_schema",
    "extract",
    "extract_many",
    "fetch",
    "load_pages",
    "read",
    "to_arrow",
]

_MODULES = {
    **dict.fromkeys((name for name in __all__ if name.startswith("Article")), "detourage.article"),
    "Result": "detourage.article",
    **dict.fromkeys(("Page", "load_pages"), "detourage.pages"),
    **dict.fromkeys(("extract", "extract_many", "read"), "detourage.page_extraction"),
    **dict.fromkeys(("FetchError", "fetch"), "detourage.fetching"),
    **dict.fromkeys(("Group", "Site"), "detourage.site"),
    **dict.fromkeys(("arrow_schema", "to_arrow"), "detourage.arrow_tables"),
    "Comment": "detourage.comments",
}
"""Module that defines each public name, imported on first use because loading models is slow."""


def __getattr__(name: str) -> Any:
    """Import a public name."""
    if name == "__version__":
        # Reading the version takes as long as importing everything else here.
        from importlib.metadata import version

        return version("detourage")
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    # Imports create many objects, but no garbage, and the collector would search all of them.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        value = getattr(import_module(module), name)
    finally:
        if was_enabled:
            gc.enable()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
