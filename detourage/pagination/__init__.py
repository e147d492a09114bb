"""Paginated articles: detection of the links between the parts, and joining of the parts."""

from detourage.pagination.joining_parts import (
    MAX_PARTS,
    Member,
    chain_of,
    is_contained_in,
    joined_values,
    may_be_part,
    urls_of,
)
from detourage.pagination.links_to_parts import Pagination, read_pagination

__all__ = [
    "MAX_PARTS",
    "Member",
    "Pagination",
    "chain_of",
    "is_contained_in",
    "joined_values",
    "may_be_part",
    "read_pagination",
    "urls_of",
]
