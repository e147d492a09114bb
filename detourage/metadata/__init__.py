"""Metadata of an article, such as authors, dates, lead and section."""

from detourage.metadata.article_metadata import read_metadata
from detourage.metadata.publication_dates import dated_from

__all__ = ["dated_from", "read_metadata"]
