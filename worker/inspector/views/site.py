"""A site: a map of its pages, with their distances, groups and generations."""

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from detourage.explain.pictures.arranging import place_pages
from detourage.explain.pictures.heat_map import cell_size, draw_dendrogram, draw_distances
from detourage.explain.pictures.history import DrawnGeneration, draw_history
from detourage.explain.pictures.site_map import MappedPages, draw_map
from detourage.text.abridged import abridged
from detourage.text.plural import counted
from worker.inspector.asking import InspectorRequest
from worker.inspector.pictured_site import PicturedSite, PicturedTree, pictured_site
from worker.inspector.registry import Answer, page_view, plain_view
from worker.store import clusterings
from worker.store.clusterings import Quarantine
from worker.store.feedback import feedback_of_site
from worker.store.groups import design_changes
from worker.store.provisional import PROVISIONAL, UNGROUPED
from worker.store.reads.details import (
    groups_of_generation,
    inspected_site,
    last_generations,
    pages_in_no_group,
)


@page_view("/sites/{site:number}", "site.html")
def site(asked: InspectorRequest) -> Answer:
    """Show a site."""
    site_id = asked.path_number("site")
    found = asked.known(inspected_site, site_id)
    groups = asked.read(groups_of_generation, site_id, found.generation)
    history = asked.read(last_generations, site_id, 60)
    changes = asked.read(design_changes, site_id)
    apart = asked.read(pages_in_no_group, site_id, found.generation)
    aborted = asked.read(clusterings.quarantine, site_id)
    feedback = asked.read(feedback_of_site, site_id)
    is_clustered = found.method not in (None, PROVISIONAL, UNGROUPED)
    pictured = asked.read(pictured_site, site_id, found.generation)
    positions = place_pages(pictured.tolerant)
    trees = [
        {
            "page": tree.page.page_id,
            "url": tree.page.url,
            "group": tree.page.group_number,
            "role": tree.page.role,
            "pages": tree.pages,
            "position": place,
        }
        for tree, place in zip(pictured.trees, positions.round(4).tolist(), strict=True)
    ]
    noticed = {change.generation for change in changes}
    values = {
        "site": found._asdict(),
        "groups": [group._asdict() for group in groups],
        "in_no_group": sum(apart),
        "without_group": [
            {"kind": kind, "pages": pages, "reason": reason}
            for (kind, pages), reason in zip(
                apart._asdict().items(),
                _reasons(asked, aborted, is_clustered=is_clustered),
                strict=True,
            )
            if pages
        ],
        "is_clustered": is_clustered,
        "generations": [each._asdict() for each in history],
        "design_changes": [
            {name: getattr(each, name) for name in ("generation", "since", "first_url")}
            for each in changes
        ],
        "feedback": [each._asdict() for each in feedback],
        "pictured_pages": pictured.pages,
        "trees": trees,
    }
    drawn = [DrawnGeneration(e.number, e.created_at, e.sizes, e.number in noticed) for e in history]
    shown = {
        "map": draw_map(positions, [_mapped(tree) for tree in pictured.trees]),
        "dendrogram": draw_dendrogram(
            pictured.ordered, [tree.page.group_number for tree in pictured.trees]
        ),
        "side": cell_size(len(trees)) * len(trees),
        "cell": cell_size(len(trees)),
        # The rows of a larger map are too short for labels.
        "are_rows_named": len(trees) <= 46,
        "history": draw_history(drawn),
        "feedback_rows": feedback,
    }
    return Answer(values, shown)


def _reasons(
    asked: InspectorRequest, aborted: Quarantine | None, *, is_clustered: bool
) -> tuple[str, ...]:
    """Return the reasons why pages are in no group, in the order of `PagesInNoGroup`."""
    settings = asked.deployment.settings
    soon = (
        f"a site is clustered once no new page has arrived for {settings.settle_seconds:g} s,"
        f" and after {settings.max_settle_seconds:g} s at the latest"
    )
    if aborted is not None:
        outliers = f"clustering of the site was aborted: {aborted.reason}"
        waiting = outliers
    elif is_clustered:
        outliers = (
            "unlike every group, and unlike each other; extracted without a template, and"
            " compared again at the next clustering"
        )
        waiting = f"not yet compared with the groups; {soon}"
    else:
        outliers = f"extracted without a template, as the site is not clustered yet; {soon}"
        waiting = f"waiting for the first clustering of the site; {soon}"
    return outliers, waiting, "without a tree to compare: no HTML, too large or too deep"


@plain_view("/sites/{site:number}/distances.png")
def distances(asked: InspectorRequest) -> Response:
    """Draw the heat map of a site."""
    drawn = draw_distances(_pictured(asked).distances)
    return Response(drawn, media_type="image/png")


@plain_view("/sites/{site:number}/pair")
def pair(asked: InspectorRequest) -> Response:
    """Redirect to the pair of pages of a heat map cell, or to two selected pages."""
    chosen = [asked.number("page"), asked.number("other")]
    column, row = asked.number("x"), asked.number("y")
    if column is not None and row is not None:
        trees = _pictured(asked).trees
        cell = cell_size(len(trees))
        places = [min(each // cell, len(trees) - 1) for each in (row, column)]
        chosen = [trees[place].page.page_id for place in places] if trees else []
    if None in chosen or not chosen:
        raise HTTPException(404)
    return RedirectResponse(f"/pairs/{chosen[0]}/{chosen[1]}", 303)


def _pictured(asked: InspectorRequest) -> PicturedSite:
    site = asked.known(inspected_site, asked.path_number("site"))
    return asked.read(pictured_site, site.id, site.generation)


def _mapped(tree: PicturedTree) -> MappedPages:
    page = tree.page
    of_group = "in no group" if page.group_number is None else f"group {page.group_number}"
    is_representative = page.role == "representative"
    name = f"{abridged(page.url)}: {of_group}"
    if is_representative:
        name += ", its representative"
    if tree.pages > 1:
        name += f", {counted(tree.pages, 'page')} of one tree"
    address = f"/pages/{page.page_id}"
    return MappedPages(page.group_number, tree.pages, is_representative, address, name)
