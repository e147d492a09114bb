"""Extraction methods behind one interface: ours, the papers', the well-known peers, chains."""

from worker.extractors.chain import chain
from worker.extractors.interface import (
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
from worker.extractors.outcome import Failure, Job, Outcome, PageResult, Summary
from worker.extractors.registry import (
    describe,
    extractor_names,
    get_extractor,
    is_peer,
    parse_chain,
)
from worker.extractors.runner import Runner

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
    "UnavailableError",
    "UnknownExtractorError",
    "chain",
    "describe",
    "extractor_names",
    "get_extractor",
    "is_peer",
    "parse_chain",
]
