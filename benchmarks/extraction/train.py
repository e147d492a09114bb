"""Train the classifier of lines: ``python -m benchmarks.extraction.train CORPUS… --model FILE``.

Each page of the corpora is compared with the same page as in the service. A line belongs to the
article if most of its words match the gold text. With ``--folds``, the classifier is first
cross-validated. Each site is in a single fold, so that no page is scored by a classifier that has
seen its site.
"""

import argparse
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from benchmarks.boosting import as_trees, new_classifier
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.scores import PageScores, Prediction, macro_average, score_page
from benchmarks.extraction.examples import (
    Example,
    Hint,
    fold_of,
    outside,
    read_examples,
    read_hints,
)
from benchmarks.extraction.first_pass import write_fold
from benchmarks.extraction.labels import OF_GOLD
from benchmarks.training.headers import corpus_used, training_of
from worker.article import TemplateKnowledge, classification, sentences
from worker.article.article import article_of
from worker.article.line_classifier import LineClassifier
from worker.inference import BoostedTrees, Features, ModelFile, Rows, Training
from worker.papers.reading import outline_of

if TYPE_CHECKING:
    from benchmarks.extraction.networks import Lesson

TREES = 360
LEAVES = 24
MIN_LINES_IN_LEAF = 60

CREDITS = {
    "wcxb": "texts (Web Content Extraction Benchmark 1.0, Murrough Foley, CC BY 4.0)",
}
"""Descriptions, in the header of a model, of corpora whose licences require attribution."""

PAGE_WEIGHT = 100.0
"""Total weight of the lines of a page."""

LOOSE_LENGTH = 30
"""Minimum number of words for a line in a corpus with loose gold texts to have its full weight.

Loose gold texts may or may not include titles, bylines and captions, so nothing can be learnt
from their short lines that applies to other corpora.
"""

HINTS_WEIGHT = 30.0
"""Total weight of the lines of a page with only some labels, if it has at least `FULL_HINTS` lines.
"""

FULL_HINTS = 10

OTHER_KINDS_WEIGHT = 0.3
"""Weight of a page of another kind, relative to an article.

Lines of shops and manuals are learnt from these pages, which are almost as numerous as recent
articles. With 0.3, including threads, articles of wcxb gain 0.1 points of F1 and its other pages
gain 7. With 1, the other pages gain another point, but articles lose 0.2.
"""

NOT_TRAINED = "forum"
"""Kind of pages excluded from training, because their content is written by readers.

Below an article, such content does not belong to the text. With threads in training, 5.2 % of the
reader comments on 76 news pages were in the service's text, and 3.2 % without them.
"""

FAR = 8
"""Distance in lines from the article beyond which only every `EVERY`-th line is used for training.

The weights of these lines are increased accordingly. Most lines of a page are in its menus.
"""

EVERY = 4


_Lines = tuple[Rows, npt.NDArray[np.bool_], npt.NDArray[np.float64]]


def fit(
    examples: Sequence[Example],
    hints: Sequence[Hint],
    loose: Collection[str],
    columns: Sequence[str] | None = None,
) -> LineClassifier:
    """Train the classifier on pages, each both alone and compared with another page.

    The arguments are those of `fit_trees`. If columns are selected, only trees are trained.
    Raises ImportError if PyTorch is needed but not installed.
    """
    trees = fit_trees(examples, hints, loose, columns)
    if columns is not None:
        return LineClassifier(trees)
    # Imported here because the weights in this module can be used without PyTorch.
    from benchmarks.extraction.networks import fit_network

    return LineClassifier(trees, fit_network([*lessons(examples, hints, loose)]))


def fit_trees(
    examples: Sequence[Example],
    hints: Sequence[Hint],
    loose: Collection[str],
    columns: Sequence[str] | None = None,
) -> BoostedTrees:
    """Train the trees of the classifier.

    All articles have the same total weight, and the weight of a line is the square root of its
    number of words. Short lines decide whether a text equals the article word for word, but long
    lines contain most of the words.

    `loose` are the names of corpora with loose gold texts (see `LOOSE_LENGTH`). `columns` are the
    names of the columns to use (by default, all).
    """
    parts = [lines for example in _taught(examples) for lines in _lines_of(example, loose)]
    parts += [_lines_of_hint(hint) for hint in hints]
    rows, labels, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    classifier = new_classifier(trees=TREES, leaves=LEAVES, min_rows_in_leaf=MIN_LINES_IN_LEAF)
    names = _columns_of(examples)
    places = [names.index(column) for column in columns or names]
    classifier.fit(rows[:, places], labels, sample_weight=weights)
    return as_trees(classifier, names, places)


def lessons(
    examples: Sequence[Example], hints: Sequence[Hint], loose: Collection[str]
) -> "Iterator[Lesson]":
    """Yield the training examples of the network, which are the same pages with all their lines.

    The arguments are those of `fit_trees`.
    """
    from benchmarks.extraction.networks import Lesson

    for each in _taught(examples):
        weights = np.where(each.unsaid, 0.0, _weights_of(each, loose))
        views = _views_of(each)
        for view in views:
            labels = each.shares > OF_GOLD
            yield Lesson(view, each.hashed, each.words, labels, weights / len(views))
    for hint in hints:
        weights = np.zeros(len(hint.words))
        weights[hint.said] = _weights_of_hint(hint)
        yield Lesson(hint.features, hint.hashed, hint.words, hint.labels, weights)


def _taught(examples: Iterable[Example]) -> Iterator[Example]:
    return (each for each in examples if each.gold.kind != NOT_TRAINED and len(each.words))


def _columns_of(examples: Sequence[Example]) -> tuple[str, ...]:
    [columns] = {
        view.columns for each in examples for view in (each.alone, each.beside) if view.columns
    }
    return columns


def _lines_of(example: Example, loose: Collection[str]) -> Iterator[_Lines]:
    labels = example.shares > OF_GOLD
    weights, kept = weights_near_article(labels, _weights_of(example, loose))
    kept &= ~example.unsaid
    weights = weights[kept]
    views = _views_of(example)
    for view in views:
        yield view.rows[kept], labels[kept], weights / len(views)


def _weights_of(example: Example, loose: Collection[str]) -> npt.NDArray[np.float64]:
    weights = np.sqrt(example.words.astype(np.float64))
    weights *= PAGE_WEIGHT * (1.0 if example.is_article else OTHER_KINDS_WEIGHT) / weights.sum()
    if example.corpus in loose:
        weights *= np.minimum(1.0, example.words / LOOSE_LENGTH)
    return weights


def _views_of(example: Example) -> list[Features]:
    """Return the evidence of a page without and, if there is one, with another page."""
    is_alone = example.beside is example.alone
    return [example.alone] if is_alone else [example.alone, example.beside]


def weights_near_article(
    labels: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the weights of lines, and a mask of the lines used; few are far from the article."""
    is_far = _distances(labels) > FAR
    kept = ~is_far | (np.cumsum(is_far) % EVERY == 1)
    return np.where(is_far, EVERY * weights, weights), kept


def _distances(labels: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the distance of each line from the nearest line of the article."""
    far = len(labels) + FAR
    places = np.arange(len(labels))
    before = np.maximum.accumulate(np.where(labels, places, -far))
    after = np.minimum.accumulate(np.where(labels, places, 2 * far)[::-1])[::-1]
    return np.minimum(places - before, after - places)


def _lines_of_hint(hint: Hint) -> _Lines:
    return hint.features.rows[hint.said], hint.labels[hint.said], _weights_of_hint(hint)


def _weights_of_hint(hint: Hint) -> npt.NDArray[np.float64]:
    weights = np.sqrt(hint.words[hint.said].astype(np.float64))
    weights *= HINTS_WEIGHT * min(1.0, len(weights) / FULL_HINTS) / weights.sum()
    return weights


def extract(
    source: Source,
    knowledge: TemplateKnowledge | None,
    model: LineClassifier,
) -> str:
    """Return the article's text as extracted by the service with the given classifier."""
    page = outline_of(source)
    judged = classification.judge_lines(page, knowledge, source.url, model)
    finding = classification.find_body(page, judged)
    if finding is None:
        finding = sentences.find_body(page)
    if finding is None:
        return ""
    others = knowledge.titles if knowledge is not None else ()
    return article_of(source.url, page, others, finding).text


Scores = dict[str, dict[str, list[PageScores]]]
"""Scores of pages by corpus and by whether they are read ``alone`` or ``beside`` another page."""


def cross_validate(
    examples: Sequence[Example],
    hints: Sequence[Hint],
    loose: Collection[str],
    folds: int,
    columns: Sequence[str] | None = None,
    into: Path | None = None,
) -> Scores:
    """Score pages with classifiers that have not seen their sites.

    The classifiers of the folds are written to the folder `into` (see
    `benchmarks.extraction.first_pass`). The other arguments are those of `fit`.
    """
    scores: Scores = {
        name: {"alone": [], "beside": []} for name in dict.fromkeys(map(_set_of, examples))
    }
    for fold in range(folds):
        others = [hint for hint in hints if fold_of(hint.site, folds) != fold]
        model = fit(outside(fold, folds, examples), others, loose, columns)
        if into is not None:
            write_fold(into, fold, model)
        for example in examples:
            gold = example.gold
            if fold_of(gold.site, folds) != fold:
                continue
            for name, known in (("alone", None), ("beside", example.knowledge)):
                prediction = Prediction(None, extract(example.page, known, model))
                found = score_page(prediction, gold, example.headline)
                row = PageScores(gold.id, gold.site, gold.language, found)
                scores[_set_of(example)][name].append(row)
    return scores


def _set_of(example: Example) -> str:
    return example.corpus if example.is_article else f"{example.corpus}, other kinds"


def to_json(scores: Scores) -> str:
    """Serialise the scores of all pages for `benchmarks.extraction.compare`."""
    return json.dumps(
        {
            corpus: {name: [asdict(row) for row in rows] for name, rows in by_name.items()}
            for corpus, by_name in scores.items()
        }
    )


def table(scores: Scores) -> Iterator[str]:
    """Yield the lines of a table of means by corpus and language."""
    yield "| | pages | ex | eqw | toP | toR | toF |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for corpus, by_name in scores.items():
        for name, rows in by_name.items():
            languages = sorted({row.language for row in rows})
            groups = [(corpus, rows)]
            if len(languages) > 1:
                groups += [
                    (f"{corpus}, {language}", [row for row in rows if row.language == language])
                    for language in languages
                ]
            for title, group in groups:
                means = macro_average(group)
                figures = (
                    f"{means[key]:.1f}" for key in ("exact", "equal", "to_p", "to_r", "to_f")
                )
                yield f"| {title} {name} | {len(group)} | {' | '.join(figures)} |"


def describe(
    folders: Sequence[Path],
    hinting: Sequence[Path],
    examples: Sequence[Example],
    hints: Sequence[Hint],
    scores: Scores,
) -> Training:
    """Describe the training done by `main`.

    The scores in the description are the mean F1 of pages compared with another page.
    """
    corpora = [
        corpus_used(
            folder,
            CREDITS.get(folder.name, "texts"),
            ((each.gold.id, each.gold.site) for each in examples if each.corpus == folder.name),
        )
        for folder in folders
    ]
    corpora += [
        corpus_used(
            folder,
            "hints",
            ((each.page, each.site) for each in hints if each.corpus == folder.name),
        )
        for folder in hinting
    ]
    means = {
        f"toF, {corpus}": macro_average(by_name["beside"])["to_f"]
        for corpus, by_name in scores.items()
    }
    how = "cross-validated over sites, beside another page of the template" if means else None
    return training_of(corpora, "benchmarks.extraction.train", means, how, ["torch"])


def loose_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the names of corpora with loose gold texts."""
    parser.add_argument(
        "--loose", nargs="*", default=[], help="names of corpora with loose gold texts"
    )


def main() -> None:
    """Cross-validate and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora with texts")
    parser.add_argument(
        "--hints", nargs="*", type=Path, default=[], help="folders with snippets or comments only"
    )
    loose_option(parser)
    parser.add_argument("--folds", type=int, default=0, help="number of folds for cross-validation")
    parser.add_argument("--into", type=Path, help="folder for the classifiers of the folds")
    parser.add_argument("--scores", type=Path, help="file for the scores of all pages")
    parser.add_argument("--model", type=Path, help="file to write the classifier to")
    options = parser.parse_args()
    examples = [example for folder in options.corpora for example in read_examples(folder)]
    hints = [hint for folder in options.hints for hint in read_hints(folder)]
    scores: Scores = {}
    if options.folds:
        scores = cross_validate(examples, hints, options.loose, options.folds, into=options.into)
        print("\n".join(table(scores)), flush=True)
        if options.scores:
            options.scores.write_text(to_json(scores), encoding="utf-8")
    if options.model:
        training = describe(options.corpora, options.hints, examples, hints, scores)
        model = fit(examples, hints, options.loose)
        options.model.write_text(ModelFile(training, model).to_json(), encoding="utf-8")


if __name__ == "__main__":
    main()
