"""Store new generations and design changes, and request the extractions that they affect."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain

from sqlalchemy.orm import Session

from detourage.comments import winner
from detourage.roles import LineRole
from detourage.template.clusterer import DEFAULT_METHOD
from detourage.template.comparison_policy import KnownSite
from detourage.template.design_changes import MIN_PAGES_FOR_CHANGE, design_change, match_groups
from detourage.template.groups import Grouping, reference_order
from models.tables import DesignChange
from worker.messaging.task_names import EXTRACTIONS
from worker.store import groups
from worker.store.groups import AssignedPage, ComparablePage, NewGroup, NewMembership
from worker.store.outbox import extraction_params
from worker.store.trees import distance_params
from worker.workflow.comment_patterns import needed_pattern
from worker.workflow.comparison_plan import ComparedSite, StoredDistances
from worker.workflow.extraction_results import extraction_key
from worker.workflow.shared_lines import shared_lines_of, shared_lines_on


def save_generation(
    session: Session,
    site: ComparedSite,
    known: KnownSite,
    site_pages: Sequence[ComparablePage],
    grouping: Grouping,
    former: Iterable[tuple[int, int | None]],
    stored: StoredDistances,
    text_roles: Sequence[LineRole],
) -> dict[int, int]:
    """Store the groups of a site as its next generation; request the extractions they affect.

    `stored` holds the reference sets to be kept and the new distances; `former` pairs pages, even
    those that have lost their trees, with their groups in the previous generation. Return the group
    numbers by page ID, without outliers.
    """
    continued: defaultdict[int, list[int]] = defaultdict(list)
    for page_id, number in former:
        if number is not None:
            continued[number].append(page_id)
    grouped = [[site_pages[index].id for index in group.members] for group in grouping.groups]
    numbers = match_groups(continued, grouped, last_identity=site.state.last_group)
    new = []
    for number, group in zip(numbers, grouping.groups, strict=True):
        members = [site_pages[index] for index in group.members]
        new.append(new_group(number, members, known.representative_trees(site_pages, group)))
    outliers = (NewMembership(site_pages[i].id, None, "outlier", None) for i in grouping.outliers)
    places = chain(outliers, *(each.memberships() for each in new))
    assigned = [AssignedPage(site.id, site.state.generation + 1, place) for place in places]
    generation = {
        "site_id": site.id,
        "number": site.state.generation + 1,
        "site_version": site.version,
        "method": DEFAULT_METHOD,
        "silhouette": grouping.silhouette,
        "sets": stored.reference_sets(),
        "group_sizes": [len(each.members) for each in new],
    }
    changed, unchanged = _changed_pages(site_pages, new, text_roles)
    requested = extraction_params(
        *(EXTRACTIONS, sorted(changed), site.state.generation + 1),
        unchanged=unchanged,
        clustered_site=site.id,
    )
    columns = groups.group_params(new) | groups.member_params(assigned)
    columns |= distance_params(stored.computed)
    session.execute(groups.ADD_GENERATION, generation | columns | requested)
    return {page_id: each.number for each in new for page_id in each.members}


def new_group(number: int, members: Sequence[ComparablePage], trees: Sequence[int]) -> NewGroup:
    """Return a group whose template page is its first page that has HTML."""
    known = [(page.url, page.fetched_at) for page in members]
    ordered = [members[place] for place in reference_order(range(len(members)), known)]
    page_ids = [page.id for page in sorted(ordered, key=lambda page: not page.has_html)]
    pattern = winner(page.comment_vote for page in members)
    shared_lines = shared_lines_of({page.url: page.lines for page in members})
    return NewGroup(number, page_ids, trees, pattern, shared_lines)


def _changed_pages(
    site_pages: Sequence[ComparablePage], new: Sequence[NewGroup], text_roles: Sequence[LineRole]
) -> tuple[list[int], list[int]]:
    """Return the pages whose results the new groups may change, and all others."""
    by_id = {page.id: page for page in site_pages}
    places = {place.page_id: (group, place) for group in new for place in group.memberships()}
    changed: list[int] = []
    unchanged: list[int] = []
    for page in site_pages:
        group, place = places.get(page.id, (None, None))
        template_page_id = place.template_page_id if place is not None else None
        template = by_id[template_page_id].content_digest if template_page_id is not None else None
        pattern = needed_pattern(page.comment_vote, group.comment_pattern if group else None)
        lines = group.shared_lines if group else None
        shared = shared_lines_on(page.url, lines, page.lines, page.removable_lines)
        key = extraction_key(page.content_digest, template, pattern, text_roles, shared)
        is_same = not page.has_html or (page.extraction_key == key and not page.forced)
        (unchanged if is_same else changed).append(page.id)
    return changed, unchanged


logger = logging.getLogger(__name__)

WATCHED = timedelta(days=1)
"""Minimum time for which a site must be observed before a design change is reported: a first crawl
takes hours, and may fetch all section fronts before all articles."""

TOGETHER = timedelta(hours=1)
"""Period within which pages without a fetch time count as a single crawl. Their order then says
nothing about their age, but only reflects the crawler's path through the site."""

PAGES_SEARCHED = 20_000
"""Maximum number of newest pages searched for a design change; earlier ones have been reported."""


def record_design_change(
    session: Session,
    site_id: int,
    generation: int,
    pages: Sequence[ComparablePage],
    group_of: Mapping[int, int],
) -> None:
    """Store and log a design change if the newest pages are in other groups than earlier pages."""
    if len(pages) < MIN_PAGES_FOR_CHANGE:
        return
    newest = sorted(pages, key=lambda page: (_fetched(page), page.url))[-PAGES_SEARCHED:]
    found = design_change([group_of.get(page.id) for page in newest])
    if found is None or not _was_watched(newest, found.first):
        return
    first = newest[found.first]
    change = DesignChange(
        site_id=site_id,
        generation=generation,
        since=_fetched(first),
        seen_until=_fetched(newest[-1]),
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
            change.since.isoformat(),
            100 * found.new_share,
            change.new_groups,
            change.gone_groups,
        )


def _fetched(page: ComparablePage) -> datetime:
    return page.fetched_at or page.received_at


def _was_watched(newest: Sequence[ComparablePage], first: int) -> bool:
    """Return whether the site was observed long enough before the first page that differs."""
    page = newest[first]
    if page.fetched_at is not None:
        return page.fetched_at - _fetched(newest[0]) >= WATCHED
    # Times of receipt can be compared with each other, but not with fetch times.
    before = min(each.received_at for each in newest[:first])
    return (
        page.received_at - before >= WATCHED
        and newest[-1].received_at - newest[first - 1].received_at >= TOGETHER
    )
