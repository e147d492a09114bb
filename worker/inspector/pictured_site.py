"""Data for the pictures of a site: its trees, with their distances, order and positions."""

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sqlalchemy.orm import Session

from detourage.explain.pictures.arranging import OrderedPages, order_pages
from detourage.template.distance import normalised_distance
from detourage.template.likeness import size_tolerant_distances
from detourage.template.matrix import Matrix, comparable_pages
from worker.store import trees
from worker.store.reads.details import PageOfTree, pages_of_trees, trees_to_picture


class PicturedTree(NamedTuple):
    """A tree, with its number of pages and one of them, preferably its group's representative."""

    page: PageOfTree
    pages: int


@dataclass(frozen=True, eq=False)
class PicturedSite:
    """Trees in dendrogram order, with their normalised and size-`tolerant` distances."""

    trees: list[PicturedTree]
    distances: Matrix
    tolerant: Matrix
    ordered: OrderedPages

    @property
    def pages(self) -> int:
        """Total number of pages with these trees."""
        return sum(tree.pages for tree in self.trees)


def pictured_site(session: Session, site_id: int, generation: int) -> PicturedSite:
    """Return the data for the pictures of a site; trees with unknown distances are omitted."""
    # A large site is represented by its references.
    tree_ids = trees_to_picture(session, site_id, 400)
    pages: defaultdict[int, list[PageOfTree]] = defaultdict(list)
    for page in pages_of_trees(session, site_id, generation, tree_ids):
        pages[page.tree_id].append(page)
    tree_ids = [tree_id for tree_id in tree_ids if tree_id in pages]
    raw, _ = trees.distance_matrix(session, tree_ids)
    kept = comparable_pages(raw)
    tree_ids = [tree_ids[place] for place in kept.tolist()]
    shapes = trees.tree_shapes(session, tree_ids)
    sizes = np.array([shapes[tree_id].size for tree_id in tree_ids], dtype=np.int64)
    distances = np.asarray(
        normalised_distance(raw[np.ix_(kept, kept)], sizes[:, None], sizes[None, :])
    )
    tolerant = size_tolerant_distances(distances, sizes)
    ordered = order_pages(tolerant)
    order = np.array(ordered.order, dtype=np.int64)
    among = np.ix_(order, order)
    pictured = [_pictured(pages[tree_ids[place]]) for place in ordered.order]
    return PicturedSite(pictured, distances[among], tolerant[among], ordered)


def _pictured(pages: list[PageOfTree]) -> PicturedTree:
    chosen = next((page for page in pages if page.role == "representative"), pages[0])
    return PicturedTree(chosen, len(pages))
