"""Training examples for the model of roles: pages with labelled lines or with known texts."""

from base64 import b64decode
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.evaluation.bench.measuring import even_sample, measurable
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.scores import CorpusPage, Gold, headline_of, load_corpus
from benchmarks.evaluation.scores.roles import ROLES_FILE, LabelledPage, align, load_roles
from benchmarks.extraction.examples import ARTICLES
from benchmarks.extraction.first_pass import FirstPass
from benchmarks.extraction.labels import OF_GOLD, lines_of_lead, shares_in_gold
from benchmarks.extraction.roles.weak import KnownLines, weak_roles
from models.roles import TEXT_ROLES, LineRole
from worker.article.classification import judge_lines
from worker.article.hashed_words import HashedWords
from worker.article.lines import lines_of
from worker.article.outline import Outline
from worker.article.roles.evidence import gather, near_article
from worker.html import PageError
from worker.inference import Features
from worker.papers.reading import outline_of
from worker.sample.crawl import generate

GENERATED_SEED = 7
GENERATED_PAGES = 3
"""Number of generated pages per template, and their seed, which differs from the sample crawl's."""


@dataclass(frozen=True, eq=False)
class MeasuredPage:
    """A page with the features of its lines.

    `features` has a row for each line used, and `lengths` its number of words. `keep` is the
    probability that the line belongs to the article, from a classifier of the first pass that has
    not seen the site. `near` marks the lines near the article; the service ignores all others.
    `places` are the indices of the lines among all lines of the page, and `words` are the words of
    the lines and of the elements around them.
    """

    corpus: str
    page: str
    site: str
    texts: Sequence[str]
    features: Features
    lengths: npt.NDArray[np.float64]
    keep: npt.NDArray[np.float64]
    near: npt.NDArray[np.bool_]
    places: npt.NDArray[np.int64]
    words: HashedWords

    def near_lines(self) -> tuple[Features, HashedWords]:
        """Return the features and words of the lines near the article, which the service uses."""
        places = np.flatnonzero(self.near)
        rows = Features(self.features.columns, self.features.rows[places])
        return rows, self.words.chosen(places)


@dataclass(frozen=True, eq=False)
class RoleExample:
    """A page whose lines have roles (None for lines without a label).

    `labelled` is the number of labelled lines, including those not found on the page.
    """

    measured: MeasuredPage
    roles: Sequence[str | None]
    labelled: int


@dataclass(frozen=True, eq=False)
class TextExample:
    """A page whose text is known.

    `is_text` marks the lines of the text, according to the gold text or, if known, their roles.
    `roles` are the roles inferred from the gold record (see `benchmarks.extraction.roles.weak`), or
    None.
    """

    measured: MeasuredPage
    is_text: npt.NDArray[np.bool_]
    roles: Sequence[LineRole | None]


class LabelledSource(NamedTuple):
    """An unread page whose lines have roles."""

    labelled: LabelledPage
    gold: Gold
    source: Source


def labelled_pages(corpora: Path) -> Iterator[LabelledSource]:
    """Yield the pages whose lines have roles, taken from their corpora."""
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
    """Read the pages whose lines have roles, except in corpora that the first pass has seen.

    `corpora` is the folder that contains the folder ``roles`` and the corpora of its pages.
    """
    for labelled, gold, source in labelled_pages(corpora):
        if labelled.corpus in first.seen:
            continue
        measured, _ = measure_page(labelled.corpus, source, gold, first, whole=True)
        yield RoleExample(measured, align(labelled, measured.texts), len(labelled.texts))


def read_text_examples(
    folder: Path, first: FirstPass, sample: int | None = None
) -> Iterator[TextExample]:
    """Read the pages of a corpus whose gold texts contain only the body.

    `sample` is the number of evenly spaced pages, or None for all.
    """
    corpus = load_corpus(folder)
    golds = [gold for gold in measurable(corpus) if gold.text and gold.kind in ARTICLES]
    for gold in even_sample(golds, sample):
        source = source_of(corpus.pages[gold.id])
        try:
            measured, outline = measure_page(corpus.name, source, gold, first, whole=True)
        except PageError:
            continue
        if measured.texts:
            yield text_example(measured, known_lines(measured, outline, gold))


def generated_examples(first: FirstPass) -> Iterator[TextExample]:
    """Generate pages of the sample crawl's sites with different stories and layouts."""
    for page in generate(seed=GENERATED_SEED, pages_per_template=GENERATED_PAGES):
        told, message = page.gold, page.message
        if told["kind"] != "article":
            continue
        gold = Gold(told["id"], told["site"], told["language"], told["text"], title_in_text=False)
        gold = replace(gold, title=told["title"], authors=tuple(told["authors"]), lead=told["lead"])
        html = message["html"] if "html" in message else b64decode(message["html_base64"])
        source = Source(html, message["url"], message.get("content_type"))
        captions = [image["caption"] for image in told["images"] if image["caption"]]
        measured, outline = measure_page("sample", source, gold, first, whole=True)
        yield text_example(measured, known_lines(measured, outline, gold, captions))


def known_lines(
    measured: MeasuredPage, outline: Outline, gold: Gold, captions: Sequence[str] = ()
) -> KnownLines:
    """Return the lines of a page with what is known about them from its gold record."""
    lines = lines_of(outline)
    return KnownLines(
        [line.tokens for line in lines],
        measured.features,
        [outline.tags[line.block] for line in lines],
        shares_in_gold(measured.texts, gold, headline_of(gold, outline.elements[0])),
        lines_of_lead(measured.texts, gold),
        gold.title or "",
        gold.authors or (),
        captions,
    )


def text_example(measured: MeasuredPage, known: KnownLines) -> TextExample:
    """Return a page with a known text, whose lines have the inferred roles."""
    roles = weak_roles(known)
    is_text = known.shares > OF_GOLD
    for place, role in enumerate(roles):
        if role is not None:
            is_text[place] = role in TEXT_ROLES
    return TextExample(measured, is_text, roles)


def source_of(page: CorpusPage) -> Source:
    """Convert a page of a corpus to the input of methods."""
    return Source(page.html, page.url, page.content_type)


def measure_page(
    corpus: str, source: Source, gold: Gold, first: FirstPass, *, whole: bool
) -> tuple[MeasuredPage, Outline]:
    """Compute the features of a page's lines; return them with the page's outline.

    With `whole`, all lines are included, not only those near the article.
    """
    outline = outline_of(source)
    judged = judge_lines(outline, None, source.url, first.model_for(gold.site))
    stretch = gather(outline, judged, whole=whole)
    lines = [judged.evidence.lines[place] for place in stretch.places.tolist()]
    measured = MeasuredPage(
        corpus,
        gold.id,
        gold.site,
        [line.text for line in lines],
        stretch.features,
        np.array([len(line.tokens) for line in lines], dtype=np.float64),
        judged.probabilities[stretch.places],
        near_article(judged.probabilities)[stretch.places],
        stretch.places,
        stretch.words,
    )
    return measured, outline
