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
from collections.abc import Callable, Iterable, Iterator, Mapping
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

CLASSED_CORPUS = "msv_big9"
STRAY_CORPORA = ("daniel", "dragnet", "cleanportaleval")
STRAYS = 3
"""Pages of other sites put among those of a site."""

FEWEST_PAGES_OF_A_SITE = 8

PAPER = "mds_kmeans, paper 000 to the letter"


@dataclass(frozen=True)
class Site:
    """Pages and what is known of their templates.

    Parameters
    ----------
    distances
        Normalised, shape (n, n).
    classes
        Template of each page, shape (n,); a page alone in its class is a stray.
    """

    name: str
    distances: npt.NDArray[np.float64]
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
    } | {name: METHODS[name]() for name in sorted(METHODS)}
    for noise in NOISE_LEVELS:
        print_table(f"Generated sites, noise {noise}", list(generated_sites(noise)), methods)
    if corpora is not None:
        print_table("Four sites over four redesigns", list(classed_sites(corpora)), methods)
        print_table("Strays among the pages of a site", list(sites_with_strays(corpora)), methods)


def generated_sites(noise: float) -> Iterator[Site]:
    """Sites of the sample crawl, by number of pages and seed."""
    for domain in site_names():
        for size in GENERATED_SIZES:
            for seed in GENERATED_SEEDS:
                crawl = generate(seed=seed, pages_per_template=size, sites=[domain], noise=noise)
                pages = sorted(crawl, key=lambda page: str(page.message["url"]))
                yield Site(
                    domain,
                    distances_of([tree_of(page.message) for page in pages]),
                    np.array([page.gold["template_class"] for page in pages]),
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
        yield Site(
            name,
            distances_of([tree_of(message) for message in messages]),
            np.array([class_of[message["id"]] for message in messages]),
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
        yield Site(
            name,
            distances_of(strays + trees_of[name]),
            np.array(others + [name] * len(trees_of[name])),
        )


def print_table(title: str, sites: list[Site], methods: Mapping[str, TemplateClusterer]) -> None:
    """Print the mean of each score over the sites, a row for each method."""
    print(f"\n### {title} ({len(sites)} sites, {sum(len(s.classes) for s in sites)} pages)\n")
    print("| method | " + " | ".join(SCORES) + " | ms a site |")
    print("|---|" + "---:|" * (len(SCORES) + 1))
    for name, method in methods.items():
        started = time.process_time()
        labels = [method.fit_predict(site.distances) for site in sites]
        spent = 1000 * (time.process_time() - started) / len(sites)
        cells = [
            mean_cell([score(*pair) for pair in zip(sites, labels, strict=True)])
            for score in SCORES.values()
        ]
        print(f"| {name} | " + " | ".join(cells) + f" | {spent:.0f} |", flush=True)


def mean_cell(values: list[float]) -> str:
    """Mean of the values that are numbers, or a dash where none is."""
    numbers = [value for value in values if not np.isnan(value)]
    return f"{np.mean(numbers):.3f}" if numbers else "–"


Labels = npt.NDArray[np.int64]


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


def distances_of(trees: Iterable[Tree]) -> npt.NDArray[np.float64]:
    """Normalised distances of all pairs."""
    trees = list(trees)
    sizes = np.array([len(tree) for tree in trees])
    return normalised_distance(distance_matrix(trees), sizes[:, None], sizes[None, :])


if __name__ == "__main__":
    main()
