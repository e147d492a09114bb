"""A group of a site: its template as a wireframe, its pages, and its template knowledge."""

from typing import Any, Final

from starlette.exceptions import HTTPException

from detourage.comments import CommentPattern
from detourage.explain.page_parts import fixed_lines, page_parts, texts_of
from detourage.explain.pictures.wireframe import draw_wireframe
from detourage.html import Page
from detourage.reader import TemplateKnowledge
from detourage.reader.outline import Outline
from worker.inspector.asking import InspectorRequest
from worker.inspector.registry import Answer, page_view
from worker.inspector.stored_page import content_if_stored, parsed
from worker.store.pages import load_page
from worker.store.reads.details import (
    InspectedSite,
    SiteGroup,
    containers_of,
    groups_of_generation,
    inspected_site,
    knowledge_of,
    outcomes_of_group,
    pages_of_group,
)

COMPARED: Final = 3
"""Maximum number of pages with which the representative is compared to recognise the template."""

PAGES: Final = 50
"""Number of pages listed per screen."""


@page_view("/sites/{site:number}/groups/{group:number}", "group.html")
def group(asked: InspectorRequest) -> Answer:
    """Show a group."""
    number = asked.path_number("group")
    site, values = _listed(asked, number)
    found = asked.read(groups_of_generation, site.id, site.generation)
    shown = next((each for each in found if each.number == number), None)
    if shown is None:
        raise HTTPException(404, f"Generation {site.generation} has no such group.")
    page, others = _compared_pages(asked, site, shown)
    values |= {
        "group": shown._asdict(),
        "learned": _learned(asked, shown),
        "fixed": [],
        "compared_with": len(others),
    }
    wireframe = None
    if page is not None:
        outline = Outline.of(page.flat)
        is_fixed = fixed_lines(outline, [Outline.of(other.flat) for other in others])
        drawn = page_parts(outline, is_fixed)
        texts = [text.text for text in texts_of(drawn.root) if text.is_fixed]
        values["fixed"] = list(dict.fromkeys(texts))[:60]
        wireframe = draw_wireframe(drawn, "Wireframe of the representative")
    return Answer(values, {"wireframe": wireframe})


@page_view("/sites/{site:number}/outliers", "group.html")
def outliers(asked: InspectorRequest) -> Answer:
    """Show the pages of a site that are in no group."""
    _, values = _listed(asked, None)
    return Answer(values | {"group": None, "learned": None, "fixed": [], "compared_with": 0})


def _listed(asked: InspectorRequest, number: int | None) -> tuple[InspectedSite, dict[str, Any]]:
    site = asked.known(inspected_site, asked.path_number("site"))
    place, after = (site.id, site.generation, number), asked.number("after") or 0
    pages = asked.read(pages_of_group, *place, limit=PAGES + 1, after=after)
    outcomes = asked.read(outcomes_of_group, *place)
    shown = pages[:PAGES]
    ids = [page.id for page in shown]
    containers = asked.read(containers_of, ids) if ids else []
    return site, {
        "site": site._asdict(),
        "outcomes": [each._asdict() for each in outcomes],
        "pages": [page._asdict() for page in shown],
        "after": shown[-1].id if len(pages) > PAGES else None,
        "containers": [each._asdict() for each in containers],
    }


def _compared_pages(
    asked: InspectorRequest, site: InspectedSite, shown: SiteGroup
) -> tuple[Page | None, list[Page]]:
    """Return the representative (None if its HTML was removed) and other pages of its group."""
    place = (site.id, site.generation, shown.number)
    members = asked.read(pages_of_group, *place, limit=COMPARED + 1, after=0)
    others = [page for page in members if page.id != shown.representative_id][:COMPARED]
    ids = [shown.representative_id, *(page.id for page in others)]
    stored = asked.read(
        lambda session: [(content_if_stored(session, i), load_page(session, i)) for i in ids]
    )
    pages = [parsed(content, row) if row is not None else None for content, row in stored]
    return pages[0], [page for page in pages[1:] if page is not None]


def _learned(asked: InspectorRequest, shown: SiteGroup) -> dict[str, Any]:
    stored = asked.read(knowledge_of, shown.representative_id)
    pattern = CommentPattern.from_json(shown.comment_pattern) if shown.comment_pattern else None
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
