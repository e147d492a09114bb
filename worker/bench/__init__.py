"""Measurements: methods run over corpora, articles scored, reports written."""

from worker.bench.errors import BenchError
from worker.bench.evaluating import evaluate
from worker.bench.html import to_html
from worker.bench.measuring import Bench, kind_of
from worker.bench.results import CorpusTable, Line, Report
from worker.bench.terminal import tables_of

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
