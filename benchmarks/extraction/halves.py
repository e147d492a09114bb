"""Write the scores of metadata apart for two halves of a corpus's sites.

``python -m benchmarks.extraction.halves report.json`` takes a report of ``bench --by
site --json``. Errors were looked at in half A alone while the methods were written.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.extraction.tables import rows

SCORES = {"title_exact": "title", "authors_f": "authors F1", "date_exact": "date"}
"""Scores of the table, with the heads of their columns."""


def half_of(site: str) -> str:
    """Return the half that a site is in, the same on every machine."""
    return "AB"[hashlib.sha256(site.encode()).digest()[-1] % 2]


def halves(table: dict[str, Any]) -> Iterator[list[str]]:
    """Write the cells of each method on each half, macro averages over sites."""
    for line in table["lines"]:
        for half in "AB":
            groups = [each for site, each in line["groups"].items() if half_of(site) == half]
            found = [[each[name] for each in groups if name in each] for name in SCORES]
            means = [f"{sum(each) / len(each):.1f}" if each else "" for each in found]
            yield [line["method"], half, *means]


def main() -> None:
    """Write a table for each corpus of a report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path, help="file of bench --by site --json")
    options = parser.parse_args()
    for table in json.loads(options.report.read_text("utf-8"))["tables"]:
        print(f"## {table['corpus']}\n")
        print("\n".join(rows(["", "half", *SCORES.values()], halves(table))))


if __name__ == "__main__":
    main()
