"""Extraction methods with a common interface: Détourage, papers, peers, and chains."""

from benchmarks.evaluation.methods.outcome import Failure, Job, Outcome, PageResult, Summary
from benchmarks.evaluation.methods.registry import (
    describe,
    extractor_names,
    get_extractor,
    is_peer,
    parse_chain,
)
from benchmarks.evaluation.methods.runner import Runner
from benchmarks.training.ngrams import TrainingPair
from detourage.papers.chain import chain
from detourage.papers.interface import (
    ALONE,
    Extracted,
    Extractor,
    Gives,
    Needs,
    Neighbours,
    NoPivotError,
    ReaderComment,
    Source,
    UnavailableError,
    UnknownExtractorError,
)

__all__ = [
    "ALONE",
    "Extracted",
    "Extractor",
    "Failure",
    "Gives",
    "Job",
    "Needs",
    "Neighbours",
    "NoPivotError",
    "Outcome",
    "PageResult",
    "ReaderComment",
    "Runner",
    "Source",
    "Summary",
    "TrainingPair",
    "UnavailableError",
    "UnknownExtractorError",
    "chain",
    "describe",
    "extractor_names",
    "get_extractor",
    "is_peer",
    "parse_chain",
]
