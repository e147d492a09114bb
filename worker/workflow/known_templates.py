"""Template knowledge, which is learned once, stored, and cached by each process."""

import logging
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from sqlalchemy.orm import Session

from detourage.html import Page, parse_page
from detourage.reader import TemplateKnowledge
from worker.error_reports import LostContentError
from worker.store import groups, pages
from worker.store.extraction_jobs import ExtractionJob, TemplatePage

logger = logging.getLogger(__name__)

CACHED_TEMPLATES = 64  # number of templates cached by a process, at a few hundred kilobytes each

_Key = tuple[int, str]  # ID and content digest of a template page


class KnownTemplates:
    """An LRU cache of template knowledge, keyed by the template page from which it was learned."""

    def __init__(self) -> None:
        self._templates: OrderedDict[_Key, TemplateKnowledge] = OrderedDict()
        self._loaded: dict[_Key, TemplateKnowledge] = {}
        self._contents: dict[_Key, bytes | str | LostContentError] = {}
        self._learned: dict[_Key, TemplateKnowledge] = {}
        self._pages: dict[_Key, Page | None] = {}  # pages to be read, None unless parsed already

    def load(
        self,
        session: Session,
        template_pages: Iterable[TemplatePage],
        jobs: Iterable[ExtractionJob] = (),
    ) -> None:
        """Load the knowledge of template pages, or the pages from which `get` is to learn it.

        `jobs` have the pages that are about to be read.
        """
        own = {(job.page_id, job.content_digest): job.content for job in jobs if job.content}
        self._pages = dict.fromkeys(own)
        keys = {(page.id, page.content_digest) for page in template_pages}
        # `_loaded` keeps the knowledge until the next call, even if the cache is too small for it.
        self._loaded = {key: self._templates[key] for key in keys & self._templates.keys()}
        for key in sorted(self._loaded):
            self._templates.move_to_end(key)
        missing = dict(keys - self._loaded.keys())
        unlearned = dict(missing)
        params = {"page_ids": list(missing), "digests": list(missing.values())}
        for page_id, packed in session.execute(groups.LOAD_KNOWLEDGE, params) if missing else ():
            # Knowledge that is damaged, or was written by an earlier version, raises ValueError.
            with suppress(ValueError):
                self._add((page_id, missing[page_id]), TemplateKnowledge.from_bytes(packed))
                del unlearned[page_id]
        self._contents = {key: own[key] for key in unlearned.items() & own.keys()}
        others = unlearned.keys() - {page_id for page_id, _ in self._contents}
        for page_id, content in pages.load_contents(session, others).items():
            self._contents[page_id, missing[page_id]] = content

    def get(self, template_page: TemplatePage) -> TemplateKnowledge | None:
        """Return the knowledge of a loaded template page, or None if its HTML is missing."""
        key = (template_page.id, template_page.content_digest)
        template = self._loaded.get(key)
        if template is None:
            content = self._contents.get(key)
            if isinstance(content, LostContentError):
                logger.error(
                    "extracting without the template page %s: %s", template_page.url, content
                )
            if content is None or isinstance(content, LostContentError):
                return None
            page = parse_page(content, template_page.url, content_type=template_page.content_type)
            template = self._learn(key, page)
            if key in self._pages:
                self._pages[key] = page
            else:
                page.flat.memo.clear()
        return template

    def parse(self, job: ExtractionJob, content: bytes | str) -> Page:
        """Parse a page that is to be read, unless `get` has parsed it."""
        parsed = self._pages.pop((job.page_id, job.content_digest), None)
        if parsed is not None:
            return replace(parsed, response=job.response)
        return parse_page(content, job.url, content_type=job.content_type, response=job.response)

    def learn(self, job: ExtractionJob, page: Page) -> None:
        """Learn from a page that was read if others of its task are compared with it."""
        key = job.page_id, job.content_digest
        if key in self._contents and key not in self._loaded:
            self._learn(key, page)

    def _learn(self, key: _Key, page: Page) -> TemplateKnowledge:
        template = self._learned[key] = TemplateKnowledge.from_pages([page])
        self._add(key, template)
        return template

    def save(self, session: Session) -> None:
        """Store the knowledge learned since the last call."""
        # Replaced before storing, so that a failure to store does not affect later tasks.
        learned, self._learned, self._pages = self._learned, {}, {}
        if learned:
            # Transactions that lock the same pages in different orders would deadlock.
            page_ids, digests = map(list, zip(*sorted(learned), strict=True))
            packed = [learned[key].to_bytes() for key in sorted(learned)]
            params = {"page_ids": page_ids, "digests": digests, "packed": packed}
            session.execute(groups.SQL.save_knowledge, params)

    def _add(self, key: _Key, template: TemplateKnowledge) -> None:
        self._loaded[key] = self._templates[key] = template
        self._templates.move_to_end(key)
        while len(self._templates) > CACHED_TEMPLATES:
            self._templates.popitem(last=False)
