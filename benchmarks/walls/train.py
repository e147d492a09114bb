"""Train and evaluate the model of walls.

python -m benchmarks.walls.train CORPORA [--model FILE]

CORPORA is the folder of the corpora. The model is trained on the seen half of the generated pages,
on walls inserted into pages of half of the sites, and on the articles of the corpora. For articles,
it is cross-validated by site. For everything else, it is evaluated on the unseen half, whose kinds,
languages and wordings were not used when the lexicon and the evidence were written.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.boosting import new_classifier, to_model
from benchmarks.extraction.folds import fold_of
from benchmarks.training.headers import ModelFile, corpus_used, describe_training
from benchmarks.walls.examples import (
    CORPORA,
    Example,
    corpus_examples,
    generated_examples,
    inserted_examples,
)
from detourage.inference import BoostedTrees
from detourage.walls.verdict import SURE

TREES = 300
LEAVES = 8
MIN_ROWS_IN_LEAF = 20
LEARNING_RATE = 0.05
COLUMNS_AT_A_SPLIT = 0.25
FOLDS = 5  # for the cross-validation on articles

ARTICLE_WEIGHT = 30.0
"""Weight of an article relative to a wall; losing an article is worse than sending a wall."""

# Numbers of examples of each half by group, and seeds with which they are generated.
SEEN_NUMBERS = {"generated": 1_500, "generated articles": 600, "inserted": 650}
UNSEEN_NUMBERS = {"generated": 700, "generated articles": 400, "inserted": 340}
SEEDS = {"seen": 1, "unseen": 7}  # random seeds of the generated halves

_Floats = npt.NDArray[np.float64]


def examples_of_half(folder: Path, half: str) -> list[Example]:
    """Return the generated pages of one half of the kinds, languages and sites."""
    numbers = SEEN_NUMBERS if half == "seen" else UNSEEN_NUMBERS
    seed = SEEDS[half]
    return [
        *generated_examples(half, seed, numbers["generated"]),
        *generated_examples(half, seed, numbers["generated articles"], articles=True),
        *inserted_examples(folder, half, seed, numbers["inserted"]),
    ]


def fit(examples: Sequence[Example]) -> BoostedTrees:
    """Train the model on walls and articles."""
    usable = [(each.features, each.is_wall) for each in examples if each.features is not None]
    rows = np.concatenate([features.rows for features, _ in usable])
    is_wall = np.array([label for _, label in usable])
    classifier = new_classifier(trees=TREES, leaves=LEAVES, min_rows_in_leaf=MIN_ROWS_IN_LEAF)
    classifier.set_params(learning_rate=LEARNING_RATE, max_features=COLUMNS_AT_A_SPLIT)
    classifier.fit(rows, is_wall, sample_weight=np.where(is_wall, 1.0, ARTICLE_WEIGHT))
    return to_model(classifier, usable[0][0].columns)


def wall_probabilities(model: BoostedTrees, examples: Iterable[Example]) -> _Floats:
    """Return the probability of each example, or -1 for an example without evidence."""
    return np.array(
        [
            -1.0 if each.features is None else float(model.probabilities(each.features)[0])
            for each in examples
        ]
    )


def cross_validate(articles: Sequence[Example], generated: Sequence[Example]) -> _Floats:
    """Return the predictions for articles by models that were not trained on their sites."""
    folds = np.array([fold_of(f"site {each.site}", FOLDS) for each in articles])
    probabilities = np.zeros(len(articles))
    for fold in range(FOLDS):
        training = [
            each for each, fold_of_page in zip(articles, folds, strict=True) if fold_of_page != fold
        ]
        model = fit([*generated, *training])
        held_out = [
            each for each, fold_of_page in zip(articles, folds, strict=True) if fold_of_page == fold
        ]
        probabilities[folds == fold] = wall_probabilities(model, held_out)
    return probabilities


def table_of_walls(model: BoostedTrees, examples: Sequence[Example]) -> Iterator[str]:
    """Yield a table of the shares of walls that are recognised, by kind, language and group."""
    walls = [each for each in examples if each.is_wall]
    probabilities = wall_probabilities(model, walls)
    missed = [
        each.outcome == "article" and value < SURE
        for each, value in zip(walls, probabilities, strict=True)
    ]
    for column in ("group", "kind", "language"):
        counts: defaultdict[str, list[bool]] = defaultdict(list)
        for each, is_missed in zip(walls, missed, strict=True):
            counts[getattr(each, column)].append(is_missed)
        yield f"| {column} | pages | not an article, % |"
        yield "|---|---:|---:|"
        for name, values in sorted(counts.items()):
            yield f"| {name} | {len(values)} | {100 * (1 - np.mean(values)):.1f} |"
        yield ""


def table_of_articles(examples: Sequence[Example], probabilities: _Floats) -> Iterator[str]:
    """Yield a table of the numbers of articles mistaken for walls."""
    yield "| articles | pages | mistaken for walls |"
    yield "|---|---:|---:|"
    for group in sorted({each.group for each in examples}):
        is_in_group = np.array(
            [each.group == group and each.outcome == "article" for each in examples]
        )
        yield f"| {group} | {is_in_group.sum()} | {(probabilities[is_in_group] >= SURE).sum()} |"


def main() -> None:
    """Print the tables, and write a model trained on all examples if a file is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument("--model", type=Path, help="file to write the model to")
    options = parser.parse_args()
    seen, unseen = (examples_of_half(options.corpora, half) for half in ("seen", "unseen"))
    articles = [each for name in CORPORA for each in corpus_examples(options.corpora / name)]
    print("\n".join(table_of_articles(articles, cross_validate(articles, seen))), end="\n\n")
    model = fit([*seen, *articles])
    print("\n".join(table_of_walls(model, unseen)))
    others = [each for each in unseen if not each.is_wall]
    print("\n".join(table_of_articles(others, wall_probabilities(model, others))), flush=True)
    if options.model:
        used = [
            corpus_used(options.corpora / name, "articles", _pages_of_corpus(articles, name))
            for name in CORPORA
        ]
        header = describe_training(used, "benchmarks.walls.train")
        options.model.write_text(ModelFile(header, model).to_json(), encoding="utf-8")


def _pages_of_corpus(articles: Sequence[Example], corpus: str) -> Iterator[tuple[str, str]]:
    """Yield the number and site of each article of a corpus."""
    own = (each for each in articles if each.group == corpus)
    return ((str(number), each.site) for number, each in enumerate(own))


if __name__ == "__main__":
    main()
