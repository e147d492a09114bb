"""Train the classifier of lines on pages that are not articles.

python -m benchmarks.extraction.other_kinds CORPORA --first-pass FOLDER [--model FILE]

CORPORA is the folder of the corpora. The script cross-validates with the folds of sites of the
classifiers of lines, which `benchmarks.extraction.train` writes to FOLDER. It also writes the
classifiers of the folds to FOLDER, for `benchmarks.extraction.today`. It prints, for each kind, the
word F1 of the lines chosen by the first classifier and by the trained one.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.boosting import as_trees, mean_of, new_classifier
from benchmarks.evaluation.bench.measuring import measurable
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.scores import Gold, headline_of, load_corpus
from benchmarks.extraction.bags import compare_bags
from benchmarks.extraction.examples import ARTICLES, fold_of
from benchmarks.extraction.first_pass import OTHER_KINDS, FirstPass, write_fold
from benchmarks.extraction.labels import OF_GOLD, lines_of_lead, shares_in_gold
from benchmarks.extraction.out_of_fold import out_of_fold
from benchmarks.extraction.train import (
    CREDITS,
    NOT_TRAINED,
    PAGE_WEIGHT,
    weights_near_article,
)
from benchmarks.training.headers import corpus_used, training_of
from worker.article.classification import choose_lines, judge_lines
from worker.article.menus import is_menu
from worker.article.outline import Outline
from worker.html import PageError
from worker.inference import BoostedTrees, Features, ModelFile
from worker.papers.reading import page_of

CORPORA = ("wcxb", "fundus_body")

TREES = 80
LEAVES = 20
MIN_LINES_IN_LEAF = 60

MEMBERS = 2
"""Number of classifiers that are averaged, because there are few pages and results vary with the

seed.
Two classifiers that differed only in their seed and their articles gained 1.9 and 0.9 points of F1
on pages of other kinds, and their mean gained 1.7.
"""

EVERY_ARTICLE = 6
"""Each classifier is trained on one in this many articles, and no two classifiers share any.

Articles are used because some of the pages classified as other kinds are articles."""

ARTICLE_WEIGHT = 1.2
"""Weight of an article, relative to a page of another kind."""

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class OtherExample:
    """A page with known content.

    `features` is the evidence of its lines. `texts` and `words` are the lines and their numbers of
    words, and `shares` is the share of each line's words in the gold text. `unsaid` marks the lines
    of a lead that the gold record separates from its text. `first` is the probability of each line
    according to the first classifier.
    """

    corpus: str
    gold: Gold
    features: Features
    texts: Sequence[str]
    words: _Floats
    shares: _Floats
    unsaid: npt.NDArray[np.bool_]
    first: _Floats

    @property
    def is_article(self) -> bool:
        """Whether the page is an article."""
        return self.gold.kind in ARTICLES

    def teaches(self, member: int) -> bool:
        """Return whether a member is trained on the page, which excludes most articles."""
        if self.is_article:
            return fold_of(self.gold.id + self.corpus, EVERY_ARTICLE) == member
        return self.gold.kind != NOT_TRAINED


def read_examples(folder: Path, first: FirstPass) -> Iterator[OtherExample]:
    """Compute the evidence of a corpus; menus and pages without a text are left out."""
    corpus = load_corpus(folder)
    for gold in measurable(corpus):
        if not gold.text:
            continue
        page = corpus.pages[gold.id]
        source = Source(page.html, page.url, page.content_type)
        with first.on_site(gold.site):
            example = _example(corpus.name, gold, source)
        if example is not None:
            yield example


def _example(corpus: str, gold: Gold, source: Source) -> OtherExample | None:
    try:
        page = page_of(source)
    except PageError:
        return None
    outline = Outline.of(page.flat)
    judged = judge_lines(outline, None, source.url)
    if is_menu(outline) or not judged.evidence.lines:
        return None
    texts = [line.text for line in judged.evidence.lines]
    return OtherExample(
        corpus=corpus,
        gold=gold,
        features=judged.evidence.features,
        texts=texts,
        words=np.array([len(line.tokens) for line in judged.evidence.lines], dtype=np.float64),
        shares=shares_in_gold(texts, gold, headline_of(gold, page.document)),
        unsaid=lines_of_lead(texts, gold),
        first=judged.probabilities,
    )


def fit(examples: Sequence[OtherExample]) -> BoostedTrees:
    """Train the classifiers on pages and return their mean."""
    return mean_of([_fit_member(examples, member) for member in range(MEMBERS)])


def _fit_member(examples: Sequence[OtherExample], member: int) -> BoostedTrees:
    parts = [_lines_of(each) for each in examples if each.teaches(member)]
    rows, labels, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    classifier = new_classifier(
        trees=TREES, leaves=LEAVES, min_rows_in_leaf=MIN_LINES_IN_LEAF, seed=member
    )
    classifier.fit(rows, labels, sample_weight=weights)
    return as_trees(classifier, examples[0].features.columns)


def _lines_of(
    example: OtherExample,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], _Floats]:
    labels = example.shares > OF_GOLD
    weights = np.sqrt(example.words)
    weights *= PAGE_WEIGHT * (ARTICLE_WEIGHT if example.is_article else 1.0) / weights.sum()
    weights, kept = weights_near_article(labels, weights)
    kept &= ~example.unsaid
    return example.features.rows[kept], labels[kept], weights[kept]


def cross_validate(examples: Sequence[OtherExample], folds: int, into: Path) -> list[_Floats]:
    """Return the probabilities of each page's lines from trees that have not seen its site.

    The classifiers of the folds are written to the folder `into` (see
    `benchmarks.extraction.first_pass`).
    """
    return out_of_fold(
        examples,
        folds,
        site_of=lambda each: each.gold.site,
        fit=fit,
        judge=lambda model, each: model.probabilities(each.features),
        keep=partial(write_fold, into, what=OTHER_KINDS),
    )


def f1_of(example: OtherExample, probabilities: _Floats) -> float:
    """Return the word F1 of the lines selected by the given probabilities."""
    chosen, _ = choose_lines(probabilities, example.words)
    lines = "\n".join(example.texts[place] for place in np.flatnonzero(chosen).tolist())
    return compare_bags(lines, example.gold.text or "").f1


def table(examples: Sequence[OtherExample], found: Sequence[_Floats]) -> Iterator[str]:
    """Yield the lines of a table of the mean F1 of each kind with either classifier."""
    yield "| | pages | first | this one |\n|---|---:|---:|---:|"
    by_kind: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for each, probabilities in zip(examples, found, strict=True):
        pair = (f1_of(each, each.first), f1_of(each, probabilities))
        by_kind[each.gold.kind or each.corpus].append(pair)
    for kind, pairs in sorted(by_kind.items()):
        before, after = np.mean(pairs, axis=0)
        yield f"| {kind} | {len(pairs)} | {before:.4f} | {after:.4f} |"


def main() -> None:
    """Cross-validate, and train if a model file is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument("--first-pass", type=Path, required=True, help="folder of classifiers")
    parser.add_argument("--model", type=Path, help="file to write the classifier to")
    options = parser.parse_args()
    first = FirstPass.of(options.first_pass)
    folders = [options.corpora / name for name in CORPORA]
    examples = [example for folder in folders for example in read_examples(folder, first)]
    found = cross_validate(examples, len(first.models), options.first_pass)
    print("\n".join(table(examples, found)), flush=True)
    if options.model:
        used = [
            corpus_used(
                folder,
                CREDITS.get(folder.name, "texts"),
                (
                    (each.gold.id, each.gold.site)
                    for each in examples
                    if each.corpus == folder.name and any(map(each.teaches, range(MEMBERS)))
                ),
            )
            for folder in folders
        ]
        training = training_of(used, "benchmarks.extraction.other_kinds")
        text = ModelFile(training, fit(examples)).to_json()
        options.model.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
