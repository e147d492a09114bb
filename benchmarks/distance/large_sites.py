"""Time and accuracy of grouping a site by references instead of by the whole distance matrix."""

import base64
import time
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from benchmarks.distance.compared_trees import ComparedTrees, PageOfTree
from benchmarks.distance.corpora import Sites
from detourage.html import Tree, parse_page
from detourage.limits import WHOLE_MATRIX_TREES
from detourage.template.comparison_policy import (
    SAMPLED_SHARE,
    MissingComparisons,
    MissingNearest,
    MissingPairs,
    MissingToPivot,
)
from examples.sample_crawl import generate

Labels = npt.NDArray[np.int64]  # number of each page's group, or -1 for outliers

GENERATED_SITE = "harbour-post.example"
"""Generated site with three templates before its redesign and three templates after."""

GENERATED_TEMPLATES = 6
NOISE = 0.5  # variation among the pages of a template, from 0 to 1
SEEDS = (11, 12, 13)
"""Seeds of the generated sites; seeds below 10 were used during development."""

MAX_MATRIX_PAGES = 1_100
"""Maximum number of pages for which the whole matrix is computed (about 600,000 pairs)."""

MIN_PAGES = 35
"""Minimum number of pages of a real site to be measured with a third of its pages as references."""


class TimedTrees(ComparedTrees):
    """Compared trees that record the time spent on each kind of comparison."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = defaultdict[type, float](float)

    def compare_part(self, wanted: MissingComparisons) -> None:
        """Compute one of the missing comparisons, and add the time to that of its kind."""
        start = time.process_time()
        super().compare_part(wanted)
        self.seconds[type(wanted)] += time.process_time() - start


def measure_generated(pages: int) -> None:
    """Print the results of grouping generated sites that differ only in their seed."""
    print(f"\n### Generated sites of {pages} pages and 5 % strays\n")
    _print_head()
    for seed in SEEDS:
        trees, classes = _generated_trees(pages, seed)
        name = f"{GENERATED_SITE}, seed {seed}"
        _print_row(name, trees, classes, whole_matrix_trees=WHOLE_MATRIX_TREES)


def measure_real(sites: Sites) -> None:
    """Print the results of grouping real sites with a third of their pages as references."""
    print("\n### Real sites, a third of their pages as references\n")
    _print_head()
    for name, trees in sorted(sites.items()):
        if len(trees) >= MIN_PAGES:
            limit = round(len(trees) // 3 / SAMPLED_SHARE)
            _print_row(name, trees, None, whole_matrix_trees=limit)


def _print_head() -> None:
    print(
        "| site | pages | references | nearest, s | references, s | pivots, s | grouping, s "
        "| ms per page | whole matrix, s "
        "| ARI, references and truth | whole and truth | references and whole |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")


def _print_row(
    name: str, trees: Sequence[Tree], classes: Sequence[str] | None, *, whole_matrix_trees: int
) -> None:
    """Group a site by references and by the whole matrix, and print times and agreement."""
    timed_trees = TimedTrees()
    start = time.process_time()
    labels = _group_labels(timed_trees, trees, whole_matrix_trees)
    total = time.process_time() - start
    grouping = total - sum(timed_trees.seconds.values())
    references = timed_trees.known_site(whole_matrix_trees=whole_matrix_trees).references
    matrix_labels, matrix_seconds = None, ""
    if len(trees) <= MAX_MATRIX_PAGES:
        start = time.process_time()
        matrix_labels = _group_labels(ComparedTrees(), trees, len(trees))
        matrix_seconds = f"{time.process_time() - start:.1f}"
    print(
        f"| {name} | {len(trees)} | {len(references)} | {timed_trees.seconds[MissingNearest]:.1f} "
        f"| {timed_trees.seconds[MissingPairs]:.1f} | {timed_trees.seconds[MissingToPivot]:.1f} "
        f"| {grouping:.1f} | {1000 * total / len(trees):.1f} "
        f"| {matrix_seconds} | {_agreement(labels, classes)} "
        f"| {_agreement(matrix_labels, classes)} | {_agreement(labels, matrix_labels)} |",
        flush=True,
    )


def _group_labels(site: ComparedTrees, trees: Sequence[Tree], whole_matrix_trees: int) -> Labels:
    """Group the pages of a site, and return the number of each page's group."""
    pages = [PageOfTree(f"{i:06}", tree_id) for i, tree_id in enumerate(site.add(trees))]
    grouping = site.group(pages, whole_matrix_trees=whole_matrix_trees)
    labels = np.full(len(trees), -1, np.int64)
    for number, group in enumerate(grouping.groups):
        labels[list(group.members)] = number
    return labels


def _separate_outliers(labels: Labels) -> Labels:
    """Put each outlier into its own group."""
    return np.where(labels < 0, -1 - np.arange(len(labels)), labels)


def _agreement(labels: Labels | None, others: Labels | Sequence[str] | None) -> str:
    if labels is None or others is None:
        return ""
    if isinstance(others, np.ndarray):
        others = _separate_outliers(others)
    return f"{adjusted_rand_score(others, _separate_outliers(labels)):.3f}"


def _generated_trees(pages: int, seed: int) -> tuple[list[Tree], list[str]]:
    """Generate a site; return the trees of its pages and their true templates."""
    trees, classes = [], []
    for page in generate(
        pages_per_template=pages // GENERATED_TEMPLATES,
        sites=[GENERATED_SITE],
        noise=NOISE,
        seed=seed,
    ):
        html = page.message.get("html") or base64.b64decode(page.message["html_base64"])
        trees.append(parse_page(html, page.message["url"]).tree)
        classes.append(page.gold["template_class"])
    return trees, classes
