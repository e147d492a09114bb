from html.parser import HTMLParser
from io import StringIO

from rich.console import Console

from benchmarks.evaluation.bench import CorpusTable, Line, Report, tables_of, to_html
from benchmarks.evaluation.bench.results import Mean
from benchmarks.evaluation.scores import Difference, Interval

METHODS = [f"method {number}" for number in range(20)]


class Page(HTMLParser):
    """The elements and links of a report, as a browser would see them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.elements: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.links += [value or "" for name, value in attributes if name in ("src", "href")]


def report() -> Report:
    """Return a report on many methods, one of which could not run."""
    lines = [
        Line(
            name,
            "peer",
            version="1.0",
            failures={"timeout": 3} if number == 2 else {},
            pages_per_cpu_second=12.5,
            peak_memory=2**20,
            scores={
                "to_f": Mean(
                    Interval(50.0 + number, 45.0, 72.0),
                    60.0,
                    Difference(number - 19.0, -20.0, -1.0, 0.01, 10, 5) if number < 19 else None,
                )
            },
        )
        for number, name in enumerate(METHODS)
    ]
    lines.append(Line("<absent>", "peer", note="absent is not installed"))
    table = CorpusTable("gulls", 10, 5, 10, 1, {"to_f": METHODS[-1]}, lines)
    return Report("2026-01-01T00:00:00+00:00", {"Python": "3"}, None, [table])


def on_terminal(shown: Report) -> str:
    console = Console(file=StringIO(), width=100)
    for table in tables_of(shown.tables[0], shown.by):
        console.print(table)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_the_report_is_self_contained() -> None:
    page = Page(to_html(report()))
    assert page.links == []
    assert "link" not in page.elements
    assert page.elements.count("svg") == 1


def test_the_page_shows_every_method_and_every_failure() -> None:
    html = to_html(report())
    assert all(f">{name}<" in html for name in METHODS)
    assert "3 timeout" in html
    assert "absent is not installed" in html
    assert "<absent>" not in html


def test_the_terminal_shows_scores_differences_and_failures() -> None:
    shown = on_terminal(report())
    assert "69.0" in shown
    assert "-19.0*" in shown
    assert "3 timeout" in shown
    assert "absent is not installed" in shown
