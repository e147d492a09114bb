"""Comparison with peers: ``python -m benchmarks.extraction.compare SCORES CORPUS…``.

SCORES is a file written by ``benchmarks.extraction.train --scores``. For every corpus and language,
our scores are compared, page by page, with those of the peer that has the highest mean. The
interval is from a bootstrap over sites.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.evaluation.methods import Job, Runner, Source
from benchmarks.evaluation.scores import (
    Gold,
    PageScores,
    Prediction,
    headline_of,
    load_corpus,
    macro_average,
    paired_difference,
    score_page,
)
from detourage.papers.reading import page_of

SCORE = "to_f"  # F1 of CleanEval's text-only score


def peer_scores(
    runner: Runner, method: str, golds: Sequence[Gold], sources: Sequence[Source]
) -> list[PageScores]:
    """Score a peer on pages; failures count as empty texts."""
    texts = [""] * len(sources)
    for result in runner.run(method, [Job(source) for source in sources]):
        extracted = result.outcome.extracted
        texts[result.index] = extracted.text if extracted is not None else ""
    rows = []
    for gold, source, text in zip(golds, sources, texts, strict=True):
        headline = headline_of(gold, page_of(source).document)
        found = score_page(Prediction(None, text), gold, headline)
        rows.append(PageScores(gold.id, gold.site, gold.language, found))
    return rows


def table_rows(
    ours: Sequence[PageScores], peers: dict[str, list[PageScores]], title: str
) -> Iterator[str]:
    """Yield a line of the table for all pages, and one for each language."""
    languages = sorted({row.language for row in ours})
    for language in [None, *(languages if len(languages) > 1 else [])]:
        own = [row for row in ours if language in (None, row.language)]
        pages = {row.page for row in own}
        theirs = {
            method: [row for row in rows if row.page in pages] for method, rows in peers.items()
        }
        best = max(theirs, key=lambda method: macro_average(theirs[method])[SCORE])
        difference = paired_difference(
            {row.page: row.scores[SCORE] for row in own},
            {row.page: row.scores[SCORE] for row in theirs[best]},
            {row.page: row.site for row in own},
        )
        yield (
            f"| {title}{f', {language}' if language else ''} | {difference.pages} | {best} "
            f"| {macro_average(theirs[best])[SCORE]:.1f} | {macro_average(own)[SCORE]:.1f} "
            f"| {difference.mean:+.1f} | {difference.low:+.1f} to {difference.high:+.1f} "
            f"| {difference.p_value:.3f} |"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scores", type=Path)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--peers", default="readability,readability_js,boilerpipe_java,resiliparse")
    parser.add_argument(
        "--view", choices=["alone", "beside"], default="beside", help="how our pages were read"
    )
    parser.add_argument("--cache", type=Path, help="folder in which results are cached")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    runner = Runner(processes=options.jobs, cache=options.cache)
    scores = json.loads(options.scores.read_text(encoding="utf-8"))
    print("| | pages | best peer | its toF | toF | difference | 95 % interval | p |")
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    for folder in options.corpora:
        corpus = load_corpus(folder)
        our_scores = [PageScores(**row) for row in scores[corpus.name][options.view]]
        golds = [corpus.golds[row.page] for row in our_scores]
        pages = [corpus.pages[row.page] for row in our_scores]
        sources = [Source(page.html, page.url, page.content_type) for page in pages]
        peers = {
            method: peer_scores(runner, method, golds, sources)
            for method in options.peers.split(",")
        }
        print("\n".join(table_rows(our_scores, peers, corpus.name)), flush=True)


if __name__ == "__main__":
    main()
