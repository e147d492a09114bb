"""Metadata of an article, such as authors, dates, lead and section."""

from models.kinds import Kind
from worker.article.metadata.reading import read_metadata
from worker.article.metadata.result import ArticleMetadata
from worker.text.dates import Moment

__all__ = ["ArticleMetadata", "Kind", "Moment", "read_metadata"]
