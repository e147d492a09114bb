"""Registry of the methods from papers, by name."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from detourage.article import Article
from detourage.comments import Comment
from detourage.papers.chain import chain
from detourage.papers.interface import (
    Extractor,
    Gives,
    Needs,
    Neighbours,
    Source,
    UnknownExtractorError,
)

# Variants of Deturck's final heuristic: name, description, parameters, and input needed
_RETAINED = (
    ("deturck_2015", "best-scoring parameters", "chosen", Needs.PIVOT),
    ("deturck_2015_thesis", "parameters of the thesis", "thesis", Needs.PIVOT),
    ("deturck_2015_comparable", "only nodes present in both pages", "comparable", Needs.PIVOT),
    ("deturck_2015_characters", "algorithm 6 on characters", "characters", Needs.PIVOT),
    ("deturck_2015_pairs", "nearest pages paired", "thesis", Needs.PARTNER),
)
_FIRST_EXPERIMENTS = {
    "most_tokens": "upwards from the element with the most text",
    "most_tokens_down": "downwards from that element to a leaf",
    "differential": "greatest differential",
    "differential_inner": "greatest differential, 0 for leaves",
    "depth": "differential times depth",
    "depth_inner": "differential times depth, 0 for leaves",
    "offset": "widest gap between offsets",
    "offset_inner": "widest gap between offsets, differential 0 for leaves",
}


def _method(
    name: str,
    description: str,
    function: str,
    /,
    *,
    needs: Needs = Needs.PAGE,
    gives: Gives = Gives.TEXT,
    is_library: bool = False,
    **options: Any,
) -> Extractor:
    function = f"{__package__}.{function}"
    preparation = f"{function.partition(':')[0]}:prepare" if is_library else None
    return Extractor(name, function, options, needs, preparation, description, gives=gives)


def _methods() -> Iterator[Extractor]:
    for name, variant, reading, needs in _RETAINED:
        description = f"Deturck 2015, retained heuristic: {variant}"
        yield _method(name, description, "deturck.retained:extract", needs=needs, reading=reading)
    description = "Deturck 2015, conclusion: element returned most often in the group"
    yield _method("deturck_2015_vote", description, "deturck.voting:extract", needs=Needs.GROUP)
    function = "deturck.first_experiments:extract"
    for heuristic, variant in _FIRST_EXPERIMENTS.items():
        name = f"deturck_2015_{heuristic}"
        description = f"Deturck 2015, first experiments: {variant}"
        yield _method(name, description, function, needs=Needs.PIVOT, heuristic=heuristic)
    for script, script_note in (("", ""), ("_script", ", as in its script")):
        for markup, output in ((False, "plain"), (True, "marked-up")):
            name = f"html_killer{script}{'_markup' if markup else ''}"
            description = f"HTML Killer of Daureu et al. 2015{script_note}, {output} output"
            yield _method(name, description, f"html_killer{script}:extract", markup=markup)
    yield _method("wutsi", "Wutsi's extractor, packets of nodes", "wutsi:extract_packet")
    yield _method("wutsi_fusion", "Wutsi's extractor, verbatim", "wutsi:extract", fusion=True)
    description = "Wutsi's extractor, single block without fusion"
    yield _method("wutsi_block", description, "wutsi:extract", fusion=False)
    description = "CommentsMiner of Subercaze et al. 2016, comments only"
    function = "commentsminer.comment_extraction:extract"
    yield _method("commentsminer", description, function, gives=Gives.COMMENTS)
    description = "NCleaner of Evert 2008, default n-grams"
    yield _method("ncleaner", description, "nclean:extract_shipped", name="ascii")
    description = "NCleaner of Evert 2008, non-lexical"
    yield _method("ncleaner_nonlexical", description, "nclean:extract_shipped", name="non-lexical")
    yield _method("boilerpipe", "Boilerpipe in Python", "boilerpipe:extract", is_library=True)
    for name, description, stop_words in (
        ("justext", "jusText with stop lists", True),
        ("justext_nostop", "jusText without stop lists", False),
    ):
        yield _method(name, description, "justext:extract", is_library=True, stop_words=stop_words)


METHODS: Final[Mapping[str, Extractor]] = {each.name: each for each in _methods()}
"""Methods that need no training, by name."""


def get_method(expression: str) -> Extractor:
    """Return a method, or a chain of methods written ``first>second``."""
    try:
        first, *others = (METHODS[name.strip()] for name in expression.split(">"))
    except KeyError as error:
        names = ", ".join(METHODS)
        raise UnknownExtractorError(f"unknown method {error}; choose one of {names}") from None
    for other in others:
        first = chain(first, other)
    return first


def read_by(method: str, page: Source, pivot: Source | None = None) -> Article:
    """Read a page with a method or a chain of methods (see `get_method`)."""
    found = get_method(method).extract(page, Neighbours(pivot, partner=pivot))
    return Article(
        title=found.title,
        text=found.text,
        blocks=found.blocks,
        images=(),
        embeds=(),
        language=None,
        method=method,
        xpath="",
        # The papers' methods do not estimate confidence.
        confidence=0.0,
        comments=tuple(
            Comment(each.text, author=each.author, written_date=each.date, parent=each.parent)
            for each in found.comments
        ),
    )
