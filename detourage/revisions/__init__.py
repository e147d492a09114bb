"""Changes between two revisions of an article."""

from detourage.revisions.changes import changes_between

__all__ = ["changes_between"]
