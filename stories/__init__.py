"""Stories: articles of all sites that repeat each other, and changes between their revisions.

>>> from stories import find_stories
>>> for each in find_stories(articles):
...     each.story, each.relation
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stories.in_memory_grouping import find_stories

__all__ = ["find_stories"]


def __getattr__(name: str) -> Any:
    # Imported on first use: the command line imports this package to list its commands.
    if name == "find_stories":
        from stories.in_memory_grouping import find_stories

        return find_stories
    raise AttributeError(name)
