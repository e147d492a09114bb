"""Measure how much the page model learns from more pages with labelled lines.

python -m benchmarks.extraction.learning_curve CORPORA --texts NAMES --hints NAMES --roles FOLDERS

CORPORA is the folder of the corpora, including ``roles``. For each size, a model is trained without
the sites of one fold, on all gold texts, but with the roles of at most that many pages. It is
scored on the labelled pages of that fold. Smaller sets of labelled pages are contained in larger
ones; pages of one site are added together.
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from benchmarks.extraction.examples import Example, fold_of
from benchmarks.extraction.folds import FoldModels
from benchmarks.extraction.roles import labelled_pages, scores_of, summary
from benchmarks.extraction.train import KINDS, fit_network, fit_trees, lessons, read_all
from detourage.reader.page_model import PageModel
from detourage.roles import ALL_ROLES

SIZES = (75, 150, 300, 600, 1200)


def with_roles(examples: Sequence[Example], size: int) -> list[Example]:
    """Return the examples, with the roles of at most `size` pages."""
    labelled = [each for each in examples if each.roles is not None]
    labelled.sort(key=lambda each: (sha256(each.gold.site.encode()).digest(), each.gold.id))
    kept = {id(each) for each in labelled[:size]}
    return [each if id(each) in kept else replace(each, roles=None) for each in examples]


def fit(examples: Sequence[Example], loose: Iterable[str], seed: int) -> PageModel:
    """Train a page model."""
    learnt = [*lessons(examples, frozenset(loose))]
    return PageModel(ALL_ROLES, KINDS, fit_network(learnt, seed), fit_trees(learnt, seed))


def main() -> None:
    """Train and score a model for each size, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument("--texts", nargs="+", required=True, help="names of corpora with texts")
    parser.add_argument("--hints", nargs="*", default=[], help="names of corpora with hints only")
    parser.add_argument("--roles", nargs="+", type=Path, help="folders with the roles of lines")
    parser.add_argument("--loose", nargs="*", default=[], help="corpora with loose gold texts")
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES, help="numbers of pages")
    parser.add_argument("--folds", type=int, default=3, help="number of folds of the sites")
    parser.add_argument("--fold", type=int, default=0, help="the fold to score")
    parser.add_argument("--seed", type=int, default=0, help="seed of all models")
    options = parser.parse_args()
    texts, hints = (
        [options.corpora / name for name in names] for names in (options.texts, options.hints)
    )
    seen = [
        each
        for each in read_all(texts, hints, options.roles)
        if fold_of(each.gold.site, options.folds) != options.fold
    ]
    pages = [
        page
        for page in labelled_pages(options.corpora)
        if fold_of(page.gold.site, options.folds) == options.fold
    ]
    print("| labelled pages | | scored | exactly right, % | at most one line wrong, % | mean F1 |")
    print("|---:|---|---:|---:|---:|---:|", flush=True)
    for size in options.sizes:
        examples = with_roles(seen, size)
        labels = sum(each.roles is not None for each in examples)
        model = fit(examples, options.loose, options.seed)
        for kind, scores in scores_of(pages, FoldModels([model] * options.folds)).items():
            print(f"| {labels} {summary(kind, scores)}", flush=True)


if __name__ == "__main__":
    main()
