"""Train the classifier of lines: ``python -m benchmarks.extraction.train CORPUS… --model FILE``.

Each page of the corpora is compared with the page that the service would compare it with. A
line belongs to the article when most of its words are matched with the gold. With ``--folds``
the classifier is cross-validated first, no site being in two folds: nothing is reported of a
page whose site was trained on.
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
"""What the header of a model says of a corpus whose licence asks for its name."""

PAGE_WEIGHT = 100.0
"""Weight of the lines of a page together."""

LOOSE_LENGTH = 30
"""Words from which on a line of a corpus with loose golds weighs in full.

Where titles, bylines and captions are in the gold as it comes, its short lines teach nothing that
holds elsewhere.
"""

HINTS_WEIGHT = 30.0
"""Weight of the lines of a page of which only some are labelled, from `FULL_HINTS` lines on."""

FULL_HINTS = 10

OTHER_KINDS_WEIGHT = 0.3
"""Weight of a page of another kind, to an article's of 1.

Shops and manuals teach what their lines are, and there are almost as many as recent articles.
With 0.3, threads among them, articles of wcxb gain 0.1 points of F1 and the other kinds 7; with 1
other kinds gain another point and articles lose 0.2.
"""

NOT_TRAINED = "forum"
"""The kind of pages that is not trained on: what its readers write is its content.

Below an article it is none. With threads in training, 5.2 % of the readers' comments on 76 news
pages were in the text that the service gives, without them 3.2 %.
"""

FAR = 8
"""Lines to the next one of the article from which on only every `EVERY`th line is trained on.

They weigh so many times more. Most of a page's lines are in its menus.
"""

EVERY = 4


_Lines = tuple[Rows, npt.NDArray[np.bool_], npt.NDArray[np.float64]]


def fit(
    examples: Sequence[Example],
    hints: Sequence[Hint],
    loose: Collection[str],
    columns: Sequence[str] | None = None,
) -> LineClassifier:
    """Train on pages, each as it stands alone and beside another page.

    Parameters
    ----------
    examples, hints, loose, columns
        As of `fit_trees`; where only some columns are looked at, it is by trees alone.

    Raises
    ------
    ImportError
        If PyTorch is not installed, for all columns.
    """
    trees = fit_trees(examples, hints, loose, columns)
    if columns is not None:
        return LineClassifier(trees)
    # What says how lines are weighed is read where nothing is trained, too.
    from benchmarks.extraction.networks import fit_network

    return LineClassifier(trees, fit_network([*lessons(examples, hints, loose)]))


def fit_trees(
    examples: Sequence[Example],
    hints: Sequence[Hint],
    loose: Collection[str],
    columns: Sequence[str] | None = None,
) -> BoostedTrees:
    """Train the trees of the classifier.

    The lines of an article weigh the same in all as those of any other one, and a line as
    much as the square root of its words: short lines decide whether a text is word for word
    the article's, long ones most of its words.

    Parameters
    ----------
    examples, hints
        The pages.
    loose
        Names of the corpora whose golds are loose, see `LOOSE_LENGTH`.
    columns
        Names of the columns of the evidence that is looked at; all of them unless given.
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
    """Yield what the network is trained on: the same pages, all of their lines.

    Parameters
    ----------
    examples, hints, loose
        As of `fit_trees`.
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
    """Return the evidence of a page alone and, where there is another, beside that."""
    is_alone = example.beside is example.alone
    return [example.alone] if is_alone else [example.alone, example.beside]


def weights_near_article(
    labels: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the weights of lines, and which are trained on: few of those far from the article.

    Parameters
    ----------
    labels, weights
        For each line of a page whether it is the article's, and what it weighs.
    """
    is_far = _distances(labels) > FAR
    kept = ~is_far | (np.cumsum(is_far) % EVERY == 1)
    return np.where(is_far, EVERY * weights, weights), kept


def _distances(labels: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return for each line how far the nearest line of the article is."""
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
    """Return the article's text as the service would with this classifier.

    Parameters
    ----------
    source, knowledge
        The page, and what is known of its template.
    model
        The classifier of lines.
    """
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
"""Scores of pages, by corpus and by how they were cut: ``alone`` or ``beside`` another page."""


def cross_validate(
    examples: Sequence[Example],
    hints: Sequence[Hint],
    loose: Collection[str],
    folds: int,
    columns: Sequence[str] | None = None,
    into: Path | None = None,
) -> Scores:
    """Score pages whose sites the classifier has not seen.

    Parameters
    ----------
    examples, hints, loose, columns
        As of `fit`.
    folds
        Number of the folds.
    into
        Folder that the classifiers are written to, see `benchmarks.extraction.first_pass`.
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
    """Write the scores of all pages down, for `benchmarks.extraction.compare`."""
    return json.dumps(
        {
            corpus: {name: [asdict(row) for row in rows] for name, rows in by_name.items()}
            for corpus, by_name in scores.items()
        }
    )


def table(scores: Scores) -> Iterator[str]:
    """Yield the lines of a table of means, by corpus and by language."""
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
    """Describe the training of `main`; the scores are the mean F1 beside another page."""
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
    """Add the option that names the corpora with loose golds."""
    parser.add_argument(
        "--loose", nargs="*", default=[], help="names of corpora whose golds take captions or not"
    )


def main() -> None:
    """Cross-validate and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora with texts")
    parser.add_argument(
        "--hints", nargs="*", type=Path, default=[], help="folders with snippets or comments only"
    )
    loose_option(parser)
    parser.add_argument("--folds", type=int, default=0, help="cross-validate in so many folds")
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
