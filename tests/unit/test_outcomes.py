"""Outcomes and reasons are listed in the README, and the code produces each of them."""

import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import pytest

from worker.article import (
    GoneError,
    MenuPageError,
    NeedsRenderingError,
    NoTextError,
    WallError,
)
from worker.html import PageError
from worker.outcomes import (
    GivenUpReason,
    PageOutcome,
    ReceiptResult,
    RefusedReason,
    UnusableReason,
)

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"`([a-z]+(?:-[a-z]+)*)`")


class Told(NamedTuple):
    """Codes that a section mentions in the first column of its tables, and elsewhere."""

    listed: set[str]
    beside: set[str]


def told_of_outcomes(readme: str) -> Told:
    listed: set[str] = set()
    beside: set[str] = set()
    for line in lines_of_section(readme, "outcome"):
        if line.lstrip().startswith("|"):
            listed.update(CODE.findall(line.strip().strip("|").split("|")[0]))
        else:
            beside.update(CODE.findall(line))
    return Told(listed, beside)


def lines_of_section(text: str, word: str) -> Iterator[str]:
    level = 0
    is_code = False
    for line in text.splitlines():
        is_code ^= line.startswith("```")
        heading = None if is_code else re.match(r"(#+) (.*)", line)
        if heading is not None:
            if level and len(heading[1]) <= level:
                level = 0
            if not level and word in heading[2].casefold():
                level = len(heading[1])
        elif level:
            yield line


def test_the_readme_lists_exactly_the_outcomes_and_reasons() -> None:
    told = told_of_outcomes((ROOT / "README.md").read_text(encoding="utf-8"))
    outcomes, reasons = set(PageOutcome), set(UnusableReason)
    assert outcomes - told.listed == set()
    assert told.listed - outcomes - reasons == set()
    assert reasons - told.listed - told.beside == set()
    named = {code for code in told.beside if "-" in code}
    assert named - outcomes - reasons - set(GivenUpReason) == set()


@pytest.mark.parametrize(
    "kind", [PageOutcome, ReceiptResult, UnusableReason, GivenUpReason, RefusedReason]
)
def test_the_outcome_reference_lists_every_code(kind: type[StrEnum]) -> None:
    text = (ROOT / "docs/reference/outcomes.md").read_text(encoding="utf-8")
    assert set(map(str, kind)) - set(CODE.findall(text)) == set()


def test_each_outcome_of_a_page_belongs_to_one_error() -> None:
    given = [error.outcome for error in PageError.__subclasses__()]
    given += [
        error.outcome
        for error in (
            MenuPageError,
            NoTextError,
            NeedsRenderingError,
            WallError,
            GoneError,
        )
    ]
    others = {PageOutcome.ARTICLE, PageOutcome.JOINED, PageOutcome.FAILED}
    assert sorted(given) == sorted(set(PageOutcome) - others)
