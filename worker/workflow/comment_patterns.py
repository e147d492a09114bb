"""Comment patterns in their stored form, which is JSON, and the votes on them."""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable

from sqlalchemy.orm import Session

from detourage.comments import NO_PATTERN, CommentPattern
from worker.store import groups
from worker.store.extraction_jobs import ExtractionJob
from worker.store.groups import GroupKey
from worker.workflow.extraction_requests import request_extractions
from worker.workflow.wall_rejection import ExtractedPage

logger = logging.getLogger(__name__)


def read_pattern(stored: str | None) -> CommentPattern | None:
    """Return a stored pattern; a damaged one is ignored."""
    if stored is None:
        return None
    try:
        return CommentPattern.from_json(stored)
    except ValueError as error:
        logger.warning("ignored a damaged comment pattern: %s", error)
        return None


def needed_pattern(own_vote: str | None, group_pattern: str | None) -> str | None:
    """Return the pattern of a page's group if the page needs it to find its comments."""
    return group_pattern if own_vote == NO_PATTERN else None


def count_votes(
    session: Session, extracted: Iterable[ExtractedPage], saved: Collection[int]
) -> None:
    """Count the votes on the comment patterns of groups whose saved pages have new votes.

    If the pattern of a group has changed, the pages that need it are extracted again. A change by a
    concurrent transaction is not missed, as every transaction locks groups after saving its pages.
    """
    new_votes: set[GroupKey] = set()
    in_need: defaultdict[GroupKey, list[ExtractionJob]] = defaultdict(list)
    for job, page, _ in extracted:
        if job.page_id not in saved or job.group_number is None:
            continue
        key = page.site_id, job.generation, job.group_number
        vote, former = job.learned.vote, job.former_vote
        if vote == NO_PATTERN:
            in_need[key].append(job)
        if (vote and vote != job.group_pattern) or (former and former != vote):
            new_votes.add(key)
    for key, pattern in groups.lock_patterns(session, new_votes | in_need.keys()).items():
        again = {job.page_id for job in in_need[key] if job.group_pattern != pattern}
        if key in new_votes:
            again.update(groups.count_votes(session, key))
        request_extractions(session, again, key[1])
