"""A group of a site: the lines of its template, its pages, and its template knowledge."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

from starlette.exceptions import HTTPException

from detourage.html import Page
from detourage.reader import TemplateKnowledge
from detourage.reader.knowledge import digest_of
from detourage.reader.lines import lines_of
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
from inspector.registry import Answer, page_view
from inspector.request import InspectorRequest
from inspector.stored_page import content_if_stored, parsed, read_pattern
from models.tables import StoredPage

MAX_COMPARED_PAGES: Final = 3
"""Maximum number of pages with which the representative is compared to recognise the template."""

SCREEN_PAGES: Final = 50
"""Number of pages listed per screen."""

MAX_FIXED_LINES: Final = 60
"""Maximum number of lines of the template that are listed."""

MIN_FIXED_SHARE: Final = 0.5
"""Minimum share of the other pages that must have a line for it to belong to the template."""


@page_view("/sites/{site:number}/groups/{group:number}", "group.html")
def group(request: InspectorRequest) -> Answer:
    """Show a group."""
    number = request.path_number("group")
    site, values = _listed(request, number)
    found = request.read(groups_of_generation, site.id, site.generation)
    shown = next((each for each in found if each.number == number), None)
    if shown is None:
        raise HTTPException(404, f"Generation {site.generation} has no such group.")
    page, others = _compared_pages(request, site, shown)
    values |= {
        "group": shown._asdict(),
        "learned": _learned(request, shown),
        "fixed": _fixed_lines(page, others) if page is not None else [],
        "compared_with": len(others),
    }
    return Answer(values)


@page_view("/sites/{site:number}/outliers", "group.html")
def outliers(request: InspectorRequest) -> Answer:
    """Show the pages of a site that are in no group."""
    _, values = _listed(request, None)
    return Answer(values | {"group": None, "learned": None, "fixed": [], "compared_with": 0})


def _listed(request: InspectorRequest, number: int | None) -> tuple[InspectedSite, dict[str, Any]]:
    site = request.known(inspected_site, request.path_number("site"))
    place, after = (site.id, site.generation, number), request.number("after") or 0
    pages = request.read(pages_of_group, *place, limit=SCREEN_PAGES + 1, after=after)
    outcomes = request.read(outcomes_of_group, *place)
    shown = pages[:SCREEN_PAGES]
    ids = [page.id for page in shown]
    containers = request.read(containers_of, ids) if ids else []
    return site, {
        "site": site._asdict(),
        "outcomes": [each._asdict() for each in outcomes],
        "pages": [page._asdict() for page in shown],
        "after": shown[-1].id if len(pages) > SCREEN_PAGES else None,
        "containers": [each._asdict() for each in containers],
    }


def _compared_pages(
    request: InspectorRequest, site: InspectedSite, shown: SiteGroup
) -> tuple[Page | None, list[Page]]:
    """Return the representative (None if its HTML was removed) and other pages of its group."""
    place = (site.id, site.generation, shown.number)
    members = request.read(pages_of_group, *place, limit=MAX_COMPARED_PAGES + 1, after=0)
    others = [page for page in members if page.id != shown.representative_id][:MAX_COMPARED_PAGES]
    ids = [shown.representative_id, *(page.id for page in others)]
    stored = request.read(
        lambda session: [
            (content_if_stored(session, each), session.get(StoredPage, each)) for each in ids
        ]
    )
    pages = [parsed(content, row) if row is not None else None for content, row in stored]
    return pages[0], [page for page in pages[1:] if page is not None]


def _fixed_lines(page: Page, others: Sequence[Page]) -> list[str]:
    """Return the distinct lines of a page that other pages of the template have as well."""
    lines = lines_of(Outline.of(page.flat))
    digests = (
        {digest_of(line.tokens) for line in lines_of(Outline.of(other.flat))} for other in others
    )
    shown = Counter(chain.from_iterable(digests))
    least = max(1.0, MIN_FIXED_SHARE * len(others))
    fixed = (line.text for line in lines if shown[digest_of(line.tokens)] >= least)
    return list(dict.fromkeys(fixed))[:MAX_FIXED_LINES]


def _learned(request: InspectorRequest, shown: SiteGroup) -> dict[str, Any]:
    stored = request.read(knowledge_of, shown.representative_id)
    pattern = read_pattern(shown.comment_pattern)
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
        learned["lines"] = sum(len(page.lines) for page in knowledge.pages)
        learned["paths"] = len(knowledge.steps)
    return learned
