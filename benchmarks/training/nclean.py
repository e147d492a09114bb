"""Train NCleaner: ``python -m benchmarks.training.nclean CORPUS MODELS``.

Like the published tool, Détourage ships models trained on the CleanEval development set. ``CORPUS``
is the folder of this set. For each normalisation that is shipped, a model is written to the folder
``MODELS``.
"""

import argparse
from pathlib import Path

from benchmarks.evaluation.scores import load_corpus
from benchmarks.training.headers import ModelFile, corpus_used, describe_training
from benchmarks.training.ngrams import MIN_SHIPPED_COUNT, TrainingPair, train
from detourage.papers.interface import Source
from detourage.papers.nclean import Normalisation

NORMALISATIONS = (Normalisation.ASCII, Normalisation.NON_LEXICAL)  # those of the shipped models


def main() -> None:
    """Train and write the models."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, help="folder of the training pairs")
    parser.add_argument("models", type=Path, help="folder to write the models to")
    options = parser.parse_args()
    corpus = load_corpus(options.corpus)
    golds = {gold.id: gold.text for gold in corpus.golds.values() if gold.text}
    pages = [page for page in corpus.pages.values() if page.id in golds]
    pairs = [
        TrainingPair(Source(page.html, page.url, page.content_type), golds[page.id])
        for page in pages
    ]
    used = corpus_used(options.corpus, "cleaned text", ((page.id, page.site) for page in pages))
    training = describe_training([used], "benchmarks.training.nclean")
    for normalisation in NORMALISATIONS:
        model = train(pairs, normalisation, min_count=MIN_SHIPPED_COUNT)
        path = options.models / f"nclean-{normalisation.value}.json"
        path.write_text(ModelFile(training, model).to_json(), encoding="utf-8")


if __name__ == "__main__":
    main()
