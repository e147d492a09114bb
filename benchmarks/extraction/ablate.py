"""Contribution of each source of evidence: ``python -m benchmarks.extraction.ablate CORPUS…``.

The first row is the heuristic retained by Deturck (2015), with Wutsi's extractor as a fallback. For
the following rows, the classifier is trained and cross-validated with increasing amounts of
evidence. As in the service, a page is compared with another page of its template if there is one.
The options are those of `benchmarks.extraction.train`.
"""

import argparse
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from benchmarks.evaluation.methods import Neighbours, get_extractor
from benchmarks.evaluation.scores import PageScores, Prediction, macro_average, score_page
from benchmarks.extraction.examples import Example, Hint, read_examples, read_hints
from benchmarks.extraction.train import cross_validate, loose_option
from worker.article import NoArticleError
from worker.article.evidence.elements import ELEMENTS, MARKUP, NAMED_PARTS
from worker.article.evidence.layout import BESIDE, PACKETS, POSITION, PROSE, SIBLINGS
from worker.article.evidence.page import DECLARATIONS, TEMPLATE, WHOLE_PAGE
from worker.article.evidence.view import EvidenceSource, View
from worker.article.evidence.wording import LINE, WORDING
from worker.papers.reading import outline_of

STEPS: tuple[tuple[EvidenceSource, ...], ...] = (
    (LINE,),
    (ELEMENTS,),
    (POSITION, BESIDE),
    (PACKETS,),
    (NAMED_PARTS,),
    (MARKUP,),
    (SIBLINGS, PROSE),
    (WORDING,),
    (DECLARATIONS,),
    (TEMPLATE,),
    (WHOLE_PAGE,),
)
"""Evidence added by each row to that of the previous rows."""


HEURISTICS = ("deturck_2015", "wutsi")
"""Methods of the first row; each one is the fallback for the previous one."""


def heuristic_text(example: Example) -> str:
    """Extract a page with the methods of the first row."""
    for name in HEURISTICS:
        try:
            text = get_extractor(name).extract(example.page, Neighbours(example.other)).text
        except NoArticleError:
            continue
        if text:
            return text
    return ""


def heuristic_scores(examples: Sequence[Example]) -> dict[str, list[PageScores]]:
    """Score the heuristics, by corpus."""
    scores: dict[str, list[PageScores]] = {example.corpus: [] for example in examples}
    for example in examples:
        gold = example.gold
        found = score_page(Prediction(None, heuristic_text(example)), gold, example.headline)
        scores[example.corpus].append(PageScores(gold.id, gold.site, gold.language, found))
    return scores


def line_of(title: str, scores: dict[str, list[PageScores]]) -> str:
    """Return a row of the table with text-only F1 and strict equality for each corpus."""
    means = [macro_average(rows) for rows in scores.values()]
    figures = [f"{each['to_f']:.1f} / {each['equal']:.1f}" for each in means]
    return f"| {title} | {' | '.join(figures)} |"


def table(
    examples: Sequence[Example], hints: Sequence[Hint], loose: Collection[str], folds: int
) -> Iterator[str]:
    """Yield each line of the table as soon as it is known."""
    corpora = list(dict.fromkeys(example.corpus for example in examples))
    yield f"| toF / eqw | {' | '.join(corpora)} |"
    yield f"|---|{'---:|' * len(corpora)}"
    yield line_of("Deturck 2015, else Wutsi", heuristic_scores(examples))
    columns: list[str] = []
    a_page = next(each.page for each in examples if len(each.words))
    view = View(outline_of(a_page), None, a_page.url)
    for step in STEPS:
        title = ", ".join(source.name for source in step)
        columns += [name for source in step for name, _ in source.count(view)]
        by_view = cross_validate(examples, hints, loose, folds, columns)
        scores = {corpus: views["beside"] for corpus, views in by_view.items()}
        yield line_of(title if step is STEPS[0] else f"+ {title}", scores)
    by_view = cross_validate(examples, [], (), folds)
    scores = {corpus: views["beside"] for corpus, views in by_view.items()}
    yield line_of("all features, without the --hints corpora, --loose lines at full weight", scores)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora with texts")
    parser.add_argument("--hints", nargs="*", type=Path, default=[])
    loose_option(parser)
    parser.add_argument("--folds", type=int, default=2)
    options = parser.parse_args()
    examples = [example for folder in options.corpora for example in read_examples(folder)]
    hints = [hint for folder in options.hints for hint in read_hints(folder)]
    for line in table(examples, hints, options.loose, options.folds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
