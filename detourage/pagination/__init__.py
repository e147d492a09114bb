"""Paginated articles: detection of the links between the parts, and joining of the parts."""

from detourage.pagination.links_to_parts import Pagination, read_pagination

__all__ = ["Pagination", "read_pagination"]
