"""Pages whose lines have roles, and pages of which the text is known, measured for training."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.extraction.examples import ARTICLES
from benchmarks.extraction.first_pass import FirstPass
from benchmarks.extraction.labels import shares_in_gold
from worker.evaluation.bench.measuring import even_sample, measurable
from worker.evaluation.methods import Source
from worker.evaluation.methods.reading import outline_of
from worker.evaluation.scores import CorpusPage, Gold, headline_of, load_corpus
from worker.evaluation.scores.roles import ROLES_FILE, LabelledPage, align, load_roles
from worker.extraction.classification import judge_lines
from worker.extraction.lines import lines_of
from worker.extraction.outline import Outline
from worker.extraction.roles.evidence import gather, near_article
from worker.learning import Features
from worker.pages import PageError


@dataclass(frozen=True, eq=False)
class MeasuredPage:
    """A page whose lines are measured for the model of roles.

    Attributes
    ----------
    corpus, page, site
        The page and its site.
    texts
        The lines that were measured.
    features
        A row for each of them.
    lengths
        Words of each.
    keep
        For each the probability that it is the article's, by a classifier of the first pass that
        has not seen the site.
    near
        For each whether it is near the article: others are not looked at by the service.
    start
        Place of the first of them among all lines of the page.
    """

    corpus: str
    page: str
    site: str
    texts: Sequence[str]
    features: Features
    lengths: npt.NDArray[np.float64]
    keep: npt.NDArray[np.float64]
    near: npt.NDArray[np.bool_]
    start: int


@dataclass(frozen=True, eq=False)
class RoleExample:
    """A page whose lines have roles.

    Attributes
    ----------
    measured
        All lines of the page.
    roles
        The role of each, None where nobody said.
    labelled
        Number of the labelled lines, with those that no line of the page was found for.
    """

    measured: MeasuredPage
    roles: Sequence[str | None]
    labelled: int


@dataclass(frozen=True, eq=False)
class TextExample:
    """A page of which the article's body is known.

    Attributes
    ----------
    measured
        The lines near the article.
    shares
        Share of each line's words in the gold text.
    """

    measured: MeasuredPage
    shares: npt.NDArray[np.float64]


class LabelledSource(NamedTuple):
    """A page whose lines have roles, before it is read.

    Attributes
    ----------
    labelled
        The roles of its lines.
    gold, source
        What else people said of it, and the page.
    """

    labelled: LabelledPage
    gold: Gold
    source: Source


def labelled_pages(corpora: Path) -> Iterator[LabelledSource]:
    """Yield the pages whose lines have roles, out of the corpora that they are in."""
    by_corpus: dict[str, list[LabelledPage]] = defaultdict(list)
    for labelled in load_roles(corpora / "roles" / ROLES_FILE):
        by_corpus[labelled.corpus].append(labelled)
    for name, pages in by_corpus.items():
        corpus = load_corpus(corpora / name)
        for labelled in pages:
            yield LabelledSource(
                labelled, corpus.golds[labelled.id], source_of(corpus.pages[labelled.id])
            )


def read_role_examples(corpora: Path, first: FirstPass) -> Iterator[RoleExample]:
    """Read the pages whose lines have roles.

    Parameters
    ----------
    corpora
        The folder that holds the folder ``roles`` and the corpora of its pages.
    first
        The first pass. Pages of corpora that it has seen are left out.
    """
    for labelled, gold, source in labelled_pages(corpora):
        if labelled.corpus in first.seen:
            continue
        measured, _ = measure_page(labelled.corpus, source, gold, first, whole=True)
        yield RoleExample(measured, align(labelled, measured.texts), len(labelled.texts))


def read_text_examples(
    folder: Path, first: FirstPass, sample: int | None = None
) -> Iterator[TextExample]:
    """Read the pages of a corpus whose golds are the body alone.

    Parameters
    ----------
    folder
        Folder of the corpus.
    first
        The first pass.
    sample
        So many pages, at even strides; None for all.
    """
    corpus = load_corpus(folder)
    golds = [gold for gold in measurable(corpus) if gold.text and gold.kind in ARTICLES]
    for gold in even_sample(golds, sample):
        source = source_of(corpus.pages[gold.id])
        try:
            measured, outline = measure_page(corpus.name, source, gold, first, whole=False)
        except PageError:
            continue
        if measured.texts:
            # All of the page is matched, as words of the text may stand outside the stretch.
            lines = lines_of(outline)
            headline = headline_of(gold, outline.elements[0])
            shares = shares_in_gold([line.text for line in lines], gold, headline)
            yield TextExample(
                measured, shares[measured.start : measured.start + len(measured.texts)]
            )


def source_of(page: CorpusPage) -> Source:
    """Return a page of a corpus as methods read it."""
    return Source(page.html, page.url, page.content_type)


def measure_page(
    corpus: str, source: Source, gold: Gold, first: FirstPass, *, whole: bool
) -> tuple[MeasuredPage, Outline]:
    """Measure the lines of a page, and return it with its outline.

    Parameters
    ----------
    corpus, source, gold
        The page and what people said of it.
    first
        The first pass.
    whole
        Whether to measure all lines, and not only those near the article.
    """
    outline = outline_of(source)
    judged = judge_lines(outline, None, source.url, first.model_for(gold.site))
    stretch = gather(outline, judged, source.url, whole=whole)
    start, end = near_article(judged.probabilities)
    lines = judged.evidence.lines[stretch.start : stretch.end]
    places = np.arange(stretch.start, stretch.end)
    measured = MeasuredPage(
        corpus,
        gold.id,
        gold.site,
        [line.text for line in lines],
        stretch.features,
        np.array([len(line.tokens) for line in lines], dtype=np.float64),
        judged.probabilities[stretch.start : stretch.end],
        (places >= start) & (places < end),
        stretch.start,
    )
    return measured, outline
