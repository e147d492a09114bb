"""What leaving comments out brings: ``python -m benchmarks.extraction.without_comments CORPUS…``.

Options as of `benchmarks.extraction.train`. The classifier of lines and that of comments are
cross-validated over the same folds: neither has seen the site of a page that is scored.
"""

import argparse
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.comments.train import choose, out_of_fold, read_corpora, train_certainty
from benchmarks.comments.train import train as train_comments
from benchmarks.evaluation.scores import (
    PageScores,
    Prediction,
    macro_average,
    paired_difference,
    score_page,
)
from benchmarks.extraction.examples import (
    Example,
    Hint,
    fold_of,
    outside,
    read_examples,
    read_hints,
)
from benchmarks.extraction.train import extract, fit, loose_option
from worker.comments import find_comments
from worker.comments.certainty import Certainty
from worker.content import apart_from_article
from worker.extraction.line_classifier import LineClassifier
from worker.learning import BoostedTrees
from worker.papers.reading import page_of

SCORES = {"to_f": "toF", "equal": "eqw"}
"""Scores that are shown, by the name that tables give them."""


@dataclass(frozen=True)
class Row:
    """A page cut in two ways.

    Attributes
    ----------
    corpus
        Its corpus.
    has_comments
        Whether comments are found surely enough to be left out.
    kept, left_out
        Scores with the comments where the classifier of lines puts them, and without.
    """

    corpus: str
    has_comments: bool
    kept: PageScores
    left_out: PageScores


def cross_validate(
    examples: Sequence[Example],
    hints: Sequence[Hint],
    loose: Collection[str],
    comments: Path,
    folds: int,
) -> Iterator[Row]:
    """Score pages, cut beside another page of the template where there is one."""
    commented = list(read_corpora(comments))
    for fold in range(folds):
        lines = fit(
            outside(fold, folds, examples),
            [hint for hint in hints if fold_of(hint.site, folds) != fold],
            loose,
        )
        others = [each for each in commented if fold_of(each.gold.site, folds) != fold]
        finder = train_comments(others)
        choices = map(choose, others, out_of_fold(others))
        certainty = train_certainty(each for each in choices if each is not None)
        for example in examples:
            if fold_of(example.gold.site, folds) == fold:
                yield _row(example, lines, finder, certainty)


def _row(
    example: Example, lines: LineClassifier, finder: BoostedTrees, certainty: Certainty
) -> Row:
    page = page_of(example.page)
    found = find_comments(page, model=finder, certainty=certainty)
    apart = apart_from_article(page, found)
    kept = _scores(example, extract(example.page, example.knowledge, lines))
    if not apart:
        return Row(example.corpus, False, kept, kept)
    text = extract(example.page, example.knowledge, lines, apart)
    return Row(example.corpus, True, kept, _scores(example, text))


def _scores(example: Example, text: str) -> PageScores:
    gold = example.gold
    found = score_page(Prediction(None, text), gold, example.headline)
    return PageScores(gold.id, gold.site, gold.language, found)


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a table: each corpus, and its pages with comments alone."""
    heads = [f"{head}, kept | left out | difference" for head in SCORES.values()]
    yield f"| | pages | {' | '.join(heads)} | better | worse |"
    yield f"|---|---:|{'---:|' * (3 * len(SCORES) + 2)}"
    for corpus in dict.fromkeys(row.corpus for row in rows):
        of_corpus = [row for row in rows if row.corpus == corpus]
        yield _line(corpus, of_corpus)
        having = [row for row in of_corpus if row.has_comments]
        if having:
            yield _line(f"{corpus}, with comments found", having)


def _line(title: str, rows: Sequence[Row]) -> str:
    kept = macro_average(row.kept for row in rows)
    left_out = macro_average(row.left_out for row in rows)
    cells = []
    for name in SCORES:
        difference = paired_difference(
            {row.left_out.page: row.left_out.scores[name] for row in rows},
            {row.kept.page: row.kept.scores[name] for row in rows},
            {row.kept.page: row.kept.site for row in rows},
        )
        interval = f"{difference.mean:+.2f} ({difference.low:+.2f} to {difference.high:+.2f})"
        cells.append(f"{kept[name]:.1f} | {left_out[name]:.1f} | {interval}")
    changes = [row.left_out.scores["to_f"] - row.kept.scores["to_f"] for row in rows]
    better, worse = sum(change > 0 for change in changes), sum(change < 0 for change in changes)
    return f"| {title} | {len(rows)} | {' | '.join(cells)} | {better} | {worse} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora with texts")
    parser.add_argument("--hints", nargs="*", type=Path, default=[])
    loose_option(parser)
    parser.add_argument("--comments", type=Path, required=True, help="folder of all corpora")
    parser.add_argument("--folds", type=int, default=2)
    options = parser.parse_args()
    examples = [example for folder in options.corpora for example in read_examples(folder)]
    hints = [hint for folder in options.hints for hint in read_hints(folder)]
    rows = list(cross_validate(examples, hints, options.loose, options.comments, options.folds))
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
