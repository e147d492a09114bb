"""The periodic clustering of each site into template groups."""

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta

from celery import shared_task
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from models.tables import DesignChange
from worker import logs
from worker.distance import Block
from worker.distance.blocks import BLOCK_NODES
from worker.messaging import task_names
from worker.messaging.broker import messages_waiting, topology_of
from worker.settings import Settings, load_settings
from worker.store import (
    assignments,
    backlog,
    clusterings,
    comparisons,
    designs,
    outbox,
    pages,
    references,
    templates,
    trees,
)
from worker.store.database import is_connection_lost
from worker.store.templates import ComparablePage, NewGroup, NewMembership
from worker.tasks.comment_patterns import pattern_of_group
from worker.tasks.compare import compare_at_once
from worker.tasks.context import TASK_OPTIONS, database
from worker.tasks.extract import extraction_key
from worker.tasks.extractions import ask_for_extractions
from worker.tasks.matrix import (
    ComparedSite,
    KnownSite,
    Missing,
    group_or_missing,
    known_or_missing,
)
from worker.tasks.memberships import group_memberships
from worker.tasks.quarantined import offer_task
from worker.templates import DEFAULT_METHOD, Group, Grouping
from worker.templates.generations import (
    FEWEST_TO_TELL_A_CHANGE,
    design_change,
    match_groups,
)

logger = logging.getLogger(__name__)

PAIRS_AT_ONCE = 50
"""Missing pairs that the clustering computes itself, those of ten trees or less.

They take some 10 to 100 ms, a block of its own with its messages and its second look at the
site some 30 ms: of 280 small sites, 808 pages, each would need one.
"""

WATCHED = timedelta(days=1)
"""Time that a site was seen before a change of it is reported: a first crawl, which may bring
all section fronts and then all articles, takes hours."""

PAGES_LOOKED_AT = 20_000
"""Newest pages among which a change of design is sought: a fifth of a second at most, and a
change that lies farther back was noticed when it was new, or came in one period with as many
pages after it."""


MAX_ATTEMPTS = 4
"""Clusterings of a site that end with their process, or raise, before it is clustered no more."""

PAUSES = (0, 1, 5)
"""Pauses after an attempt that failed, in periods of the look for sites. The second attempt follows
at once, as most processes end for what the site has nothing to do with; memory may be short for
minutes."""

_CLUSTERING_LOCK = 0x6477
"""Kind of the locks of sites whose clustering is counted; any number that nothing else uses. The
lock of `worker.store.templates` ends with a transaction, and counting needs one of its own."""


@shared_task(name=task_names.CLUSTER_DUE, **TASK_OPTIONS)
def cluster_due_sites(settle_seconds: float | None = None) -> None:
    """Start the clustering of each site whose pages changed and are settled.

    While page messages wait at the intake no site is settled, as more pages of
    it may be among them.

    Parameters
    ----------
    settle_seconds
        Instead of the setting of that name, and whatever waits at the intake.
    """
    settings = load_settings()
    if settle_seconds is not None:
        settle = settle_seconds
    elif messages_waiting(settings, topology_of(settings).pages):
        settle = settings.max_settle_seconds
    else:
        settle = settings.settle_seconds
    database().run(lambda session: _ask_for_due_clusterings(session, settings, settle))


def _ask_for_due_clusterings(session: Session, settings: Settings, settle_seconds: float) -> None:
    due = templates.due_sites(
        session,
        settle_seconds=settle_seconds,
        max_settle_seconds=settings.max_settle_seconds,
        patience_seconds=settings.comparison_patience_seconds,
        pauses_seconds=_pauses(settings),
        # What the intake waits for may be the first clustering of the sites that it knows.
        first_at_once=backlog.is_nearly_full(session, settings.pending_limit),
    )
    asked = outbox.sites_waiting(session, task_names.CLUSTER) if due else set()
    outbox.add_tasks_of_sites(
        session,
        task_names.CLUSTER,
        [(site_id, {"site_id": site_id}) for site_id in due if site_id not in asked],
    )


def _pauses(settings: Settings) -> list[float]:
    return [settings.cluster_interval_seconds * periods for periods in PAUSES]


@shared_task(name=task_names.CLUSTER, **TASK_OPTIONS)
def cluster(site_id: int, *, afresh: bool = False) -> None:
    """Group the pages of a site and ask for the extractions that the groups change.

    Where distances are missing it asks for them instead, in blocks; the last block
    calls it again. Does nothing while another process clusters the site, while
    blocks are being compared, or when no page changed since the last generation.

    A site whose clustering failed `MAX_ATTEMPTS` times is clustered no more: its pages are
    extracted with the groups that it has, or without any, and a task that clusters it afresh
    waits in quarantine.

    Parameters
    ----------
    site_id
        The site.
    afresh
        Whether to forget how often that failed.
    """
    with database().exclusive(_CLUSTERING_LOCK, site_id) as is_ours:
        if not is_ours:
            return
        attempt = database().run(lambda session: _begin(session, site_id, afresh=afresh))
        if attempt is None:
            return
        if attempt > MAX_ATTEMPTS:
            database().run(lambda session: _give_up(session, site_id))
            return
        try:
            database().run(lambda session: _attempt(session, site_id))
        except Exception as error:
            if not (isinstance(error, DBAPIError) and is_connection_lost(error)):
                told = f"{type(error).__name__}: {error}"
                database().run(lambda session: clusterings.note_error(session, site_id, told))
            raise


def _begin(session: Session, site_id: int, *, afresh: bool) -> int | None:
    if afresh:
        clusterings.forget(session, site_id)
    return clusterings.begin(session, site_id, _pauses(load_settings()))


def _attempt(session: Session, site_id: int) -> None:
    _cluster(session, site_id)
    clusterings.forget(session, site_id)


def _give_up(session: Session, site_id: int) -> None:
    """Extract what waits for a clustering without it, and leave the way back to an operator."""
    # What the intake stores from now on is assigned; what it stored before is seen here.
    comparisons.lock_for_result(session, site_id)
    site = pages.key_of_site(session, site_id)
    logs.bind(site=site)
    found = clusterings.give_up(session, site_id)
    generation = templates.last_generation(session, site_id)
    if not generation:
        generation = 1
        templates.save_generation(
            session,
            site_id=site_id,
            number=generation,
            # It saw none of the pages: what comes is assigned, and a clustering finds all new.
            site_version=0,
            method="none",
            silhouette=None,
            groups=[],
            memberships=[],
        )
    waiting = pages.pending_with_tree(session, site_id)
    assignments.place_as_outliers(session, site_id, generation, waiting)
    ask_for_extractions(session, site_id, waiting, generation)
    offer_task(
        session,
        task_names.CLUSTER,
        {"site_id": site_id, "afresh": True},
        stage="cluster",
        reason="clustering-failed",
        detail=f"{site}: {found.reason}",
    )
    logger.error("site %d is clustered no more: %s", site_id, found.reason)


def _cluster(session: Session, site_id: int) -> None:
    if not templates.try_lock_clustering(session, site_id):
        return
    settings = load_settings()
    if comparisons.is_in_flight(session, site_id):
        if outbox.is_waiting(session, task_names.COMPARE, site_id):
            return
        late = comparisons.ask_again(
            session, site_id, patience_seconds=settings.comparison_patience_seconds
        )
        _ask_for_blocks(session, site_id, late)
        return
    site = _load_site(session, site_id)
    if site is None:
        return
    known = known_or_missing(session, site, whole_matrix_trees=settings.whole_matrix_trees)
    if isinstance(known, Missing) and _is_little(site, known):
        compare_at_once(
            session,
            [
                pair
                for block in known.blocks
                for pair in Block(tuple(block.rows), tuple(block.columns)).pairs()
            ],
        )
        known = known_or_missing(session, site, whole_matrix_trees=settings.whole_matrix_trees)
    if isinstance(known, Missing):
        _ask_for_missing(session, site, known)
        return
    is_first = not site.generation
    site_pages = [
        page for page in templates.comparable_pages(session, site_id) if page.tree_id in site.trees
    ]
    grouping = group_or_missing(session, site, known, site_pages)
    if isinstance(grouping, Missing):
        _ask_for_missing(session, site, grouping)
        return
    number = site.generation + 1
    identities = match_groups(
        {} if is_first else templates.pages_by_group(session, site_id, site.generation),
        [[site_pages[index].id for index in group.members] for group in grouping.groups],
        last_identity=0 if is_first else templates.last_group(session, site_id),
    )
    compared = [_compared_with(site_pages, group, known) for group in grouping.groups]
    memberships = _memberships(site_pages, grouping, identities, compared)
    patterns = {
        identity: pattern_of_group(site_pages[index].comment_pattern for index in group.members)
        for identity, group in zip(identities, grouping.groups, strict=True)
    }
    templates.save_generation(
        session,
        site_id=site_id,
        number=number,
        site_version=site.version,
        method=DEFAULT_METHOD,
        silhouette=grouping.silhouette,
        groups=[
            NewGroup(
                identity,
                len(group.members),
                site_pages[pivot].id,
                known.representative_trees(site_pages, group),
                patterns[identity],
            )
            for identity, group, (pivot, _) in zip(
                identities, grouping.groups, compared, strict=True
            )
        ],
        memberships=memberships,
    )
    if site.has_begun:
        comparisons.end(session, site_id)
    if known.reference_sets or not is_first:
        references.keep_sets(session, site_id, known.reference_sets)
    _dispatch_extractions(session, site_id, site_pages, memberships, patterns, number)
    if len(site_pages) >= FEWEST_TO_TELL_A_CHANGE:
        _note_design_change(session, site_id, number)
    logger.info(
        "site %d: generation %d, %d pages, %d groups, %d outliers",
        site_id,
        number,
        len(site_pages),
        len(grouping.groups),
        len(grouping.outliers),
    )


def _note_design_change(session: Session, site_id: int, number: int) -> None:
    newest = designs.newest_pages(session, site_id, number, PAGES_LOOKED_AT)
    found = design_change([page.group_number for page in newest])
    if found is None:
        return
    first = newest[found.first]
    if first.fetched_at - newest[0].fetched_at < WATCHED:
        return
    change = DesignChange(
        site_id=site_id,
        generation=number,
        since=first.fetched_at,
        seen_until=newest[-1].fetched_at,
        first_url=first.url,
        new_share=found.new_share,
        outlier_share=found.outlier_share,
        new_groups=list(found.new_groups),
        gone_groups=list(found.gone_groups),
    )
    if designs.note_change(session, change):
        logger.warning(
            "site %d: its design changed with %s, fetched %s: %.0f %% of the newest pages are of"
            " groups %s or of none, none of groups %s",
            site_id,
            first.url,
            first.fetched_at.isoformat(),
            100 * found.new_share,
            change.new_groups,
            change.gone_groups,
        )


def _is_little(site: ComparedSite, missing: Missing) -> bool:
    nodes = sum(shape.size for shape in site.trees.values())
    return (
        nodes <= BLOCK_NODES
        and sum(block.pairs for block in missing.blocks) <= PAIRS_AT_ONCE
        and all(block.reference_set_id is None for block in missing.blocks)
    )


def _ask_for_missing(session: Session, site: ComparedSite, missing: Missing) -> None:
    if not site.has_begun:
        comparisons.begin(session, site.id, site_version=site.version, tree_ids=sorted(site.trees))
    block_ids = comparisons.add_blocks(session, site.id, missing.blocks)
    _ask_for_blocks(session, site.id, block_ids)


def _ask_for_blocks(session: Session, site_id: int, block_ids: list[int]) -> None:
    wanted = [{"block_id": each} for each in block_ids]
    outbox.add_tasks(session, task_names.COMPARE, wanted, site_id=site_id)


def _load_site(session: Session, site_id: int) -> ComparedSite | None:
    # The version is read before the pages: a page that comes in between is then
    # seen, and makes the site due once more, instead of being overlooked.
    version, generation, seen = templates.site_state(session, site_id)
    begun = comparisons.find(session, site_id)
    if begun is not None:
        shapes = trees.tree_shapes(session, begun.tree_ids)
        return ComparedSite(site_id, begun.site_version, generation, shapes, has_begun=True)
    if generation and version <= seen:
        return None
    shapes = trees.site_tree_shapes(session, site_id)
    return ComparedSite(site_id, version, generation, shapes, has_begun=False)


def _memberships(
    site_pages: list[ComparablePage],
    grouping: Grouping,
    identities: Sequence[int],
    compared: Sequence[tuple[int, int]],
) -> list[NewMembership]:
    memberships = [
        NewMembership(site_pages[index].id, None, "outlier", None) for index in grouping.outliers
    ]
    for identity, group, (pivot, beside) in zip(identities, grouping.groups, compared, strict=True):
        memberships += group_memberships(
            identity,
            [site_pages[index].id for index in group.members],
            pivot_id=site_pages[pivot].id,
            beside_pivot=site_pages[beside].id,
        )
    return memberships


def _compared_with(
    site_pages: list[ComparablePage], group: Group, known: KnownSite
) -> tuple[int, int]:
    """Return the member that a group's pages are compared with, and what that one is.

    The pivot and the page nearest to it. Where the HTML of one was removed, the page nearest to
    the pivot that has its HTML stands in for it.
    """
    kept = [index for index in group.members if site_pages[index].has_html]
    pivot = group.pivot
    if kept and pivot not in kept:
        pivot = known.nearest_member(site_pages, kept, pivot)
    others = [index for index in kept if index != pivot] or group.members
    return pivot, known.nearest_member(site_pages, others, pivot)


def _dispatch_extractions(
    session: Session,
    site_id: int,
    site_pages: list[ComparablePage],
    memberships: list[NewMembership],
    patterns: Mapping[int, str | None],
    number: int,
) -> None:
    by_id = {page.id: page for page in site_pages}
    changed: list[int] = []
    unchanged: list[int] = []
    for membership in memberships:
        page = by_id[membership.page_id]
        pivot = by_id[membership.pivot_id] if membership.pivot_id is not None else None
        group = membership.group_number
        key = extraction_key(
            page.content_digest,
            pivot.content_digest if pivot else None,
            patterns[group] if group is not None else None,
        )
        same = page.extraction_key == key and not page.forced
        same |= not page.has_html
        (unchanged if same else changed).append(page.id)
    # What earlier generations asked for is void, and would pile up where clusterings are frequent.
    if number > 1:
        outbox.withdraw(session, task_names.EXTRACT, site_id, "page_id", sorted(by_id))
    if unchanged:
        templates.carry_over(session, unchanged, number)
    ask_for_extractions(session, site_id, changed, number)
