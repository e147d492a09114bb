"""Grouping of extracted articles into stories."""

import logging
import time
from collections.abc import Sequence

from worker.store import story_arrivals
from worker.store.database import AdvisoryLock, is_connection_lost
from worker.workflow.process import ProcessState
from worker.workflow.story_index import (
    group_page,
    group_unrelated,
    load_waiting,
    request_telling,
    retell_some,
)

logger = logging.getLogger(__name__)

TOLD_AT_ONCE = 500
"""Maximum number of articles grouped per task."""

TOLD_TOGETHER = 25
"""Maximum number of articles grouped per transaction, which locks all stories."""

WORK_SECONDS = 5.0
"""Time after which a story task stops; the next task continues."""


def group_waiting(state: ProcessState) -> None:
    """Group waiting articles into stories, and update changed stories."""
    with state.database.exclusive(AdvisoryLock.STORY_TELLING, 0) as is_ours:
        if not is_ours:
            return
        ends = time.monotonic() + WORK_SECONDS
        last = 0
        for _ in range(TOLD_AT_ONCE // TOLD_TOGETHER):
            page_ids = _tell_next(state, last)
            if len(page_ids) < TOLD_TOGETHER or time.monotonic() > ends:
                break
            last = page_ids[-1]
        for _ in range(TOLD_AT_ONCE):
            if not retell_some(state.database) or time.monotonic() > ends:
                break
    # Checked after the lock is released, because tasks that found it taken left their articles to
    # this one.
    if state.database.run(story_arrivals.are_waiting):
        state.database.run(request_telling)


def _tell_next(state: ProcessState, after: int) -> Sequence[int]:
    """Group the next waiting articles, and return the IDs of their pages.

    Those that repeat no other text are grouped together, the others one by one.
    """
    grouped: set[int] = set()
    waiting, unrelated = state.database.run(
        lambda session: load_waiting(session, after, TOLD_TOGETHER, state.story_window)
    )
    try:
        if unrelated:
            grouped = group_unrelated(state.database, unrelated)
    except Exception as error:
        if is_connection_lost(error):
            raise
        logger.warning("grouping articles together failed; each is grouped alone", exc_info=True)
    for each in waiting:
        if each.page_id not in grouped:
            _tell_alone(state, each.page_id)
    return [each.page_id for each in waiting]


def _tell_alone(state: ProcessState, page_id: int) -> None:
    try:
        group_page(state.database, page_id, state.story_window)
    except Exception as error:
        if is_connection_lost(error):
            raise
        # A bug triggered by one text must not prevent the grouping of other texts.
        logger.exception("grouping the article of page %d failed; it joins no story", page_id)
        state.database.run(lambda session: story_arrivals.remove(session, [page_id]))
