"""Metadata of an article, such as authors, dates, lead and section."""

from detourage.metadata.combining import read_metadata
from detourage.metadata.publication import dated_from

__all__ = ["dated_from", "read_metadata"]
