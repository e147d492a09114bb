"""Measurements: methods run over corpora, articles scored, reports written."""

from worker.evaluation.bench.errors import BenchError
from worker.evaluation.bench.evaluating import evaluate
from worker.evaluation.bench.html import to_html
from worker.evaluation.bench.measuring import Bench, kind_of
from worker.evaluation.bench.results import CorpusTable, Line, Report
from worker.evaluation.bench.terminal import tables_of

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
