"""Trains the shipped NCleaner models: ``python -m worker.evaluation.training.nclean CORPUS``.

The published tool ships models trained on the CleanEval development set; so do we. CORPUS is
a folder with that set as ``pages.jsonl.gz`` (page messages with ``id`` and ``html_base64``)
and ``gold.jsonl.gz`` (``id`` and ``text``).
"""

import base64
import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worker.evaluation.methods.interface import Source
from worker.evaluation.methods.papers import nclean
from worker.evaluation.methods.papers.nclean import MIN_SHIPPED_COUNT, Model, Normalisation


def main(corpus: Path, models: Path) -> None:
    """Train a model for each shipped normalisation and write it down.

    Parameters
    ----------
    corpus
        Folder of the training pairs.
    models
        Folder to write to.
    """
    gold = {record["id"]: record["text"] for record in _records(corpus / "gold.jsonl.gz")}
    pairs = [
        (Source(base64.b64decode(page["html_base64"]), page["url"]), gold[page["id"]])
        for page in _records(corpus / "pages.jsonl.gz")
        if page["id"] in gold
    ]
    for normalisation in (Normalisation.ASCII, Normalisation.NON_LEXICAL):
        model = Model.train(pairs, normalisation, min_count=MIN_SHIPPED_COUNT)
        path = models / f"nclean-{normalisation.value}.json"
        path.write_text(model.to_json(), encoding="utf-8")


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(nclean.__file__).parent / "models")
