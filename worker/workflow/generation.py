"""Store new generations, and request the extractions that they affect."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain

from sqlalchemy.orm import Session

from detourage.roles import LineRole
from detourage.template.clusterer import DEFAULT_METHOD
from detourage.template.comparison_policy import KnownSite
from detourage.template.generations import MIN_PAGES_FOR_CHANGE, design_change, match_groups
from detourage.template.groups import Group, Grouping, reference_order
from models.tables import DesignChange
from worker.store import groups
from worker.store.groups import ComparablePage, DatedPage, NewGroup, NewMembership
from worker.workflow.comment_patterns import pattern_of_group
from worker.workflow.comparison_plan import ComparedSite
from worker.workflow.extraction_requests import request_extractions
from worker.workflow.extraction_results import extraction_key
from worker.workflow.shared_lines import shared_lines_of, shared_lines_on


@dataclass(frozen=True)
class NewGeneration:
    """A stored generation, with its comment patterns and shared lines by group."""

    number: int
    memberships: Sequence[NewMembership]
    patterns: Mapping[int, str | None]
    shared: Mapping[int, bytes | None]


def save_generation(
    session: Session,
    site: ComparedSite,
    known: KnownSite,
    site_pages: Sequence[ComparablePage],
    grouping: Grouping,
    reference_sets: Sequence[int],
) -> NewGeneration:
    """Store the groups of a site as its next generation, and keep the given reference sets.

    `site_pages` are the site's pages that have a tree; `grouping` refers to them by index.
    """
    identities = _identities(session, site, site_pages, grouping)
    members = [_in_reference_order(site_pages, group) for group in grouping.groups]
    patterns = [
        pattern_of_group(site_pages[index].comment_pattern for index in group.members)
        for group in grouping.groups
    ]
    shared = [
        shared_lines_of({site_pages[i].url: site_pages[i].lines for i in group.members})
        for group in grouping.groups
    ]
    generation = NewGeneration(
        site.generation + 1,
        [
            *(NewMembership(site_pages[i].id, None, "outlier", None) for i in grouping.outliers),
            *chain.from_iterable(map(group_memberships, identities, members)),
        ],
        dict(zip(identities, patterns, strict=True)),
        dict(zip(identities, shared, strict=True)),
    )
    groups.save_generation(
        session,
        site_id=site.id,
        number=generation.number,
        site_version=site.version,
        method=DEFAULT_METHOD,
        silhouette=grouping.silhouette,
        groups=[
            NewGroup(
                identity,
                len(group.members),
                of_group[0],
                known.representative_trees(site_pages, group),
                pattern,
                lines,
            )
            for identity, group, of_group, pattern, lines in zip(
                identities, grouping.groups, members, patterns, shared, strict=True
            )
        ],
        memberships=generation.memberships,
        reference_sets=reference_sets,
    )
    return generation


def request_changed_extractions(
    session: Session,
    site_id: int,
    site_pages: Sequence[ComparablePage],
    generation: NewGeneration,
    text_roles: Sequence[LineRole],
) -> None:
    """Request the extraction of the pages whose results the generation may change."""
    by_id = {page.id: page for page in site_pages}
    changed: list[int] = []
    unchanged: list[int] = []
    for membership in generation.memberships:
        page = by_id[membership.page_id]
        pivot = by_id[membership.pivot_id] if membership.pivot_id is not None else None
        group = membership.group_number
        key = extraction_key(
            page.content_digest,
            pivot.content_digest if pivot else None,
            generation.patterns[group] if group is not None else None,
            text_roles,
            shared_lines_on(page.url, generation.shared.get(group or 0), page.lines),
        )
        same = page.extraction_key == key and not page.forced
        same |= not page.has_html
        (unchanged if same else changed).append(page.id)
    request_extractions(
        session, changed, generation.number, unchanged=unchanged, clustered_site=site_id
    )


def _identities(
    session: Session,
    site: ComparedSite,
    site_pages: Sequence[ComparablePage],
    grouping: Grouping,
) -> list[int]:
    members = [[site_pages[index].id for index in group.members] for group in grouping.groups]
    if not site.generation:
        return match_groups({}, members)
    before = {"site_id": site.id, "number": site.generation}
    return match_groups(
        dict(session.execute(groups.SQL.pages_by_group, before).all()),
        members,
        last_identity=site.last_group,
    )


def group_memberships(group: int, page_ids: Sequence[int]) -> Iterator[NewMembership]:
    """Yield memberships: pages are compared with the first page, and it with the second."""
    first, second, *_ = page_ids
    yield NewMembership(first, group, "representative", second)
    for page_id in page_ids[1:]:
        yield NewMembership(page_id, group, "member", first)


def _in_reference_order(site_pages: Sequence[ComparablePage], group: Group) -> list[int]:
    """Return the IDs of a group's pages in `reference_order`, those that have HTML first."""
    known = [(page.url, page.fetched_at) for page in site_pages]
    ordered = [site_pages[index] for index in reference_order(group.members, known)]
    return [page.id for page in sorted(ordered, key=lambda page: not page.has_html)]


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


def note_design_change(session: Session, site_id: int, generation: int, *, pages: int) -> None:
    """Store and log a redesign if the newest pages belong to different groups from earlier pages.

    `pages` is the number of pages in the generation.
    """
    if pages < MIN_PAGES_FOR_CHANGE:
        return
    newest = groups.newest_pages(session, site_id, generation, PAGES_SEARCHED)
    found = design_change([page.group_number for page in newest])
    if found is None:
        return
    if not _was_watched(newest, found.first):
        return
    first = newest[found.first]
    change = DesignChange(
        site_id=site_id,
        generation=generation,
        since=first.fetched_at,
        seen_until=newest[-1].fetched_at,
        first_url=first.url,
        new_share=found.new_share,
        outlier_share=found.outlier_share,
        new_groups=list(found.new_groups),
        gone_groups=list(found.gone_groups),
    )
    if groups.note_design_change(session, change):
        logger.warning(
            "site %d: design changed at %s, fetched %s: %.0f %% of the newest pages are in new"
            " groups %s or are outliers; groups %s have no new pages",
            site_id,
            first.url,
            first.fetched_at.isoformat(),
            100 * found.new_share,
            change.new_groups,
            change.gone_groups,
        )


def _was_watched(newest: Sequence[DatedPage], first: int) -> bool:
    """Return whether the site was observed long enough before the first page that differs."""
    page = newest[first]
    if page.is_dated:
        return page.fetched_at - newest[0].fetched_at >= WATCHED
    # Times of receipt can be compared with each other, but not with fetch times.
    before = newest[:first]
    return (
        page.received_at - min(each.received_at for each in before) >= WATCHED
        and newest[-1].received_at - newest[first - 1].received_at >= TOGETHER
    )
