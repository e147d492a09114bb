"""Metadata of an article, such as authors, dates, lead and section."""

from detourage.metadata.dates import dated_from
from detourage.metadata.reading import read_metadata

__all__ = ["dated_from", "read_metadata"]
