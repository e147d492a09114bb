"""Outcomes and reasons are listed in the reference, and the code produces each of them."""

import re
from enum import StrEnum
from pathlib import Path

import pytest

from detourage.html import PageError
from detourage.outcomes import PageOutcome, UnusableReason
from detourage.reader import GoneError, MenuPageError, NeedsRenderingError, NoTextError, WallError
from worker.outcomes import AbandonedReason, ReceiptResult, RefusedReason

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"`([a-z]+(?:-[a-z]+)*)`")


def test_the_reference_lists_exactly_the_outcomes_of_a_page() -> None:
    text = (ROOT / "docs/reference/outcomes.md").read_text(encoding="utf-8")
    section = text.partition("\n## Outcomes of a page\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)
    assert sorted(listed) == sorted(PageOutcome)


@pytest.mark.parametrize(
    "kind", [PageOutcome, ReceiptResult, UnusableReason, AbandonedReason, RefusedReason]
)
def test_the_outcome_reference_lists_every_code(kind: type[StrEnum]) -> None:
    text = (ROOT / "docs/reference/outcomes.md").read_text(encoding="utf-8")
    assert set(map(str, kind)) - set(CODE.findall(text)) == set()


def test_each_outcome_of_a_page_belongs_to_one_error() -> None:
    given = [error.outcome for error in PageError.__subclasses__()]
    given += [
        error.outcome
        for error in (MenuPageError, NoTextError, NeedsRenderingError, WallError, GoneError)
    ]
    others = {PageOutcome.ARTICLE, PageOutcome.JOINED, PageOutcome.FAILED}
    assert sorted(given) == sorted(set(PageOutcome) - others)
