"""Train the classifier of lines: ``python -m benchmarks.extraction.train CORPUS… --model FILE``.

Each page of the corpora is compared with the page that the service would compare it with. A
line belongs to the article when most of its words are matched with the gold. With ``--folds``
the classifier is cross-validated first, no site being in two folds: nothing is reported of a
page whose site was trained on.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.extraction.labels import shares_in_gold
from worker.bench.measuring import measurable
from worker.evaluation import Gold, Prediction, headline_of, load_corpus, score_page
from worker.evaluation.records import Block
from worker.extraction import TemplateKnowledge, classification, sentences
from worker.extraction.article import article_of
from worker.extraction.evidence import COLUMNS, Rows, gather_evidence
from worker.extraction.outline import Outline
from worker.extraction.trees import BoostedTrees, Tree
from worker.extractors import Source
from worker.extractors.grouping import find_neighbours
from worker.extractors.ours import knowledge_of, outline_of
from worker.extractors.reading import page_of
from worker.pages import PageError

TREES = 120
LEAVES = 24
LEARNING_RATE = 0.1
MIN_LINES_IN_LEAF = 60
SHRINKAGE = 1.0
"""Twice the leaves or the trees gained nothing that was more than noise on held out sites."""

OF_GOLD = 0.5
"""Share of a line's words in the gold from which it belongs to the article."""

SEED = 0


@dataclass(frozen=True)
class Example:
    """A page with its lines.

    Attributes
    ----------
    corpus
        Name of its corpus.
    gold, headline
        What people said, and the headline that every method is given.
    page, knowledge
        The page, and what is known of the one that the service compares it with, None where
        there is none.
    alone, beside
        Evidence of the lines without another page, and with the one that the service
        compares with; the same where there is none.
    shares
        Share of each line's words that are in the gold.
    """

    corpus: str
    gold: Gold
    headline: Block | None
    page: Source
    knowledge: TemplateKnowledge | None
    alone: Rows
    beside: Rows
    shares: npt.NDArray[np.float64]


def read(folder: Path) -> Iterator[Example]:
    """Gather the evidence of a corpus."""
    corpus = load_corpus(folder)
    pages = list(corpus.pages.values())
    sources = [Source(page.html, page.url, page.content_type) for page in pages]
    neighbours = find_neighbours(sources, [page.site for page in pages])
    measured = {gold.id for gold in measurable(corpus) if gold.text}
    for page, source, around in zip(pages, sources, neighbours, strict=True):
        if page.id not in measured:
            continue
        try:
            document = page_of(source).document
            knowledge = knowledge_of(around.pivot) if around.pivot is not None else None
        except PageError:
            continue
        gold = corpus.golds[page.id]
        headline = headline_of(gold, document)
        outline = Outline.of(document)
        alone = gather_evidence(outline, None, page.url)
        beside = gather_evidence(outline, knowledge, page.url) if knowledge is not None else alone
        texts = [line.text for line in alone.lines]
        yield Example(
            corpus.name,
            gold,
            headline,
            source,
            knowledge,
            alone.rows,
            beside.rows,
            shares_in_gold(texts, gold, headline),
        )


def fit(examples: Sequence[Example]) -> BoostedTrees:
    """Train on pages, each as it stands alone and beside another page.

    The lines of a page weigh the same in all as those of any other page, and a line as
    much as the square root of its words: short lines decide whether a text is word for word
    the article's, long ones most of its words.
    """
    rows, labels, weights = [], [], []
    for example in examples:
        lengths = np.sqrt(example.alone[:, COLUMNS.index("words")])
        views = [example.alone]
        if example.beside is not example.alone:
            views.append(example.beside)
        for view in views:
            rows.append(view)
            labels.append(example.shares > OF_GOLD)
            weights.append(100.0 * lengths / lengths.sum() / len(views))
    classifier = HistGradientBoostingClassifier(
        max_iter=TREES,
        learning_rate=LEARNING_RATE,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=MIN_LINES_IN_LEAF,
        l2_regularization=SHRINKAGE,
        early_stopping=False,
        random_state=SEED,
    )
    classifier.fit(
        np.concatenate(rows), np.concatenate(labels), sample_weight=np.concatenate(weights)
    )
    return _as_trees(classifier)


def _as_trees(classifier: HistGradientBoostingClassifier) -> BoostedTrees:
    trees = []
    for [predictor] in classifier._predictors:
        nodes = predictor.nodes
        leaf = nodes["is_leaf"].astype(bool)
        trees.append(
            Tree(
                column=np.where(leaf, -1, nodes["feature_idx"]).tolist(),
                threshold=[
                    float(f"{value:.6g}") for value in np.where(leaf, 0.0, nodes["num_threshold"])
                ],
                left=np.where(leaf, 0, nodes["left"]).tolist(),
                right=np.where(leaf, 0, nodes["right"]).tolist(),
                value=[float(f"{value:.5f}") for value in np.where(leaf, nodes["value"], 0.0)],
            )
        )
    base = float(np.ravel(classifier._baseline_prediction)[0])
    return BoostedTrees(COLUMNS, round(base, 6), tuple(trees))


def fold_of(site: str, folds: int) -> int:
    """Return the fold of a site, whatever other sites there are."""
    return int(sha256(site.encode()).hexdigest(), 16) % folds


def extract(source: Source, knowledge: TemplateKnowledge | None, model: BoostedTrees) -> str:
    """Return the article's text as the service would with this classifier."""
    page = outline_of(source)
    finding = classification.find_body(page, knowledge, source.url, model)
    if finding is None:
        finding = sentences.find_body(page)
    if finding is None:
        return ""
    others = knowledge.titles if knowledge is not None else ()
    return article_of(source.url, page, others, finding).text


def cross_validate(examples: Sequence[Example], folds: int) -> None:
    """Print the scores of pages whose sites the classifier has not seen."""
    scores: defaultdict[str, list[tuple[float, ...]]] = defaultdict(list)
    for fold in range(folds):
        model = fit([e for e in examples if fold_of(e.gold.site, folds) != fold])
        for example in examples:
            if fold_of(example.gold.site, folds) != fold:
                continue
            for name, known in (("alone", None), ("beside", example.knowledge)):
                prediction = Prediction(None, extract(example.page, known, model))
                found = score_page(prediction, example.gold, example.headline)
                figures = tuple(found[key] for key in ("exact", "equal", "to_p", "to_r", "to_f"))
                scores[f"{example.corpus} {name}"].append(figures)
                scores[f"{example.corpus}/{example.gold.language} {name}"].append(figures)
    print("| | pages | ex | eqw | toP | toR | toF |\n|---|---:|---:|---:|---:|---:|---:|")
    for name, of_pages in sorted(scores.items()):
        means = " | ".join(f"{value:.1f}" for value in np.mean(of_pages, axis=0))
        print(f"| {name} | {len(of_pages)} | {means} |", flush=True)


def main() -> None:
    """Cross-validate and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora")
    parser.add_argument("--folds", type=int, default=0, help="cross-validate in so many folds")
    parser.add_argument("--model", type=Path, help="file to write the classifier to")
    options = parser.parse_args()
    examples = [example for folder in options.corpora for example in read(folder)]
    if options.folds:
        cross_validate(examples, options.folds)
    if options.model:
        options.model.write_text(fit(examples).to_json(), encoding="utf-8")


if __name__ == "__main__":
    main()
