"""Outcomes and reasons are listed in the README, and the code produces each of them."""

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


def test_the_readme_lists_exactly_the_outcomes_and_reasons() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = re.split(r"\n#", readme.partition("\n### Outcomes and quarantine\n")[2])[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    listed = {code for row in rows for code in CODE.findall(row.split("|")[1])}
    text = "\n".join(line for line in section.splitlines() if line not in rows)
    mentioned = set(CODE.findall(text))
    outcomes, reasons = set(PageOutcome), set(UnusableReason)
    assert outcomes - listed == set()
    assert listed - outcomes - reasons == set()
    assert reasons - listed - mentioned == set()
    named = {code for code in mentioned if "-" in code}
    assert named - outcomes - reasons - set(AbandonedReason) == set()


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
