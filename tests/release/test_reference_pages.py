"""The generated reference pages are current and complete."""

from pathlib import Path

import pytest

from docs.reference_pages import PAGES, write

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.parametrize("name", PAGES)
def test_reference_pages_are_up_to_date(name: str) -> None:
    assert (REFERENCE / name).read_text(encoding="utf-8") == PAGES[name](), "run make docs"


def test_all_pages_are_written_to_a_folder_that_is_created(tmp_path: Path) -> None:
    write(tmp_path / "made" / "reference")
    assert {each.name for each in (tmp_path / "made" / "reference").iterdir()} == set(PAGES)
