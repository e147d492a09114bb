"""The periodic clustering of each site into template groups."""

import logging
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from celery import current_app, shared_task
from sqlalchemy.orm import Session

from worker.distance import normalised_distance
from worker.settings import load_settings
from worker.store import outbox, templates, trees
from worker.store.templates import ComparablePage, NewMembership
from worker.tasks import names
from worker.tasks.context import TASK_OPTIONS, database
from worker.tasks.extract import extraction_key
from worker.templates import Grouping, group_pages

logger = logging.getLogger(__name__)

METHOD = "mds_kmeans"


@dataclass(frozen=True)
class SiteMatrix:
    """The pages of a site in the order of their URLs, and their normalised distances.

    A distance that is not known, or cannot be computed, is NaN.
    """

    site_version: int
    generation: int
    pages: list[ComparablePage]
    distances: npt.NDArray[np.float64]


@shared_task(name=names.CLUSTER_DUE, **TASK_OPTIONS)
def cluster_due_sites(settle_seconds: float | None = None) -> None:
    """Start the clustering of each site whose pages changed and are settled.

    Parameters
    ----------
    settle_seconds
        Instead of the setting of that name.
    """
    settings = load_settings()
    settle = settings.settle_seconds if settle_seconds is None else settle_seconds
    due = database().run(
        lambda session: templates.due_sites(
            session, settle_seconds=settle, max_settle_seconds=settings.max_settle_seconds
        )
    )
    for site_id in due:
        current_app.send_task(names.CLUSTER, kwargs={"site_id": site_id})


@shared_task(name=names.CLUSTER, **TASK_OPTIONS)
def cluster(site_id: int) -> None:
    """Group the pages of a site and ask for the extractions that the groups change.

    Does nothing while another process clusters the site, while distances are
    still being computed, or when no page changed since the last generation; the
    periodic task comes back to it.
    """
    database().run(lambda session: _cluster(session, site_id))


def _cluster(session: Session, site_id: int) -> None:
    if not templates.try_lock_clustering(session, site_id):
        return
    matrix = _load_matrix(session, site_id)
    if matrix is None:
        return
    grouping = group_pages([page.url for page in matrix.pages], matrix.distances)
    memberships = _memberships(matrix, grouping)
    number = matrix.generation + 1
    templates.save_generation(
        session,
        site_id=site_id,
        number=number,
        site_version=matrix.site_version,
        method=METHOD,
        silhouette=grouping.silhouette,
        groups={
            group_number: (len(group.members), matrix.pages[group.pivot].id)
            for group_number, group in enumerate(grouping.groups, start=1)
        },
        memberships=memberships,
    )
    _dispatch_extractions(session, matrix.pages, memberships, number)
    logger.info(
        "site %d: generation %d, %d pages, %d groups, %d outliers",
        site_id,
        number,
        len(matrix.pages),
        len(grouping.groups),
        len(grouping.outliers),
    )


def _load_matrix(session: Session, site_id: int) -> SiteMatrix | None:
    # The version is read before the pages: a page that comes in between is then
    # seen, and makes the site due once more, instead of being overlooked.
    version, age, generation = templates.site_state(session, site_id)
    if generation and version <= templates.generation_version(session, site_id, generation):
        return None
    site_pages = sorted(templates.comparable_pages(session, site_id), key=lambda page: page.url)
    tree_ids = sorted({page.tree_id for page in site_pages})
    known = trees.known_distances(session, tree_ids, tree_ids)
    complete = len(known) == len(tree_ids) * (len(tree_ids) - 1) // 2
    if not complete and age < load_settings().comparison_patience_seconds:
        return None
    sizes = trees.tree_sizes(session, tree_ids)
    rank = {tree_id: position for position, tree_id in enumerate(tree_ids)}
    raw = np.full((len(tree_ids), len(tree_ids)), np.nan)
    np.fill_diagonal(raw, 0)
    for (lower, higher), distance in known.items():
        if distance is not None:
            raw[rank[lower], rank[higher]] = raw[rank[higher], rank[lower]] = distance
    size = np.array([sizes[tree_id] for tree_id in tree_ids], dtype=np.int64)
    normalised = normalised_distance(raw, size[:, None], size[None, :])
    order = [rank[page.tree_id] for page in site_pages]
    distances = np.asarray(normalised, dtype=np.float64)[np.ix_(order, order)]
    return SiteMatrix(version, generation, site_pages, distances)


def _memberships(matrix: SiteMatrix, grouping: Grouping) -> list[NewMembership]:
    memberships = [
        NewMembership(matrix.pages[index].id, None, "outlier", None) for index in grouping.outliers
    ]
    for number, group in enumerate(grouping.groups, start=1):
        for index in group.members:
            is_pivot = index == group.pivot
            compared_with = (
                _nearest(matrix.distances, group.members, index) if is_pivot else group.pivot
            )
            memberships.append(
                NewMembership(
                    matrix.pages[index].id,
                    number,
                    "representative" if is_pivot else "member",
                    matrix.pages[compared_with].id,
                )
            )
    return memberships


def _nearest(distances: npt.NDArray[np.float64], members: tuple[int, ...], index: int) -> int:
    """Return the member nearest to one, the first of equals."""
    return min(
        (member for member in members if member != index),
        key=lambda member: (distances[index, member], member),
    )


def _dispatch_extractions(
    session: Session,
    site_pages: list[ComparablePage],
    memberships: list[NewMembership],
    number: int,
) -> None:
    by_id = {page.id: page for page in site_pages}
    changed: list[int] = []
    unchanged: list[int] = []
    for membership in memberships:
        page = by_id[membership.page_id]
        pivot = by_id[membership.pivot_id] if membership.pivot_id is not None else None
        key = extraction_key(page.content_digest, pivot.content_digest if pivot else None)
        same = page.extraction_key == key and not page.forced
        (unchanged if same else changed).append(page.id)
    templates.carry_over(session, unchanged, number)
    templates.start_generation(session, changed, number)
    outbox.add_tasks(
        session,
        names.EXTRACT,
        [{"page_id": page_id, "generation": number} for page_id in sorted(changed)],
    )
