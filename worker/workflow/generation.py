"""Store new generations and design changes, and request the extractions that they affect."""

import logging
from collections.abc import Sequence
from datetime import timedelta
from itertools import chain
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Session

from detourage.roles import LineRole
from detourage.template.clusterer import DEFAULT_METHOD
from detourage.template.comparison_policy import KnownSite
from detourage.template.continuity import MIN_PAGES_FOR_CHANGE, design_change, match_groups
from detourage.template.groups import Grouping, reference_order
from models.tables import DesignChange
from worker.store import groups
from worker.store.groups import ComparablePage, NewGroup, NewMembership
from worker.workflow.comment_patterns import pattern_of_group
from worker.workflow.comparison_plan import ComparedSite
from worker.workflow.extraction_requests import request_extractions
from worker.workflow.extraction_results import extraction_key
from worker.workflow.shared_lines import shared_lines_of, shared_lines_on


def save_generation(
    session: Session,
    site: ComparedSite,
    known: KnownSite,
    site_pages: Sequence[ComparablePage],
    grouping: Grouping,
    reference_sets: Sequence[int],
) -> list[NewGroup]:
    """Store the groups of a site as its next generation, and keep the given reference sets."""
    numbers = _group_numbers(session, site, site_pages, grouping)
    new = []
    for number, group in zip(numbers, grouping.groups, strict=True):
        members = [site_pages[index] for index in group.members]
        new.append(new_group(number, members, known.representative_trees(site_pages, group)))
    memberships = [
        *(NewMembership(site_pages[i].id, None, "outlier", None) for i in grouping.outliers),
        *chain.from_iterable(each.memberships() for each in new),
    ]
    generation = {
        "site_id": site.id,
        "number": site.state.generation + 1,
        "site_version": site.version,
        "method": DEFAULT_METHOD,
        "silhouette": grouping.silhouette,
        "sets": list(reference_sets),
        "group_sizes": [len(each.members) for each in new],
    }
    columns = groups.group_params(new) | groups.membership_params(memberships)
    session.execute(groups.SQL.add_generation, generation | columns)
    return new


def new_group(number: int, members: Sequence[ComparablePage], trees: Sequence[int]) -> NewGroup:
    """Return a group of pages, which are compared with the first one that has HTML."""
    known = [(page.url, page.fetched_at) for page in members]
    ordered = [members[place] for place in reference_order(range(len(members)), known)]
    page_ids = [page.id for page in sorted(ordered, key=lambda page: not page.has_html)]
    pattern = pattern_of_group(page.comment_pattern for page in members)
    shared_lines = shared_lines_of({page.url: page.lines for page in members})
    return NewGroup(number, page_ids, trees, pattern, shared_lines)


def request_changed_extractions(
    session: Session,
    site: ComparedSite,
    site_pages: Sequence[ComparablePage],
    new: Sequence[NewGroup],
    text_roles: Sequence[LineRole],
) -> None:
    """Request the extraction of the pages whose results the new groups may change."""
    by_id = {page.id: page for page in site_pages}
    places = {place.page_id: (group, place) for group in new for place in group.memberships()}
    changed: list[int] = []
    unchanged: list[int] = []
    for page in site_pages:
        group, place = places.get(page.id, (None, None))
        template_page_id = place.template_page_id if place is not None else None
        template = by_id[template_page_id].content_digest if template_page_id is not None else None
        pattern = group.comment_pattern if group else None
        lines = group.shared_lines if group else None
        shared = shared_lines_on(page.url, lines, page.lines, page.removable_lines)
        patterns = pattern, page.comment_pattern
        key = extraction_key(page.content_digest, template, patterns, text_roles, shared)
        is_same = not page.has_html or (page.extraction_key == key and not page.forced)
        (unchanged if is_same else changed).append(page.id)
    generation = site.state.generation + 1
    request_extractions(session, changed, generation, unchanged=unchanged, clustered_site=site.id)


def _group_numbers(
    session: Session, site: ComparedSite, site_pages: Sequence[ComparablePage], grouping: Grouping
) -> list[int]:
    """Return the number of each group: that of the group that it continues, or a new number."""
    members = [[site_pages[index].id for index in group.members] for group in grouping.groups]
    if not site.state.generation:
        return match_groups({}, members)
    latest = {"site_id": site.id, "number": site.state.generation}
    rows = session.execute(groups.SQL.pages_by_group, latest).all()
    return match_groups(dict(rows), members, last_identity=site.state.last_group)


logger = logging.getLogger(__name__)

WATCHED = timedelta(days=1)
"""Minimum time for which a site must be observed before a redesign is reported: a first crawl takes
hours, and may fetch all section fronts before all articles."""

TOGETHER = timedelta(hours=1)
"""Period within which pages without a fetch time count as a single crawl, whose order is merely
that of the crawler's path through the site."""

PAGES_SEARCHED = 20_000
"""Maximum number of newest pages searched for a redesign; an older one was reported when it was
new."""


def record_design_change(session: Session, site_id: int, generation: int, *, pages: int) -> None:
    """Store and log a redesign if the newest pages are in other groups than earlier pages."""
    if pages < MIN_PAGES_FOR_CHANGE:
        return
    params = {"site_id": site_id, "generation": generation, "number": PAGES_SEARCHED}
    newest = session.execute(groups.SQL.newest_pages, params).all()[::-1]
    found = design_change([page.group_number for page in newest])
    if found is None or not _was_watched(newest, found.first):
        return
    first = newest[found.first]
    change = DesignChange(
        site_id=site_id,
        generation=generation,
        since=first.fetched,
        seen_until=newest[-1].fetched,
        first_url=first.url,
        new_share=found.new_share,
        outlier_share=found.outlier_share,
        new_groups=list(found.new_groups),
        gone_groups=list(found.gone_groups),
    )
    if groups.record_design_change(session, change):
        logger.warning(
            "site %d: design changed at %s, fetched %s: %.0f %% of the newest pages are in new"
            " groups %s or are outliers; groups %s have no new pages",
            site_id,
            first.url,
            first.fetched.isoformat(),
            100 * found.new_share,
            change.new_groups,
            change.gone_groups,
        )


def _was_watched(newest: Sequence[Row[Any]], first: int) -> bool:
    """Return whether the site was observed long enough before the first page that differs."""
    page = newest[first]
    if page.is_dated:
        return bool(page.fetched - newest[0].fetched >= WATCHED)
    # Times of receipt can be compared with each other, but not with fetch times.
    before = newest[:first]
    return bool(
        page.received_at - min(each.received_at for each in before) >= WATCHED
        and newest[-1].received_at - newest[first - 1].received_at >= TOGETHER
    )
