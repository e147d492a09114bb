"""The methods by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from worker.evaluation.methods.chain import chain
from worker.evaluation.methods.interface import (
    Extractor,
    Gives,
    Needs,
    TrainingPair,
    UnknownExtractorError,
)
from worker.evaluation.methods.papers import nclean
from worker.evaluation.methods.peers import boilerpipe_java, readability_js
from worker.evaluation.methods.provenance import (
    READING,
    library_release,
    own_release,
    source_digest,
)

_HERE = "worker.evaluation.methods"

_OWN_SOURCE = (
    "worker/learning",
    "worker/comments",
    "worker/content",
    "worker/extraction",
    "worker/language",
    "worker/pages",
    "worker/evaluation/methods/giving.py",
    "worker/evaluation/methods/interface.py",
    "worker/evaluation/methods/ours.py",
    "worker/evaluation/methods/papers",
    "worker/evaluation/methods/reading.py",
)
"""What the results of our own methods depend on."""


def default_tools() -> Path:
    """Folder that programs in other languages are installed into."""
    return Path.home() / ".cache" / "detourage"


@dataclass(frozen=True)
class _Method:
    """A line of the registry.

    Parameters
    ----------
    description
        What it is, on one line.
    version
        Tells the version; raises `UnavailableError` where the method cannot run.
    function, options, needs, preparation, gives
        As in `Extractor`.
    has_tools
        Whether it wants to know the folder for programs, as its option ``tools``.
    """

    description: str
    version: Callable[[], str]
    function: str
    options: Mapping[str, Any] = field(default_factory=dict)
    needs: Needs = Needs.PAGE
    preparation: str | None = None
    has_tools: bool = False
    gives: Gives = Gives.TEXT


def _peer(
    description: str,
    distribution: str,
    module: str,
    /,
    gives: Gives = Gives.TEXT,
    **options: Any,
) -> _Method:
    return _Method(
        description,
        partial(library_release, distribution),
        f"{_HERE}.peers.{module}:extract",
        options,
        preparation=f"{_HERE}.peers.{module}:prepare",
        gives=gives,
    )


def _own(
    description: str,
    function: str,
    needs: Needs = Needs.PAGE,
    /,
    *source: str,
    gives: Gives = Gives.TEXT,
    **options: Any,
) -> _Method:
    return _Method(
        description,
        partial(_own_version, *source),
        f"{_HERE}.{function}",
        options,
        needs,
        gives=gives,
    )


def _own_version(*source: str) -> str:
    return f"{own_release()}+{source_digest(*_OWN_SOURCE, *source)}"


def _retained(description: str, reading: str, needs: Needs = Needs.PIVOT) -> _Method:
    return _own(
        f"Deturck 2015, retained heuristic: {description}",
        "papers.deturck.retained:extract",
        needs,
        reading=reading,
    )


def _experiment(description: str, heuristic: str) -> _Method:
    return _own(
        f"Deturck 2015, first experiments: {description}",
        "papers.deturck.first_experiments:extract",
        Needs.PIVOT,
        "worker/distance",
        heuristic=heuristic,
    )


_METHODS: dict[str, _Method] = {
    "detourage": _own(
        "the service's own extraction",
        "ours:detourage",
        Needs.PIVOT,
        gives=Gives.TEXT | Gives.COMMENTS,
    ),
    "deturck_2015": _retained("figures that do best", "chosen"),
    "deturck_2015_thesis": _retained("figures of the thesis", "thesis"),
    "deturck_2015_comparable": _retained("nodes of both pages alone", "comparable"),
    "deturck_2015_characters": _retained("algorithm 6 on characters", "characters"),
    "deturck_2015_pairs": _retained("nearest pages paired", "thesis", Needs.PARTNER),
    "deturck_2015_most_tokens": _experiment("up from the element with most text", "most_tokens"),
    "deturck_2015_most_tokens_down": _experiment("down from it to a leaf", "most_tokens_down"),
    "deturck_2015_differential": _experiment("greatest differential", "differential"),
    "deturck_2015_differential_inner": _experiment(
        "greatest differential, leaves have none", "differential_inner"
    ),
    "deturck_2015_depth": _experiment("differential times depth", "depth"),
    "deturck_2015_depth_inner": _experiment(
        "differential times depth, leaves have none", "depth_inner"
    ),
    "deturck_2015_offset": _experiment("widest gap of offsets", "offset"),
    "deturck_2015_offset_inner": _experiment(
        "widest gap of offsets, leaves have no differential", "offset_inner"
    ),
    "html_killer": _own(
        "HTML Killer of Daureu et al. 2015, plain output",
        "papers.html_killer:extract",
        markup=False,
    ),
    "html_killer_markup": _own(
        "HTML Killer, marked-up output", "papers.html_killer:extract", markup=True
    ),
    "html_killer_script": _own(
        "HTML Killer as its script does it, plain output",
        "papers.html_killer_script:extract",
        markup=False,
    ),
    "html_killer_script_markup": _own(
        "HTML Killer as its script does it, marked-up output",
        "papers.html_killer_script:extract",
        markup=True,
    ),
    "wutsi": _own("Wutsi's extractor, packets of nodes", "papers.wutsi:extract_packet"),
    "wutsi_fusion": _own("Wutsi's extractor to the letter", "papers.wutsi:extract", fusion=True),
    "wutsi_block": _own(
        "Wutsi's extractor, the single block before fusion", "papers.wutsi:extract", fusion=False
    ),
    "commentsminer": _own(
        "CommentsMiner of Subercaze et al. 2016, comments alone",
        "papers.commentsminer.finding:extract",
        gives=Gives.COMMENTS,
    ),
    "nclean": _own("NCleaner of Evert 2008, trained on the pairs given", "papers.nclean:extract"),
    "nct5": _own("NCleaner, five pairs (Lejeune et al. 2015)", "papers.nclean:extract"),
    "nct25": _own(
        "NCleaner, five pairs of each language (Lejeune et al. 2015)", "papers.nclean:extract"
    ),
    "ncleaner": _own("NCleaner, default n-grams", "papers.nclean:extract_shipped", name="ascii"),
    "ncleaner_nonlexical": _own(
        "NCleaner, non-lexical", "papers.nclean:extract_shipped", name="non-lexical"
    ),
    "boilerpipe": _peer("Boilerpipe in Python", "boilerpy3", "boilerpy3"),
    "boilerpipe_java": _Method(
        "Boilerpipe, the original in Java",
        boilerpipe_java.installed_version,
        f"{_HERE}.peers.boilerpipe_java:extract",
        preparation=f"{_HERE}.peers.boilerpipe_java:prepare",
    ),
    "justext": _peer("jusText with stop lists", "jusText", "justext", stop_words=True),
    "justext_nostop": _peer("jusText for any language", "jusText", "justext", stop_words=False),
    "readability": _peer("readability-lxml", "readability-lxml", "readability"),
    "readability_js": _Method(
        "Readability of Mozilla, on Node.js",
        readability_js.installed_version,
        f"{_HERE}.peers.readability_js:extract",
        preparation=f"{_HERE}.peers.readability_js:prepare",
        has_tools=True,
    ),
    "trafilatura": _peer("trafilatura", "trafilatura", "trafilatura"),
    "trafilatura_precision": _peer(
        "trafilatura, precision", "trafilatura", "trafilatura", favor_precision=True
    ),
    "trafilatura_recall": _peer(
        "trafilatura, recall", "trafilatura", "trafilatura", favor_recall=True
    ),
    "trafilatura_comments": _peer(
        "trafilatura, with comments",
        "trafilatura",
        "trafilatura",
        gives=Gives.TEXT | Gives.COMMENTS,
        include_comments=True,
    ),
    "resiliparse": _peer("Resiliparse", "resiliparse", "resiliparse"),
    "newspaper": _peer("newspaper4k", "newspaper4k", "newspaper"),
}


def extractor_names() -> tuple[str, ...]:
    """Names of all methods, whether they can run here or not."""
    return tuple(_METHODS)


def is_peer(name: str) -> bool:
    """Tell a library or program of others from the papers' methods and our own.

    Raises
    ------
    UnknownExtractorError
        If no method has the name.
    """
    return _find(name).function.startswith(f"{_HERE}.peers.")


def describe(name: str) -> str:
    """Return what a method is, on one line.

    Raises
    ------
    UnknownExtractorError
        If no method has the name.
    """
    return _find(name).description


def get_extractor(
    name: str, *, tools: Path | None = None, pairs: Sequence[TrainingPair] = ()
) -> Extractor:
    """Return a method by its name.

    Parameters
    ----------
    name
        One of `extractor_names`.
    tools
        Folder that programs in other languages are installed into; `default_tools` unless
        given.
    pairs
        What the methods of `papers.nclean.TRAINED` are trained on.

    Raises
    ------
    UnknownExtractorError
        If no method has the name.
    UnavailableError
        If a library or program that it needs is not installed, or there are no pairs to
        train it on.
    """
    method = _find(name)
    if name in nclean.TRAINED:
        return nclean.trained(name, pairs)
    options = dict(method.options)
    if method.has_tools:
        options["tools"] = tools or default_tools()
    return Extractor(
        name=name,
        version=method.version(),
        function=method.function,
        options=options,
        needs=method.needs,
        preparation=method.preparation,
        source=source_digest(*READING, "worker/evaluation/methods/peers"),
        gives=method.gives,
    )


def parse_chain(
    expression: str, *, tools: Path | None = None, pairs: Sequence[TrainingPair] = ()
) -> Extractor:
    """Return a method, or a chain of methods written ``first>second``.

    Parameters
    ----------
    expression
        Names parted by ``>``.
    tools, pairs
        As in `get_extractor`.

    Raises
    ------
    UnknownExtractorError
        If no method has one of the names.
    UnavailableError
        If something that one of them needs is missing.
    """
    names = [name.strip() for name in expression.split(">")]
    first, *others = (get_extractor(name, tools=tools, pairs=pairs) for name in names)
    for other in others:
        first = chain(first, other)
    return first


def _find(name: str) -> _Method:
    try:
        return _METHODS[name]
    except KeyError:
        known = ", ".join(_METHODS)
        raise UnknownExtractorError(f"no extractor is named {name!r}; there are {known}") from None
