"""Score the first experiments: ``python -m benchmarks.extraction.first_experiments CORPUS…``.

All heuristics of Deturck (2015, section 4.4.1) are applied to one edit script a page, which takes
most of the time; ``bench`` gives the same figures, a run for each of them. A page without
another one, or whose token trees are too large, counts as an empty text.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from benchmarks.evaluation.bench.measuring import even_sample, measurable
from benchmarks.evaluation.methods import Neighbours, Source
from benchmarks.evaluation.methods.grouping import find_neighbours
from benchmarks.evaluation.scores import (
    Corpus,
    PageScores,
    Prediction,
    headline_of,
    load_corpus,
    macro_average,
    score_page,
)
from worker.distance import TreeTooLargeError
from worker.extraction import NoArticleError
from worker.papers.deturck.first_experiments import extract_by
from worker.papers.deturck.heuristics import HEURISTICS
from worker.papers.reading import page_of

SHOWN = {"exact": "ex", "equal": "eqw", "to_p": "toP", "to_r": "toR", "to_f": "toF"}


def texts_of(source: Source, neighbours: Neighbours) -> dict[str, str]:
    """Extract a page by each heuristic, empty where none can be applied."""
    try:
        found = extract_by(source, neighbours, HEURISTICS)
    except (NoArticleError, TreeTooLargeError):
        return dict.fromkeys(HEURISTICS, "")
    return {name: each.text for name, each in zip(HEURISTICS, found, strict=True)}


def table(corpus: Corpus, sample: int | None) -> Iterator[str]:
    """Write the scores of a corpus."""
    pages = list(corpus.pages.values())
    sources = {page.id: Source(page.html, page.url, page.content_type) for page in pages}
    around = find_neighbours([sources[page.id] for page in pages], [page.site for page in pages])
    neighbours = {page.id: found for page, found in zip(pages, around, strict=True)}
    rows: dict[str, list[PageScores]] = {name: [] for name in HEURISTICS}
    golds = even_sample(measurable(corpus), sample)
    for gold in golds:
        headline = headline_of(gold, page_of(sources[gold.id]).document)
        for name, text in texts_of(sources[gold.id], neighbours[gold.id]).items():
            scores = score_page(Prediction(None, text), gold, headline)
            rows[name].append(PageScores(gold.id, gold.site, gold.language, scores))
    yield f"| {corpus.name}, {len(golds)} pages | {' | '.join(SHOWN.values())} |"
    yield f"|---|{'---:|' * len(SHOWN)}"
    for name, found in rows.items():
        means = macro_average(found)
        yield f"| {name} | {' | '.join(f'{means[score]:.1f}' for score in SHOWN)} |"
    yield ""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, help="only so many pages of each, at even strides")
    options = parser.parse_args()
    for folder in options.corpora:
        print("\n".join(table(load_corpus(folder), options.sample)), flush=True)


if __name__ == "__main__":
    main()
