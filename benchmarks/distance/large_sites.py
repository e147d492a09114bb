"""What it costs to group a site by references instead of its whole matrix, in time and truth."""

import base64
import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from benchmarks.distance.corpora import Sites
from worker.distance import (
    distance_matrix,
    nearest_references,
    normalised_distance,
    reference_trees,
)
from worker.distance.references import FAR
from worker.pages import Tree, parse_page
from worker.sample import generate
from worker.templates import group_pages

Labels = npt.NDArray[np.int64]

GENERATED_SITE = "harbour-post.example"
"""Three templates before its redesign and three after."""

GENERATED_TEMPLATES = 6
NOISE = 0.5
SEED = 9

LARGEST_MATRIX = 1_100
"""Pages of a site up to which the whole matrix is computed, some 600,000 pairs."""

FEWEST_PAGES = 35
"""Pages of a real site on which the policy is tried, with a sample of a third."""


def generated(pages: int) -> None:
    """Print how a generated site is grouped."""
    trees, classes = _generate(pages)
    print(f"\n### A generated site of {len(trees)} pages\n")
    _print_head()
    _compare(GENERATED_SITE, trees, classes, sample=150, faraway=50)


def real(sites: Sites) -> None:
    """Print how real sites are grouped when a third of their pages stands for them."""
    print("\n### Real sites, a third of their pages for all\n")
    _print_head()
    for name, trees in sorted(sites.items()):
        if len(trees) >= FEWEST_PAGES:
            count = len(trees) // 3
            _compare(name, trees, None, sample=count, faraway=count // 3)


def _print_head() -> None:
    print(
        "| site | pages | references | choosing, s | assigning, s | matrix, s | whole matrix, s "
        "| ARI, references and truth | whole and truth | references and whole |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")


def _compare(
    name: str, trees: Sequence[Tree], classes: Sequence[str] | None, *, sample: int, faraway: int
) -> None:
    start = time.process_time()
    references = reference_trees(trees, sample=sample, faraway=faraway)
    chosen = time.process_time()
    standing = [trees[i] for i in references]
    nearest = nearest_references(trees, standing)
    assigned = time.process_time()
    groups = _groups(standing)
    grouped = time.process_time()
    labels = np.where(nearest.distance < FAR, groups[nearest.reference], -1)
    labels = _strays_apart(labels)
    whole = _groups(trees) if len(trees) <= LARGEST_MATRIX else None
    whole_seconds = time.process_time() - grouped
    print(
        f"| {name} | {len(trees)} | {len(references)} | {chosen - start:.1f} "
        f"| {assigned - chosen:.1f} | {grouped - assigned:.1f} "
        f"| {'' if whole is None else f'{whole_seconds:.1f}'} | {_agreement(labels, classes)} "
        f"| {_agreement(whole, classes)} | {_agreement(labels, whole)} |",
        flush=True,
    )


def _groups(trees: Sequence[Tree]) -> Labels:
    sizes = np.array([len(tree) for tree in trees])
    distances = normalised_distance(distance_matrix(trees), sizes[:, None], sizes[None, :])
    grouping = group_pages([f"{i:06}" for i in range(len(trees))], distances)
    labels = np.full(len(trees), -1, np.int64)
    for number, group in enumerate(grouping.groups):
        labels[list(group.members)] = number
    return labels


def _strays_apart(labels: Labels) -> Labels:
    """Give every page without a group a group of its own."""
    return np.where(labels < 0, -1 - np.arange(len(labels)), labels)


def _agreement(labels: Labels | None, others: Labels | Sequence[str] | None) -> str:
    if labels is None or others is None:
        return ""
    if isinstance(others, np.ndarray):
        others = _strays_apart(others)
    return f"{adjusted_rand_score(others, _strays_apart(labels)):.3f}"


def _generate(pages: int) -> tuple[list[Tree], list[str]]:
    trees, classes = [], []
    for page in generate(
        pages_per_template=pages // GENERATED_TEMPLATES,
        sites=[GENERATED_SITE],
        noise=NOISE,
        seed=SEED,
    ):
        html = page.message.get("html") or base64.b64decode(page.message["html_base64"])
        trees.append(parse_page(html, page.message["url"]).tree)
        classes.append(page.gold["template_class"])
    return trees, classes
