"""Measurements: execution of methods on corpora, scoring of articles, and reports."""

from benchmarks.evaluation.bench.errors import BenchError
from benchmarks.evaluation.bench.evaluating import evaluate
from benchmarks.evaluation.bench.html import to_html
from benchmarks.evaluation.bench.measuring import Bench, kind_of
from benchmarks.evaluation.bench.results import CorpusTable, Line, Report
from benchmarks.evaluation.bench.terminal import tables_of

__all__ = [
    "Bench",
    "BenchError",
    "CorpusTable",
    "Line",
    "Report",
    "evaluate",
    "kind_of",
    "tables_of",
    "to_html",
]
