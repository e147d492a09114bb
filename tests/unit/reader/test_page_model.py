"""The shipped page model, and damaged model files."""

import datetime
import json

import pytest

from benchmarks.training.headers import Training
from detourage.core import Network
from detourage.html import parse_page
from detourage.reader.page_model import MODEL, PageModel
from detourage.text.shipped import shipped_bytes
from tests.unit.reader.article_pages import page

SHIPPED = shipped_bytes(*MODEL)


def test_the_shipped_model_has_a_card() -> None:
    card = json.loads(SHIPPED.partition(b"\n")[0])
    training = Training.from_json(card["training"])
    assert training.command.startswith("python -m benchmarks.extraction.train")
    assert datetime.date.fromisoformat(training.date or "")
    assert training.corpora


@pytest.mark.parametrize("size", [0, 1, 40, 5_000, 100_000, len(SHIPPED) - 1])
def test_a_truncated_model_file_is_rejected(size: int) -> None:
    with pytest.raises(ValueError, match="model file"):
        PageModel.from_bytes(SHIPPED[:size])


def test_inconsistent_columns_are_rejected() -> None:
    flat = parse_page("<p>One</p><p>Two</p>").flat
    network = Network(SHIPPED.partition(b"\n")[2])
    for name in ("parents", "ends", "tag_numbers"):
        damaged = page("<p>One</p><p>Two</p>").flat
        object.__setattr__(damaged, name, getattr(flat, name) + 100)
        with pytest.raises(ValueError, match="inconsistent"):
            network.judge(damaged, "")
