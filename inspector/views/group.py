"""A group of a site: the lines of its template, its pages, and its template knowledge."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

from starlette.exceptions import HTTPException

from detourage.html import Page
from detourage.reader import TemplateKnowledge
from detourage.reader.lines import line_digests, lines_of
from detourage.reader.outline import Outline
from inspector.reads.details import (
    InspectedSite,
    SiteGroup,
    containers_of,
    groups_of_generation,
    inspected_site,
    knowledge_of,
    outcomes_of_group,
    pages_of_group,
)
from inspector.registry import ViewResponse, page_view
from inspector.request import InspectorRequest
from inspector.stored_page import content_if_stored, parse_stored, read_pattern
from models.tables import StoredPage

MAX_COMPARED_PAGES: Final = 3
"""Maximum number of pages with which the representative is compared to recognise the template."""

SCREEN_PAGES: Final = 50
"""Number of pages listed per screen."""

MAX_FIXED_LINES: Final = 60
"""Maximum number of template lines that are listed."""

MIN_FIXED_SHARE: Final = 0.5
"""Minimum share of the other pages in which a line of the template occurs."""


@page_view("/sites/{site:number}/groups/{group:number}", "group.html")
def group(request: InspectorRequest) -> ViewResponse:
    """Show a group: the lines of its template, its pages, and what was learned from it."""
    number = request.path_number("group")
    site, values = _site_and_pages(request, number)
    groups = request.read(groups_of_generation, site.id, site.generation)
    found = next((each for each in groups if each.number == number), None)
    if found is None:
        raise HTTPException(404, f"Generation {site.generation} has no such group.")
    page, others = _compared_pages(request, site, found)
    values |= {
        "group": found._asdict(),
        "learned": _learned(request, found),
        "fixed": _fixed_lines(page, others) if page is not None else [],
        "compared_with": len(others),
    }
    return ViewResponse(values)


@page_view("/sites/{site:number}/outliers", "group.html")
def outliers(request: InspectorRequest) -> ViewResponse:
    """Show the pages of a site that are in no group."""
    _, values = _site_and_pages(request, None)
    return ViewResponse(values | {"group": None, "learned": None, "fixed": [], "compared_with": 0})


def _site_and_pages(
    request: InspectorRequest, number: int | None
) -> tuple[InspectedSite, dict[str, Any]]:
    """Return the site, and the values for the pages of a group, or of the outliers (None)."""
    site = request.read_existing(inspected_site, request.path_number("site"))
    group_key, after = (site.id, site.generation, number), request.number("after") or 0
    pages = request.read(pages_of_group, *group_key, limit=SCREEN_PAGES + 1, after=after)
    outcomes = request.read(outcomes_of_group, *group_key)
    listed = pages[:SCREEN_PAGES]
    ids = [page.id for page in listed]
    containers = request.read(containers_of, ids) if ids else []
    return site, {
        "site": site._asdict(),
        "outcomes": [each._asdict() for each in outcomes],
        "pages": [page._asdict() for page in listed],
        "after": listed[-1].id if len(pages) > SCREEN_PAGES else None,
        "containers": [each._asdict() for each in containers],
    }


def _compared_pages(
    request: InspectorRequest, site: InspectedSite, group: SiteGroup
) -> tuple[Page | None, list[Page]]:
    """Return the representative (None if its HTML was removed) and other pages of its group."""
    group_key = (site.id, site.generation, group.number)
    members = request.read(pages_of_group, *group_key, limit=MAX_COMPARED_PAGES + 1, after=0)
    others = [page for page in members if page.id != group.representative_id][:MAX_COMPARED_PAGES]
    ids = [group.representative_id, *(page.id for page in others)]
    stored = request.read(
        lambda session: [
            (content_if_stored(session, each), session.get(StoredPage, each)) for each in ids
        ]
    )
    pages = [parse_stored(content, row) if row is not None else None for content, row in stored]
    return pages[0], [page for page in pages[1:] if page is not None]


def _fixed_lines(page: Page, others: Sequence[Page]) -> list[str]:
    """Return the first distinct lines of a page that `MIN_FIXED_SHARE` of the others also have."""
    own, *compared = (Outline.of(each.flat) for each in (page, *others))
    digests = (set(line_digests(other).tolist()) for other in compared)
    pages_by_digest = Counter(chain.from_iterable(digests))
    min_pages = max(1.0, MIN_FIXED_SHARE * len(others))
    lines = zip(lines_of(own), line_digests(own).tolist(), strict=True)
    fixed = (line.text for line, digest in lines if pages_by_digest[digest] >= min_pages)
    return list(dict.fromkeys(fixed))[:MAX_FIXED_LINES]


def _learned(request: InspectorRequest, group: SiteGroup) -> dict[str, Any]:
    """Return what has been learned about a group: where comments are, and amounts of knowledge."""
    stored = request.read(knowledge_of, group.representative_id)
    pattern = read_pattern(group.comment_pattern)
    learned: dict[str, Any] = {
        "comments_at": pattern.signature._asdict() if pattern and pattern.signature else None,
        "at": stored[1] if stored else None,
        "lines": None,
        "paths": None,
    }
    if stored:
        try:
            knowledge = TemplateKnowledge.from_bytes(stored[0])
        except ValueError:
            return learned
        learned["lines"] = len(knowledge.lines.digests)
        learned["paths"] = len(knowledge.lines.paths)
    return learned
