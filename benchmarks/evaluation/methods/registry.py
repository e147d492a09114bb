"""Registry of all methods by name: Détourage, methods from papers, and third parties (peers)."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.evaluation.methods.peers import boilerpipe_java, readability_js
from benchmarks.evaluation.methods.provenance import (
    SHARED_SOURCES,
    library_release,
    own_release,
    source_digest,
)
from benchmarks.training import ngrams
from benchmarks.training.ngrams import TrainingPair
from detourage.papers import nclean
from detourage.papers.chain import chain
from detourage.papers.interface import (
    Extractor,
    Gives,
    Needs,
    UnavailableError,
    UnknownExtractorError,
)
from detourage.papers.registry import METHODS as PAPERS

_PACKAGE = "benchmarks.evaluation.methods"

_OWN_SOURCE = (
    "detourage/inference",
    "detourage/comments",
    "detourage/reader",
    "detourage/text",
    "detourage/html",
    "detourage/papers",
    "benchmarks/evaluation/methods/ours.py",
)
"""Source files and folders of this project that affect the results of our own methods."""

_LIBRARIES = {"boilerpipe": "boilerpy3", "justext": "jusText", "justext_nostop": "jusText"}
"""Methods of papers that a library implements, with the name of the library's distribution."""


def default_tools() -> Path:
    """Return the folder into which programs in other languages are installed."""
    return Path.home() / ".cache" / "detourage"


@dataclass(frozen=True)
class _Peer:
    """A third-party method; getting its version raises `UnavailableError` if it cannot run."""

    extractor: Extractor
    version: Callable[[], str]
    has_tools: bool = False


def _peer(
    name: str,
    description: str,
    module: str,
    version: Callable[[], str],
    /,
    *,
    gives: Gives = Gives.TEXT,
    has_tools: bool = False,
    **options: Any,
) -> _Peer:
    """Register the method of a module in `peers`; `options` are arguments of its functions."""
    extractor = Extractor(
        name=name,
        description=description,
        function=f"{_PACKAGE}.peers.{module}:extract",
        options=options,
        preparation=f"{_PACKAGE}.peers.{module}:prepare",
        gives=gives,
    )
    return _Peer(extractor, version, has_tools)


def _library(
    name: str, description: str, distribution: str, module: str, /, **options: Any
) -> _Peer:
    """Register a method that a Python library implements, with the library's release as version."""
    return _peer(name, description, module, partial(library_release, distribution), **options)


_PEERS = {
    each.extractor.name: each
    for each in (
        _peer(
            "boilerpipe_java",
            "Boilerpipe, the original in Java",
            "boilerpipe_java",
            boilerpipe_java.installed_version,
        ),
        _library("readability", "readability-lxml", "readability-lxml", "readability"),
        _peer(
            "readability_js",
            "Readability of Mozilla, on Node.js",
            "readability_js",
            readability_js.installed_version,
            has_tools=True,
        ),
        _library("trafilatura", "trafilatura", "trafilatura", "trafilatura"),
        _library(
            "trafilatura_precision",
            "trafilatura, precision",
            *("trafilatura", "trafilatura"),
            favor_precision=True,
        ),
        _library(
            "trafilatura_recall",
            "trafilatura, recall",
            *("trafilatura", "trafilatura"),
            favor_recall=True,
        ),
        _library(
            "trafilatura_comments",
            "trafilatura, with comments",
            *("trafilatura", "trafilatura"),
            gives=Gives.TEXT | Gives.COMMENTS,
            include_comments=True,
        ),
        _library("resiliparse", "Resiliparse", "resiliparse", "resiliparse"),
        _library("newspaper", "newspaper4k", "newspaper4k", "newspaper"),
    )
}

_OURS = Extractor(
    name="detourage",
    description="the service's own extraction",
    function=f"{_PACKAGE}.ours:detourage",
    needs=Needs.PIVOT,
    gives=Gives.TEXT | Gives.COMMENTS,
)

_TRAINED = {
    "nclean": "NCleaner of Evert 2008, trained on the pairs given",
    "nct5": "NCleaner, five pairs (Lejeune et al. 2015)",
    "nct25": "NCleaner, five pairs of each language (Lejeune et al. 2015)",
}


def extractor_names() -> tuple[str, ...]:
    """Return the names of all methods, including those that cannot run here."""
    return (_OURS.name, *PAPERS, *_TRAINED, *_PEERS)


def is_peer(name: str) -> bool:
    """Return whether a method is third-party code; raise UnknownExtractorError if it is unknown."""
    return name in _LIBRARIES or (_check_name(name) in _PEERS)


def describe(name: str) -> str:
    """Return a one-line description of a method; raise UnknownExtractorError if it is unknown."""
    name = _check_name(name)
    if name in _TRAINED:
        return _TRAINED[name]
    if name in _PEERS:
        return _PEERS[name].extractor.description
    return PAPERS.get(name, _OURS).description


def get_extractor(
    name: str, *, tools: Path | None = None, pairs: Sequence[TrainingPair] = ()
) -> Extractor:
    """Return a method by name.

    `tools` is the folder for programs in other languages; `pairs` are the training pairs of the
    variants of NCleaner. Raise UnknownExtractorError if there is no such method, and
    UnavailableError if a library, a program or training pairs are missing.
    """
    name = _check_name(name)
    if name in _TRAINED:
        return train_extractor(name, pairs)
    if name in _PEERS:
        peer = _PEERS[name]
        options = dict(peer.extractor.options)
        if peer.has_tools:
            options["tools"] = tools or default_tools()
        return replace(
            peer.extractor,
            options=options,
            version=peer.version(),
            source=source_digest(*SHARED_SOURCES, "benchmarks/evaluation/methods/peers"),
        )
    extractor = PAPERS.get(name, _OURS)
    if name in _LIBRARIES:
        return replace(
            extractor,
            version=library_release(_LIBRARIES[name]),
            source=source_digest(*SHARED_SOURCES, "detourage/papers"),
        )
    distance_sources = ("detourage/template/distance",) if name.startswith("deturck") else ()
    version = f"{own_release()}+{source_digest(*_OWN_SOURCE, *distance_sources)}"
    return replace(extractor, version=version, source=source_digest(*SHARED_SOURCES))


def train_extractor(
    name: str,
    pairs: Sequence[TrainingPair],
    normalisation: nclean.Normalisation = nclean.Normalisation.NONE,
) -> Extractor:
    """Train the n-gram model of a method; raise UnavailableError if there is nothing to learn."""
    try:
        model = ngrams.train(ngrams.PAIR_SELECTORS[name](pairs), normalisation)
    except ValueError as error:
        raise UnavailableError(f"{name} must be trained: {error}") from error
    digest = sha256(json.dumps(model.to_parameters()).encode()).hexdigest()
    return Extractor(
        name=name,
        description=_TRAINED[name],
        version=f"trained {digest[:8]}",
        function=f"{nclean.__name__}:extract",
        options={"model": model},
        source=source_digest(
            *SHARED_SOURCES, "detourage/papers/nclean.py", "benchmarks/training/ngrams.py"
        ),
    )


def parse_chain(
    expression: str, *, tools: Path | None = None, pairs: Sequence[TrainingPair] = ()
) -> Extractor:
    """Return a method, or a chain of methods written ``first>second`` (see `get_extractor`)."""
    names = [name.strip() for name in expression.split(">")]
    extractor, *others = (get_extractor(name, tools=tools, pairs=pairs) for name in names)
    for other in others:
        extractor = chain(extractor, other)
    return extractor


def _check_name(name: str) -> str:
    """Return the name if it is that of a method; otherwise raise UnknownExtractorError."""
    names = extractor_names()
    if name not in names:
        raise UnknownExtractorError(
            f"no extractor is named {name!r}; choose from {', '.join(names)}"
        )
    return name
