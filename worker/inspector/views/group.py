"""A group of a site: its template as a wireframe, its pages, and its template knowledge."""

from typing import Any, Final

from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException

from models.tables import StoredPage
from worker.article import TemplateKnowledge
from worker.article.outline import Outline
from worker.comments import CommentPattern
from worker.explain.page_parts import fixed_lines, page_parts, texts_of
from worker.explain.pictures.groups import key
from worker.explain.pictures.wireframe import draw_wireframe
from worker.html import Page
from worker.inspector.asking import InspectorRequest
from worker.inspector.registry import Answer, Views
from worker.inspector.stored_page import parsed
from worker.store.pages import load_content, load_page
from worker.store.reads.details import (
    GroupPage,
    InspectedSite,
    SiteGroup,
    containers_of,
    groups_of_generation,
    inspected_site,
    knowledge_of,
    outcomes_of_group,
    pages_of_group,
)
from worker.text.abridged import abridged

views = Views()

COMPARED: Final = 3
"""Maximum number of pages with which the representative is compared to recognise the template."""

PAGES: Final = 50
"""Number of pages listed per screen."""

FIXED_LINES: Final = 60
"""Maximum number of template lines listed."""


@views.page("/sites/{site:number}/groups/{group:number}", "group.html")
def group(asked: InspectorRequest) -> Answer:
    """Show a group."""
    site, listed = _listed(asked, asked.place("group"))
    number = asked.place("group")
    found = asked.read(lambda session: groups_of_generation(session, site.id, site.generation))
    shown = next((each for each in found if each.number == number), None)
    if shown is None:
        raise HTTPException(404, f"Generation {site.generation} has no such group.")
    page, others = _compared_pages(asked, site, shown)
    values, only_shown = listed
    values["group"] = shown._asdict()
    values["learned"] = _learned(asked, shown)
    values["fixed"] = []
    if page is not None:
        outline = Outline.of(page.flat)
        is_fixed = fixed_lines(outline, [Outline.of(other.flat) for other in others])
        drawn = page_parts(outline, is_fixed)
        texts = [text.text for text in texts_of(drawn.root) if text.is_fixed]
        values["fixed"] = list(dict.fromkeys(texts))[:FIXED_LINES]
        only_shown["wireframe"] = draw_wireframe(drawn, "Wireframe of the representative")
    values["compared_with"] = len(others)
    return Answer(values, only_shown)


@views.page("/sites/{site:number}/outliers", "group.html")
def outliers(asked: InspectorRequest) -> Answer:
    """Show the pages of a site that are in no group."""
    _, (values, only_shown) = _listed(asked, None)
    values |= {"group": None, "learned": None, "fixed": [], "compared_with": 0}
    return Answer(values, only_shown)


def _listed(
    asked: InspectorRequest, number: int | None
) -> tuple[InspectedSite, tuple[dict[str, Any], dict[str, Any]]]:
    site = asked.known(lambda session: inspected_site(session, asked.place("site")))
    place, after = (site.id, site.generation, number), asked.number("after")
    pages = asked.read(
        lambda session: pages_of_group(session, *place, limit=PAGES + 1, after=after or 0)
    )
    outcomes = asked.read(lambda session: outcomes_of_group(session, *place))
    shown: list[GroupPage] = pages[:PAGES]
    ids = [page.id for page in shown]
    containers = asked.read(lambda session: containers_of(session, ids)) if ids else []
    values = {
        "site": site._asdict(),
        "outcomes": [each._asdict() for each in outcomes],
        "pages": [page._asdict() for page in shown],
        "after": shown[-1].id if len(pages) > PAGES else None,
        "containers": [each._asdict() for each in containers],
    }
    return site, (
        values,
        {"is_first": after is None, "wireframe": None, "key": key, "abridged": abridged},
    )


def _compared_pages(
    asked: InspectorRequest, site: InspectedSite, shown: SiteGroup
) -> tuple[Page | None, list[Page]]:
    """Return the representative (None if its HTML was removed) and other pages of its group."""
    members = asked.read(
        lambda session: pages_of_group(
            session, site.id, site.generation, shown.number, limit=COMPARED + 1, after=0
        )
    )
    others = [page for page in members if page.id != shown.representative_id][:COMPARED]
    ids = [shown.representative_id, *(page.id for page in others)]
    pages = [_parsed(*asked.read(lambda session, i=i: _stored(session, i))) for i in ids]  # type: ignore[misc]
    return pages[0], [page for page in pages[1:] if page is not None]


def _stored(session: Session, page_id: int) -> tuple[StoredPage | None, bytes | str | None]:
    return load_page(session, page_id), load_content(session, page_id)


def _parsed(page: StoredPage | None, content: bytes | str | None) -> Page | None:
    return parsed(content, page.url, page.content_type) if page is not None else None


def _learned(asked: InspectorRequest, shown: SiteGroup) -> dict[str, Any]:
    stored = asked.read(lambda session: knowledge_of(session, shown.representative_id))
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
