"""Train the classifier of kinds of pages.

python -m benchmarks.extraction.kinds CORPORA --first-pass FOLDER [--model FILE]

CORPORA is the folder of the corpora. wcxb has kinds; the other corpora consist of articles or
threads. Each page is read with a classifier of lines that has not seen its site, written to FOLDER
by `benchmarks.extraction.train`. The script cross-validates with the same folds of sites, and also
writes the classifiers of the folds to FOLDER. It prints for each kind the number of its pages, the
number of pages classified as this kind, and how many of these are correct.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.boosting import as_trees, new_classifier
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.scores import Gold, load_corpus
from benchmarks.extraction.first_pass import KINDS as KINDS_OF_PAGES
from benchmarks.extraction.first_pass import FirstPass, write_fold
from benchmarks.extraction.out_of_fold import out_of_fold
from benchmarks.training.headers import corpus_used, training_of
from models.kinds import Kind
from worker.article.article import KnownTemplate, PageInTemplate, read_first
from worker.article.kinds.classifier import KindTrees
from worker.article.kinds.evidence import Facts, kind_evidence
from worker.article.menus import is_menu
from worker.article.outline import Outline
from worker.html import PageError
from worker.inference import Features, ModelFile
from worker.papers.reading import page_of

KINDS: tuple[Kind, ...] = (
    "article",
    "forum",
    "product",
    "collection",
    "listing",
    "documentation",
    "service",
)

WITH_KINDS = "wcxb"

OF_ARTICLES = {"fundus_body": 1, "daniel": 6, "dragnet": 6, "l3s_gn1": 4, "zh_cwced": 2}
"""Corpora of articles; the value n means that every n-th page of the corpus is used."""

OF_THREADS = "forum_threads"
"""Corpus of threads.

With its 45 pages in training, 65 instead of 61 of the 75 threads in wcxb are recognised, and four
instead of two other pages are mistaken for threads."""

USES = {WITH_KINDS: "kinds", OF_THREADS: "threads"}
"""Uses of the corpora that are not used for articles, stated in the header of the model."""

TREES = 60
LEAVES = 8
MIN_PAGES_IN_LEAF = 10


@dataclass(frozen=True)
class KindExample:
    """A page of a known kind; `features` is its evidence, a single row."""

    corpus: str
    page: str
    site: str
    kind: Kind
    features: Features


def read_examples(folder: Path, first: FirstPass) -> Iterator[KindExample]:
    """Compute the evidence of a corpus; pages without a text are left out."""
    corpus = load_corpus(folder)
    every = OF_ARTICLES.get(folder.name, 1)
    for page in list(corpus.pages.values())[::every]:
        gold = corpus.golds.get(page.id)
        if gold is None:
            continue
        source = Source(page.html, page.url, page.content_type)
        with first.on_site(gold.site):
            features = evidence_of(source)
        if features is not None:
            yield KindExample(
                corpus.name, gold.id, gold.site, _kind_of(corpus.name, gold), features
            )


def _kind_of(corpus: str, gold: Gold) -> Kind:
    if corpus == OF_THREADS:
        return "forum"
    return next((kind for kind in KINDS if kind == gold.kind), "article")


def evidence_of(source: Source) -> Features | None:
    """Return the evidence of a page's kind, or None for a menu or a page without a text."""
    try:
        outline = Outline.of(page_of(source).flat)
    except PageError:
        return None
    read = None if is_menu(outline) else read_first(shown_alone(source.url, outline))
    if read is None:
        return None
    article, finding = read
    return kind_evidence(Facts(outline, finding, article, source.url))


def shown_alone(url: str, outline: Outline) -> PageInTemplate:
    """Return a page as if no other page of its template were known."""
    return PageInTemplate(url, outline, KnownTemplate())


def fit(examples: Sequence[KindExample]) -> KindTrees:
    """Train trees for each kind, whose total weight is the square root of its number of pages."""
    rows = np.concatenate([example.features.rows for example in examples])
    kinds = np.array([example.kind for example in examples])
    numbers = {kind: max(1, int((kinds == kind).sum())) for kind in KINDS}
    weights = np.array([numbers[kind] ** -0.5 for kind in kinds])
    of_kind = {}
    for kind in KINDS:
        classifier = new_classifier(trees=TREES, leaves=LEAVES, min_rows_in_leaf=MIN_PAGES_IN_LEAF)
        classifier.fit(rows, kinds == kind, sample_weight=weights / weights.mean())
        of_kind[kind] = as_trees(classifier, examples[0].features.columns)
    return KindTrees(of_kind)


def cross_validate(examples: Sequence[KindExample], folds: int, into: Path) -> list[Kind]:
    """Return the kind of each page according to trees that have not seen its site.

    The classifiers of the folds are written to the folder `into` (see
    `benchmarks.extraction.first_pass`).
    """
    return out_of_fold(
        examples,
        folds,
        site_of=lambda each: each.site,
        fit=fit,
        judge=lambda model, each: model.kind(each.features),
        keep=partial(write_fold, into, what=KINDS_OF_PAGES),
    )


def table(examples: Sequence[KindExample], found: Sequence[Kind]) -> Iterator[str]:
    """Yield a table by kind and the share of correctly classified pages of other corpora."""
    yield "| kind | pages | taken for it | rightly | precision, % | recall, % |"
    yield "|---|---:|---:|---:|---:|---:|"
    pairs = [
        (each.kind, kind)
        for each, kind in zip(examples, found, strict=True)
        if each.corpus == WITH_KINDS
    ]
    for kind in KINDS:
        wanted = sum(gold == kind for gold, _ in pairs)
        taken = sum(told == kind for _, told in pairs)
        right = sum(gold == told == kind for gold, told in pairs)
        yield (
            f"| {kind} | {wanted} | {taken} | {right} | {100 * right / max(1, taken):.0f}"
            f" | {100 * right / max(1, wanted):.0f} |"
        )
    right = sum(gold == told for gold, told in pairs)
    yield f"\n{right} of {len(pairs)} right, {100 * right / len(pairs):.1f} %"
    for corpus, share in _told_rightly(examples, found).items():
        yield f"{corpus}: {share:.1f} % right"


def _told_rightly(examples: Sequence[KindExample], found: Sequence[Kind]) -> Mapping[str, float]:
    told: dict[str, list[bool]] = {}
    for each, kind in zip(examples, found, strict=True):
        if each.corpus != WITH_KINDS:
            told.setdefault(each.corpus, []).append(kind == each.kind)
    return {corpus: 100 * float(np.mean(shares)) for corpus, shares in told.items()}


def main() -> None:
    """Cross-validate, and train if a model file is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the corpora")
    parser.add_argument("--first-pass", type=Path, required=True, help="folder of classifiers")
    parser.add_argument("--model", type=Path, help="file to write the classifier to")
    options = parser.parse_args()
    corpora = [options.folder / name for name in (WITH_KINDS, *OF_ARTICLES, OF_THREADS)]
    first = FirstPass.of(options.first_pass)
    examples = [example for corpus in corpora for example in read_examples(corpus, first)]
    found = cross_validate(examples, len(first.models), options.first_pass)
    print("\n".join(table(examples, found)), flush=True)
    if options.model:
        used = [
            corpus_used(
                corpus,
                USES.get(corpus.name, "articles"),
                ((each.page, each.site) for each in examples if each.corpus == corpus.name),
            )
            for corpus in corpora
        ]
        right = np.mean([e.kind == k for e, k in zip(examples, found, strict=True)])
        scores = {"share of pages right": round(100 * float(right), 1)}
        training = training_of(
            used, "benchmarks.extraction.kinds", scores, "cross-validated over sites"
        )
        text = ModelFile(training, fit(examples)).to_json()
        options.model.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
