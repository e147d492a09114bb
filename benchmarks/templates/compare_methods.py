"""Print how well each method groups pages, as the tables of the README beside this file.

Run as ``python -m benchmarks.templates.compare_methods [CORPORA]``. Without the
directory of corpora only generated sites are grouped. A few minutes on one core.
"""

import argparse
import base64
import gzip
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score, completeness_score, homogeneity_score

from worker.distance import distance_matrix, normalised_distance
from worker.pages import PageError, Tree, parse_page
from worker.sample import generate, site_names
from worker.templates import METHODS, OUTLIER, MdsKMeans, TemplateClusterer

GENERATED_SEEDS = (11, 12)
"""Not those that the limits of the methods were set on."""
GENERATED_SIZES = (3, 7, 14)
NOISE_LEVELS = (0.2, 0.4, 0.7)

LARGE_SIZES = {20: 6, 50: 15, 200: 60}
"""Pages of a site of one design, and pages of a template that make about as many."""
LARGE_SEED = 31
LARGE_NOISE = 0.3

CHECKED_CORPUS = "daniel"
CHECKED_CLASSES = "daniel_classes.json"
CLASSED_CORPUS = "msv_big9"
STRAY_CORPORA = ("daniel", "dragnet", "cleanportaleval")
STRAYS = 3
"""Pages of other sites put among those of a site."""

FEWEST_PAGES_OF_A_SITE = 8

PAPER = "mds_kmeans, Deturck (2015) to the letter"
PLAIN = ", plain distances"

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Site:
    """Pages and what is known of their templates.

    Parameters
    ----------
    distances
        Normalised, shape (n, n).
    sizes
        Numbers of nodes of the pages' trees, shape (n,).
    classes
        Template of each page, shape (n,); a page alone in its class is a stray.
    """

    name: str
    distances: npt.NDArray[np.float64]
    sizes: npt.NDArray[np.int64]
    classes: npt.NDArray[np.str_]

    @property
    def strays(self) -> npt.NDArray[np.bool_]:
        """Pages that belong to no template."""
        _, places, counts = np.unique(self.classes, return_inverse=True, return_counts=True)
        alone: npt.NDArray[np.bool_] = counts[places] == 1
        return alone


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora", type=Path, nargs="?", help="directory of corpora")
    corpora: Path | None = parser.parse_args().corpora

    methods: dict[str, TemplateClusterer] = {
        PAPER: MdsKMeans(merge_distance=-1, max_pivot_distance=1)
    }
    for name in sorted(METHODS):
        methods |= {name: METHODS[name](), name + PLAIN: METHODS[name]()}
    for noise in NOISE_LEVELS:
        print_table(f"Generated sites, noise {noise}", list(generated_sites(noise)), methods)
    for pages, size in LARGE_SIZES.items():
        sites = list(generated_sites(LARGE_NOISE, [size], [LARGE_SEED]))
        print_table(f"Generated sites of about {pages} pages, noise {LARGE_NOISE}", sites, methods)
    if corpora is not None:
        print_table("Four sites over four redesigns", list(classed_sites(corpora)), methods)
        print_table("Hand-checked sites", list(checked_sites(corpora)), methods)
        print_table("Strays among the pages of a site", list(sites_with_strays(corpora)), methods)


def generated_sites(
    noise: float, sizes: Iterable[int] = GENERATED_SIZES, seeds: Iterable[int] = GENERATED_SEEDS
) -> Iterator[Site]:
    """Sites of the sample crawl, by pages of a template and seed."""
    for domain in site_names():
        for size in sizes:
            for seed in seeds:
                crawl = generate(seed=seed, pages_per_template=size, sites=[domain], noise=noise)
                pages = sorted(crawl, key=lambda page: str(page.message["url"]))
                yield site_of_trees(
                    domain,
                    [tree_of(page.message) for page in pages],
                    [page.gold["template_class"] for page in pages],
                )


def classed_sites(corpora: Path) -> Iterator[Site]:
    """Sites whose pages a person has classed by design, the years of each put together."""
    class_of = {
        record["id"]: record["template_class"]
        for record in records(corpora / CLASSED_CORPUS / "gold.jsonl.gz")
    }
    messages_of = defaultdict(list)
    for message in records(corpora / CLASSED_CORPUS / "pages.jsonl.gz"):
        messages_of[class_of[message["id"]].rpartition("-")[0]].append(message)
    for name, messages in messages_of.items():
        messages.sort(key=lambda message: str(message["url"]))
        yield site_of_trees(
            name,
            [tree_of(message) for message in messages],
            [class_of[message["id"]] for message in messages],
        )


def checked_sites(corpora: Path) -> Iterator[Site]:
    """Sites whose pages were classed for this benchmark, by stylesheets and containers."""
    classes_of = json.loads(Path(__file__).with_name(CHECKED_CLASSES).read_text(encoding="utf-8"))
    messages_of = defaultdict(list)
    for message in records(corpora / CHECKED_CORPUS / "pages.jsonl.gz"):
        messages_of[message["site"]].append(message)
    for name, class_of in classes_of.items():
        messages = [message for message in messages_of[name] if message["id"] in class_of]
        messages.sort(key=lambda message: str(message["url"]))
        yield site_of_trees(
            name,
            [tree_of(message) for message in messages],
            [class_of[message["id"]] for message in messages],
        )


def sites_with_strays(corpora: Path) -> Iterator[Site]:
    """Real sites, each with pages of others among its own.

    The templates of the site itself are not known: its own pages are one class.
    """
    trees_of: defaultdict[str, list[Tree]] = defaultdict(list)
    paths = (corpora / corpus / "pages.jsonl.gz" for corpus in STRAY_CORPORA)
    for message in chain.from_iterable(map(records, paths)):
        try:
            trees_of[message["site"]].append(tree_of(message))
        except PageError:
            continue
    names = sorted(name for name in trees_of if len(trees_of[name]) >= FEWEST_PAGES_OF_A_SITE)
    for place, name in enumerate(names):
        others = [names[(place + step) % len(names)] for step in range(1, STRAYS + 1)]
        strays = [trees_of[other][0] for other in others]
        yield site_of_trees(name, strays + trees_of[name], others + [name] * len(trees_of[name]))


def print_table(title: str, sites: list[Site], methods: Mapping[str, TemplateClusterer]) -> None:
    """Print the mean of each score over the sites, a row for each method."""
    print(f"\n### {title} ({len(sites)} sites, {sum(len(s.classes) for s in sites)} pages)\n")
    print("| method | " + " | ".join(SCORES) + " | ms a site |")
    print("|---|" + "---:|" * (len(SCORES) + 1))
    for name, method in methods.items():
        started = time.process_time()
        labels = [fitted_labels(name, method, site) for site in sites]
        spent = 1000 * (time.process_time() - started) / len(sites)
        cells = [
            mean_cell([score(*pair) for pair in zip(sites, labels, strict=True)])
            for score in SCORES.values()
        ]
        print(f"| {name} | " + " | ".join(cells) + f" | {spent:.0f} |", flush=True)


def fitted_labels(name: str, method: TemplateClusterer, site: Site) -> Labels:
    """Labels by a method; the paper, and a method with that word, knows plain distances only."""
    sizes = None if name == PAPER or name.endswith(PLAIN) else site.sizes
    labels: Labels = method.fit(site.distances, sizes=sizes).labels_
    return labels


def mean_cell(values: list[float]) -> str:
    """Mean of the values that are numbers, or a dash where none is."""
    numbers = [value for value in values if not np.isnan(value)]
    return f"{np.mean(numbers):.3f}" if numbers else "–"


def each_outlier_alone(labels: Labels) -> Labels:
    """Labels in which no two outliers have the same."""
    alone = labels.copy()
    outliers = labels == OUTLIER
    alone[outliers] = labels.max(initial=0) + 1 + np.arange(outliers.sum())
    return alone


def wrongly_paired(site: Site, labels: Labels) -> float:
    """Share of the pages that are in a group most of which is of another class."""
    wrong = 0
    for label in set(labels.tolist()) - {OUTLIER}:
        _, counts = np.unique(site.classes[labels == label], return_counts=True)
        wrong += int(counts.sum() - counts.max())
    return wrong / len(labels)


def outlier_precision(site: Site, labels: Labels) -> float:
    """Share of strays among the pages called outliers; NaN where there are none."""
    called = labels == OUTLIER
    return float(site.strays[called].mean()) if called.any() else float("nan")


def outlier_recall(site: Site, labels: Labels) -> float:
    """Share of the strays that are called outliers; NaN where there are none."""
    strays = site.strays
    return float((labels[strays] == OUTLIER).mean()) if strays.any() else float("nan")


SCORES: Mapping[str, Callable[[Site, Labels], float]] = {
    "adjusted Rand": lambda site, labels: float(
        adjusted_rand_score(site.classes, each_outlier_alone(labels))
    ),
    "homogeneity": lambda site, labels: float(
        homogeneity_score(site.classes, each_outlier_alone(labels))
    ),
    "completeness": lambda site, labels: float(
        completeness_score(site.classes, each_outlier_alone(labels))
    ),
    "wrongly paired": wrongly_paired,
    "outlier precision": outlier_precision,
    "outlier recall": outlier_recall,
}


def records(path: Path) -> Iterator[dict[str, Any]]:
    """Read the records of a corpus file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def tree_of(message: Mapping[str, Any]) -> Tree:
    """Tree of a page message."""
    html = message.get("html") or base64.b64decode(message["html_base64"])
    return parse_page(html, message["url"], content_type=message.get("content_type")).tree


def site_of_trees(name: str, trees: Sequence[Tree], classes: Sequence[str]) -> Site:
    """Compare all pairs of the pages of a site."""
    sizes = np.array([len(tree) for tree in trees])
    distances = normalised_distance(distance_matrix(trees), sizes[:, None], sizes[None, :])
    return Site(name, distances, sizes, np.array(classes))


if __name__ == "__main__":
    main()
