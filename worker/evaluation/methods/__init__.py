"""Extraction methods behind one interface: ours, the papers', the well-known peers, chains."""

from worker.evaluation.methods.chain import chain
from worker.evaluation.methods.interface import (
    ALONE,
    Extracted,
    Extractor,
    Gives,
    Needs,
    Neighbours,
    NoPivotError,
    ReaderComment,
    Source,
    TrainingPair,
    UnavailableError,
    UnknownExtractorError,
)
from worker.evaluation.methods.outcome import Failure, Job, Outcome, PageResult, Summary
from worker.evaluation.methods.registry import (
    describe,
    extractor_names,
    get_extractor,
    is_peer,
    parse_chain,
)
from worker.evaluation.methods.runner import Runner

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
