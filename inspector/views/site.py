"""A site: a map of its pages, their groups, and its generations."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from detourage.limits import WHOLE_MATRIX_TREES
from detourage.template.distance import normalised_distance
from detourage.template.matrix import Matrix, comparable_pages, size_tolerant_distances
from detourage.text.plural import pluralise
from inspector.pages import abridge
from inspector.reads.details import (
    PageOfTree,
    SiteQuarantine,
    design_changes,
    distances_of_trees,
    groups_of_generation,
    inspected_site,
    last_generations,
    pages_in_no_group,
    pages_of_trees,
    site_quarantines,
    trees_to_picture,
)
from inspector.registry import ViewResponse, page_view, plain_view
from inspector.request import InspectorRequest
from inspector.site_map import MappedPages, draw_map, place_pages


@page_view("/sites/{site:number}", "site.html")
def site(request: InspectorRequest) -> ViewResponse:
    """Show a site: a map of its pages, its groups, and its latest generations."""
    site_id = request.path_number("site")
    found = request.read_existing(inspected_site, site_id)
    groups = request.read(groups_of_generation, site_id, found.generation)
    generations = request.read(last_generations, site_id, 60)
    changes = request.read(design_changes, site_id)
    in_no_group = request.read(pages_in_no_group, site_id, found.generation)
    quarantine = request.read(site_quarantines, [site_id]).get(site_id)
    is_clustered = found.method not in (None, "provisional", "none")
    mapped, distances = request.read(_mapped_trees, site_id, found.generation)
    positions = place_pages(distances)
    trees = [
        {
            "page": tree.page.page_id,
            "url": tree.page.url,
            "group": tree.page.group_number,
            "role": tree.page.role,
            "pages": tree.pages,
            "position": position,
        }
        for tree, position in zip(mapped, positions.round(4).tolist(), strict=True)
    ]
    values = {
        "site": found._asdict(),
        "groups": [group._asdict() for group in groups],
        "in_no_group": sum(in_no_group),
        "without_group": [
            {"kind": kind, "pages": pages, "reason": reason}
            for (kind, pages), reason in zip(
                in_no_group._asdict().items(),
                _reasons(request, quarantine, is_clustered=is_clustered),
                strict=True,
            )
            if pages
        ],
        "is_clustered": is_clustered,
        "generations": [each._asdict() for each in generations],
        "design_changes": [
            {name: getattr(each, name) for name in ("generation", "since", "first_url")}
            for each in changes
        ],
        "pictured_pages": sum(tree.pages for tree in mapped),
        "trees": trees,
    }
    site_map = draw_map(positions, [_mapped_pages(tree) for tree in mapped])
    return ViewResponse(values, {"map": site_map})


def _reasons(
    request: InspectorRequest, quarantine: SiteQuarantine | None, *, is_clustered: bool
) -> tuple[str, ...]:
    """Return the reasons why pages are in no group, in the order of `PagesInNoGroup`."""
    settings = request.deployment.settings
    next_clustering = (
        f"a site is clustered once no new page has arrived for {settings.settle_seconds:g} s,"
        f" and after {20 * settings.settle_seconds:g} s at the latest"
    )
    if quarantine is not None:
        outliers = f"the site is in quarantine: {quarantine.reason}"
        waiting = outliers
    elif is_clustered:
        outliers = (
            "unlike every group, and unlike each other; extracted without a template, and"
            " compared again at the next clustering"
        )
        waiting = f"not yet compared with the groups; {next_clustering}"
    else:
        outliers = (
            f"extracted without a template, as the site is not clustered yet; {next_clustering}"
        )
        waiting = f"waiting for the first clustering of the site; {next_clustering}"
    return outliers, waiting, "without a tree to compare: no HTML, too large or too deep"


@plain_view("/sites/{site:number}/pair")
def pair(request: InspectorRequest) -> Response:
    """Redirect from the form that selects two pages to the view of this pair."""
    page, other = request.number("page"), request.number("other")
    if page is None or other is None:
        raise HTTPException(404)
    return RedirectResponse(f"/pairs/{page}/{other}", 303)


class _MappedTree(NamedTuple):
    """A tree's number of pages, and one of the pages, preferably a representative of its group."""

    page: PageOfTree
    pages: int


def _mapped_trees(
    session: Session, site_id: int, generation: int
) -> tuple[list[_MappedTree], Matrix]:
    """Return trees of a site with their distances; trees with unknown distances are omitted."""
    tree_ids = trees_to_picture(session, site_id, WHOLE_MATRIX_TREES)
    pages: defaultdict[int, list[PageOfTree]] = defaultdict(list)
    for page in pages_of_trees(session, site_id, generation, tree_ids):
        pages[page.tree_id].append(page)
    tree_ids = [tree_id for tree_id in tree_ids if tree_id in pages]
    edits, size_by_id = distances_of_trees(session, tree_ids)
    kept = comparable_pages(edits)
    tree_ids = [tree_ids[row] for row in kept.tolist()]
    sizes = np.array([size_by_id[tree_id] for tree_id in tree_ids], dtype=np.int64)
    distances = normalised_distance(edits[np.ix_(kept, kept)], sizes[:, None], sizes[None, :])
    mapped = []
    for tree_id in tree_ids:
        representatives = (page for page in pages[tree_id] if page.role == "representative")
        shown_page = next(representatives, pages[tree_id][0])
        mapped.append(_MappedTree(shown_page, len(pages[tree_id])))
    return mapped, size_tolerant_distances(np.asarray(distances), sizes)


def _mapped_pages(tree: _MappedTree) -> MappedPages:
    """Return the mark for a tree on the map, named after the page and the group."""
    page = tree.page
    group_name = "in no group" if page.group_number is None else f"group {page.group_number}"
    is_representative = page.role == "representative"
    name = f"{abridge(page.url)}: {group_name}"
    if is_representative:
        name += ", its representative"
    if tree.pages > 1:
        name += f", {pluralise(tree.pages, 'page')} of one tree"
    address = f"/pages/{page.page_id}"
    return MappedPages(page.group_number, tree.pages, is_representative, address, name)
