"""What each source of evidence brings: ``python -m benchmarks.extraction.ablate CORPUS…``.

The first row is paper 000's retained heuristic, with paper 003's where it finds nothing. Then the
classifier is trained and cross-validated on more and more of the evidence, as the service uses it:
beside another page of the template where there is one. Options as of `benchmarks.extraction.train`.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from benchmarks.extraction.examples import Example, Hint, read_examples, read_hints
from benchmarks.extraction.train import cross_validate
from worker.evaluation import PageScores, Prediction, macro_average, score_page
from worker.extraction import NoArticleError, extract_article
from worker.extraction.evidence import COLUMNS
from worker.extractors.reading import page_of

FIRST_COLUMNS = {
    "the line itself": "words",
    "the elements it stands in": "tag",
    "its place in the page, the lines beside it": "line",
    "the text of the elements around it": "packet_sentences",
    "names of the elements around it": "named_",
    "markup and images": "strong",
    "lines of the same path, nearest prose": "siblings",
    "wording": "ends_in_ellipsis",
    "headline, description, paper 003's packet": "kept_by_sentences",
    "another page of the template": "text_on_other",
}
"""Sources of evidence, in the order of the columns, each with the start of its first column."""


def sources() -> Iterator[tuple[str, range]]:
    """Yield each source of evidence with the places of its columns."""
    starts = [
        next(place for place, name in enumerate(COLUMNS) if name.startswith(first))
        for first in FIRST_COLUMNS.values()
    ]
    for source, start, end in zip(FIRST_COLUMNS, starts, [*starts[1:], len(COLUMNS)], strict=True):
        yield source, range(start, end)


def heuristic_scores(examples: Sequence[Example]) -> dict[str, list[PageScores]]:
    """Score paper 000's heuristic, by corpus."""
    scores: dict[str, list[PageScores]] = {example.corpus: [] for example in examples}
    for example in examples:
        other = page_of(example.other) if example.other is not None else None
        try:
            text = extract_article(page_of(example.page), other, "paper000").text
        except NoArticleError:
            text = ""
        gold = example.gold
        found = score_page(Prediction(None, text), gold, example.headline)
        scores[example.corpus].append(PageScores(gold.id, gold.site, gold.language, found))
    return scores


def line_of(title: str, scores: dict[str, list[PageScores]]) -> str:
    """Write a line of the table: text-only F1 and strict equality of each corpus."""
    means = [macro_average(rows) for rows in scores.values()]
    figures = [f"{each['to_f']:.1f} / {each['equal']:.1f}" for each in means]
    return f"| {title} | {' | '.join(figures)} |"


def table(
    examples: Sequence[Example], hints: Sequence[Hint], loose: Sequence[str], folds: int
) -> Iterator[str]:
    """Yield the lines of the table, each when it is known."""
    corpora = list(dict.fromkeys(example.corpus for example in examples))
    yield f"| toF / eqw | {' | '.join(corpora)} |"
    yield f"|---|{'---:|' * len(corpora)}"
    yield line_of("papers 000 and 003", heuristic_scores(examples))
    names, places = zip(*sources(), strict=True)
    for name, columns in zip(names, accumulate(map(list, places)), strict=True):
        by_view = cross_validate(examples, hints, loose, folds, columns)
        scores = {corpus: views["beside"] for corpus, views in by_view.items()}
        yield line_of(f"+ {name}" if len(columns) > len(places[0]) else name, scores)
    by_view = cross_validate(examples, [], [], folds)
    scores = {corpus: views["beside"] for corpus, views in by_view.items()}
    yield line_of("all of it, without hints, loose golds in full", scores)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora with texts")
    parser.add_argument("--hints", nargs="*", type=Path, default=[])
    parser.add_argument("--loose", nargs="*", default=[])
    parser.add_argument("--folds", type=int, default=2)
    options = parser.parse_args()
    examples = [example for folder in options.corpora for example in read_examples(folder)]
    hints = [hint for folder in options.hints for hint in read_hints(folder)]
    for line in table(examples, hints, options.loose, options.folds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
