"""Write a report of ``python -m benchmarks bench --json`` as Markdown.

``python -m benchmarks.extraction.tables report.json`` writes the scores and the task
downstream, with ``statistics`` after it the counts of the texts.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

SCORES = {
    "exact": "ex",
    "equal": "eqw",
    "to_p": "toP",
    "to_r": "toR",
    "to_f": "toF",
    "tm_f": "tmF",
    "char_f": "chF",
    "rouge_f": "rouge",
    "own_f": "ownF",
    "own_equal": "own eqw",
    "names_f": "names",
    "entities_f": "entities",
}
"""Scores of the tables, with the heads of their columns."""

TASK_CORPUS = "daniel"
"""The corpus whose texts the task was made for."""

COUNTS = ("files", "paragraphs", "lines", "words", "characters")


def scores(table: dict[str, Any]) -> Iterator[str]:
    """Write the scores of a corpus."""
    shown = {
        name: head
        for name, head in SCORES.items()
        if any(name in line["scores"] for line in table["lines"])
    }
    peer = table["best_peers"].get("to_f")
    heads = ["", *shown.values(), "toF interval", f"toF less {peer} (p)", "pages/CPU s", "MB"]
    yield from rows([*heads, "failed"], (score_cells(line, shown) for line in table["lines"]))


def score_cells(line: dict[str, Any], shown: dict[str, str]) -> list[str]:
    """Write the cells of a method."""
    found = line["scores"]
    cells = [line["method"]]
    cells += [f"{found[name]['pages']['mean']:.1f}" if name in found else "" for name in shown]
    mean = found.get("to_f")
    cells.append(f"{mean['pages']['low']:.1f}–{mean['pages']['high']:.1f}" if mean else "")
    against = mean and mean["against_best_peer"]
    cells.append(f"{against['mean']:+.1f} ({against['p_value']:.3f})" if against else "")
    speed, memory = line["pages_per_cpu_second"], line["peak_memory"]
    cells += [f"{speed:.0f}" if speed else "", f"{memory / 2**20:.0f}" if memory else ""]
    failed = ", ".join(f"{count} {kind}" for kind, count in line["failures"].items())
    return [*cells, failed if found else line["note"] or failed]


def task(table: dict[str, Any]) -> Iterator[str]:
    """Write what the system downstream finds."""
    heads = [
        "",
        "toF",
        "chF",
        "documents P",
        "R",
        "F1",
        "pairs P",
        "R",
        "F1",
        "no marks: documents F1",
        "pairs F1",
    ]
    heads += [f"pairs F1, {language}" for language in languages(table)]
    lines = [*table["references"], *table["lines"]]
    yield from rows(heads, (task_cells(line, languages(table)) for line in lines if line["task"]))


def task_cells(line: dict[str, Any], names: Sequence[str]) -> list[str]:
    """Write the cells of a method."""
    found = line["task"]
    scores = line["scores"]
    intrinsic = [scores[name]["pages"]["mean"] if scores else 100.0 for name in ("to_f", "char_f")]
    values = intrinsic + [
        found["marked"][of][part]
        for of in ("documents", "pairs")
        for part in ("precision", "recall", "f1")
    ]
    values += [found["unmarked"][of]["f1"] for of in ("documents", "pairs")]
    values += [found["by_language"][name][0]["pairs"]["f1"] for name in names]
    return [line["method"], *(f"{value:.1f}" for value in values)]


def languages(table: dict[str, Any]) -> list[str]:
    """Return the languages that the task was done in."""
    return sorted(
        {name for line in table["lines"] if line["task"] for name in line["task"]["by_language"]}
    )


def statistics(table: dict[str, Any]) -> Iterator[str]:
    """Write the counts of the texts."""
    lines = [*table["references"], *table["lines"]]
    cells = (
        [line["method"], language, *(f"{counts[name]:,}" for name in COUNTS)]
        for line in lines
        for language, counts in line["statistics"].items()
    )
    yield from rows(["", "language", *COUNTS], cells)


def rows(heads: Sequence[str], lines: Any) -> Iterator[str]:
    """Write a table."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join(['---'] + ['---:'] * (len(heads) - 1))}|"
    for cells in lines:
        yield f"| {' | '.join(cells)} |"
    yield ""


def extent(table: dict[str, Any]) -> str:
    """Tell how much was measured."""
    shown = f"{table['pages']} pages of {table['sites']} sites"
    if table["pages"] < table["of_pages"]:
        return f"**sample**: {shown}, at even strides, of {table['of_pages']} pages"
    return shown


def head(report: dict[str, Any]) -> Iterator[str]:
    """Write when, where and with what it was measured."""
    environment = ", ".join(f"{name} {value}" for name, value in report["environment"].items())
    yield f"Measured {report['created']} with {environment}.\n"
    versions = {line["method"]: line["version"] for line in report["tables"][0]["lines"]}
    yield ", ".join(f"{name} {version}" for name, version in versions.items() if version) + ".\n"


def measured(report: dict[str, Any]) -> Iterator[str]:
    """Write the scores and the task downstream."""
    yield from head(report)
    for table in report["tables"]:
        yield f"## {table['corpus']} ({extent(table)})\n"
        yield from scores(table)
    for table in report["tables"]:
        if table["corpus"] == TASK_CORPUS and any(line["task"] for line in table["lines"]):
            yield f"## The DAnIEL task on {table['corpus']} ({extent(table)})\n"
            yield from task(table)


def counted(report: dict[str, Any]) -> Iterator[str]:
    """Write the counts of the texts."""
    yield "# Statistics of the corpora\n"
    yield from head(report)
    for table in report["tables"]:
        if any(line["statistics"] for line in table["lines"]):
            yield f"## {table['corpus']} ({extent(table)})\n"
            yield from statistics(table)


PARTS = {"scores": measured, "statistics": counted}


def main() -> None:
    """Write the part of the report that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path, help="file of python -m benchmarks bench --json")
    parser.add_argument("part", choices=PARTS, nargs="?", default="scores")
    options = parser.parse_args()
    print("\n".join(PARTS[options.part](json.loads(options.report.read_text("utf-8")))))


if __name__ == "__main__":
    main()
