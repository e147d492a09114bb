"""Articles as bags of words, the measure of the Web Content Extraction Benchmark.

python -m benchmarks.extraction.bags CORPUS… [--sample N]

Each page is read alone, as the service reads it, with the shipped models. Corpora that tell the
kind of a page count with their articles.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.evaluation.bench.measuring import even_sample, measurable
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.scores import load_corpus
from benchmarks.extraction.examples import ARTICLES
from worker.content import read_content
from worker.extraction.errors import NoArticleError
from worker.pages import PageError
from worker.papers.reading import page_of

LOST = 0.1
"""Recall below which a page has almost nothing of its article."""

_WORD = re.compile(r"\w+")


class BagScore(NamedTuple):
    """Precision, recall and F1 of the words of a text, 0..1."""

    precision: float
    recall: float
    f1: float


def compare_bags(found: str, wanted: str) -> BagScore:
    """Compare the words of two texts, each as often as it stands there, in lower case."""
    bags = [Counter(words_of(text)) for text in (found, wanted)]
    both, in_found, in_wanted = (sum(bag.values()) for bag in (bags[0] & bags[1], *bags))
    if not both:
        return BagScore(0.0, 0.0, float(in_found == in_wanted))
    precision, recall = both / in_found, both / in_wanted
    return BagScore(precision, recall, 2 * precision * recall / (precision + recall))


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case; an apostrophe parts them, whichever it is."""
    return _WORD.findall(text.lower())


def article_text(source: Source) -> str:
    """Return the text of a page's article; nothing where it has none."""
    try:
        return read_content(page_of(source)).article.text or ""
    except (PageError, NoArticleError):
        return ""


def main(folders: Iterable[Path], sample: int | None) -> None:
    """Measure and print."""
    print("| corpus | pages | precision | recall | F1 | lost |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for folder in folders:
        corpus = load_corpus(folder)
        golds = [gold for gold in measurable(corpus) if gold.text and gold.kind in ARTICLES]
        scores = []
        for gold in even_sample(golds, sample):
            page = corpus.pages[gold.id]
            text = article_text(Source(page.html, page.url, page.content_type))
            scores.append(compare_bags(text, gold.text or ""))
        means = " | ".join(f"{mean:.4f}" for mean in np.mean(scores, axis=0))
        lost = sum(score.recall < LOST for score in scores)
        print(f"| {corpus.name} | {len(scores)} | {means} | {lost} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, help="so many pages of each corpus, at even strides")
    options = parser.parse_args()
    main(options.corpora, options.sample)
