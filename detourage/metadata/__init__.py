"""Metadata of an article, such as authors, dates, lead and section."""

from detourage.metadata.dates import dated_from
from detourage.metadata.reading import read_metadata
from detourage.roles import Kind
from detourage.text.dates import Moment

__all__ = ["Kind", "Moment", "dated_from", "read_metadata"]
