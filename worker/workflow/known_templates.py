"""Template knowledge, which is learned once, stored, and cached by each process."""

import logging
from collections import OrderedDict

from worker.article import TemplateKnowledge
from worker.html import parse_page
from worker.store import groups, pages
from worker.store.database import Database
from worker.store.extraction_jobs import Pivot
from worker.store.page_objects import LostContentError

logger = logging.getLogger(__name__)

CACHED_TEMPLATES = 64
"""Number of templates cached by a process, at a few hundred kilobytes each."""


class KnownTemplates:
    """An LRU cache of template knowledge, keyed by the page that represents the template."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[int, str], TemplateKnowledge] = OrderedDict()

    def of(self, database: Database, pivot: Pivot) -> TemplateKnowledge | None:
        """Return the template knowledge of a pivot, learning it if it is not stored.

        Return None if it was never learned and the page's HTML has been removed or lost. Raise
        PageError if the page cannot be parsed.
        """
        key = (pivot.id, pivot.content_digest)
        try:
            known = self._known.pop(key, None) or _stored_or_learned(database, pivot)
        except LostContentError as error:
            logger.error("pages like %s are extracted without their template: %s", pivot.url, error)  # noqa: TRY400 - the reason is enough
            return None
        if known is None:
            return None
        self._known[key] = known
        while len(self._known) > CACHED_TEMPLATES:
            self._known.popitem(last=False)
        return known


def _stored_or_learned(database: Database, pivot: Pivot) -> TemplateKnowledge | None:
    packed, content = database.run(
        lambda session: groups.load_knowledge(session, pivot.id, pivot.content_digest)
    )
    if packed is not None:
        try:
            return TemplateKnowledge.from_bytes(packed)
        except ValueError:
            # The stored knowledge was written by an earlier version of the service.
            content = database.run(lambda session: pages.load_content(session, pivot.id))
    if content is None:
        return None
    page = parse_page(content, pivot.url, content_type=pivot.content_type)
    known = TemplateKnowledge.from_pages([page])
    database.run(
        lambda session: groups.save_knowledge(
            session, pivot.id, pivot.content_digest, known.to_bytes()
        )
    )
    return known
