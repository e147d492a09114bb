"""Articles in parts: how a page leads to the others, and how they are put together."""

from worker.stories.parts.reading import Pagination, read_pagination

__all__ = ["Pagination", "read_pagination"]
