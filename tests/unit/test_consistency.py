"""Names, limits and outcomes that must be consistent with each other."""

import re
from enum import StrEnum
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.faults.hostile.measured.sitecustomize import MEASURED, MEASURED_INTAKE_METHODS
from detourage.html import PageError
from detourage.limits import MAX_BODY_BYTES, MAX_CONTENT_BYTES, MAX_HTML_BYTES, MAX_MESSAGE_BYTES
from detourage.outcomes import PageOutcome, UnusableReason
from detourage.reader import GoneError, MenuPageError, NeedsRenderingError, NoTextError, WallError
from tests.faults.sabotage.sitecustomize import SABOTAGED
from worker.messaging.topology import DELIVERY_LIMIT
from worker.outcomes import AbandonedReason, ReceiptResult, RefusedReason
from worker.service.intake import Intake
from worker.workflow import retry_policy


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (module, name)
        for each in (SABOTAGED, MEASURED)
        for module, names in each.items()
        for name in names
    ],
)
def test_a_name_patched_by_faults_or_benchmarks_exists(module: str, name: str) -> None:
    assert hasattr(import_module(module), name)


@pytest.mark.parametrize("name", MEASURED_INTAKE_METHODS)
def test_an_intake_method_measured_by_benchmarks_exists(name: str) -> None:
    assert hasattr(Intake, name)


def test_the_largest_page_fits_into_a_message_of_the_maximum_size() -> None:
    assert MAX_HTML_BYTES < MAX_CONTENT_BYTES < MAX_MESSAGE_BYTES < MAX_BODY_BYTES


@pytest.mark.parametrize("work", ["EXTRACTION", "ASSIGNMENT", "COMPARISON", "JOINING"])
def test_work_is_abandoned_before_the_broker_dead_letters_its_message(work: str) -> None:
    assert 0 < getattr(retry_policy, f"{work}_ATTEMPTS") < DELIVERY_LIMIT


ROOT = Path(__file__).parents[2]
CODE_IN_BACKTICKS = re.compile(r"`([a-z]+(?:-[a-z]+)*)`")


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
    assert set(map(str, kind)) - set(CODE_IN_BACKTICKS.findall(text)) == set()


def test_each_outcome_without_an_article_has_exactly_one_error_class() -> None:
    error_outcomes = [error.outcome for error in PageError.__subclasses__()]
    error_outcomes += [
        error.outcome
        for error in (MenuPageError, NoTextError, NeedsRenderingError, WallError, GoneError)
    ]
    other_outcomes = {PageOutcome.ARTICLE, PageOutcome.JOINED, PageOutcome.FAILED}
    assert sorted(error_outcomes) == sorted(set(PageOutcome) - other_outcomes)
