"""Changes between two revisions of an article."""

from worker.revisions.changes import changes_between

__all__ = ["changes_between"]
