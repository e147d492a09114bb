"""What the vote of a group changes in the texts of the service.

python -m benchmarks.extraction.groups_in_service CORPUS… --first-pass FOLDER --second-pass FOLDER

`benchmarks.extraction.groups` chooses lines by the first pass alone. Here the whole service reads
each page of a group of five and more beside its representative, by models that have not seen its
site, and what the group says is added to the log odds of the first pass, or of both.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.evaluation.bench.measuring import measurable
from benchmarks.evaluation.methods.ours import knowledge_of
from benchmarks.evaluation.scores import load_corpus, paired_difference
from benchmarks.extraction.bags import compare_bags
from benchmarks.extraction.first_pass import FirstPass
from benchmarks.extraction.groups import (
    Floats,
    GroupedPage,
    pooled,
    read_pages,
    said_by_group,
)
from benchmarks.extraction.roles.second_pass import SecondPass
from benchmarks.extraction.today import Models
from worker.extraction import NoArticleError, TemplateKnowledge, article, extract_article
from worker.extraction.classification import JudgedLines, judge_lines
from worker.extraction.outline import Outline
from worker.extraction.roles import choosing
from worker.extraction.roles.evidence import Stretch, gather
from worker.extraction.roles.model import LEAST, JudgedRoles
from worker.learning import likelihoods
from worker.papers.reading import page_of

FEWEST = 4
"""Other pages of a group from which on it has a vote."""

NOTICED = 0.002
"""Difference of F1 from which on a page is better or worse."""


class Vote(NamedTuple):
    """How a group is heard.

    Attributes
    ----------
    vote, down
        As of `said_by_group`.
    in_both
        Whether in the second pass, too.
    """

    vote: float
    down: float
    in_both: bool


VOTES = {
    "vote at 0.3, in the first pass": Vote(0.3, 0.0, False),
    "vote at 0.3, repeated by 1, in the first pass": Vote(0.3, 1.0, False),
    "vote at 0.3, in both": Vote(0.3, 0.0, True),
    "repeated texts down by 1, in both": Vote(0.0, 1.0, True),
    "vote at 0.3, repeated by 1, in both": Vote(0.3, 1.0, True),
}


class Read(NamedTuple):
    """A page as the service reads it: its corpus and site, and F1 and text for each way."""

    corpus: str
    site: str
    f1: Mapping[str, float]
    texts: Mapping[str, str]


@contextmanager
def heard(said: Floats, *, in_both: bool) -> Iterator[None]:
    """Add to the log odds of a page's lines what the group says of them.

    A document that the page holds, and that is read instead, has other lines: of these it says
    nothing.
    """
    places = np.empty(0, dtype=np.int64)
    text_probabilities = JudgedRoles.text_probabilities

    def judge(page: Outline, known: TemplateKnowledge | None = None, url: str = "") -> JudgedLines:
        judged = judge_lines(page, known, url)
        if len(judged.evidence.lines) != len(said):
            return judged
        return JudgedLines(judged.evidence, tuple(odds + said for odds in judged.log_odds))

    def gather_and_note(page: Outline, judged: JudgedLines, url: str = "") -> Stretch:
        nonlocal places
        stretch = gather(page, judged, url)
        is_same = len(judged.evidence.lines) == len(said)
        places = stretch.places if is_same else np.empty(0, dtype=np.int64)
        return stretch

    def with_said(self: JudgedRoles, roles: Any) -> Floats:
        probabilities = text_probabilities(self, roles)
        if len(places) != len(probabilities):
            return probabilities
        inside = np.clip(probabilities, LEAST, 1 - LEAST)
        return likelihoods(np.log(inside / (1 - inside)) + said[places])

    with ExitStack() as stack:
        stack.enter_context(patch.object(article, "judge_lines", judge))
        if in_both:
            stack.enter_context(patch.object(choosing, "gather", gather_and_note))
            stack.enter_context(patch.object(JudgedRoles, "text_probabilities", with_said))
        yield


def text_of(page: GroupedPage) -> str:
    """Return the article's text, empty where there is none."""
    try:
        known = knowledge_of(page.pivot) if page.pivot is not None else None
        return extract_article(page_of(page.source), known).text
    except NoArticleError:
        return ""


def read_corpus(folder: Path, models: Models) -> Iterator[Read]:
    """Read the pages of a corpus that have a group and a gold text."""
    corpus = load_corpus(folder)
    known: Mapping[tuple[str, str], GroupedPage] = dict(read_pages(folder, models.first))
    for gold in measurable(corpus):
        fetched = corpus.pages[gold.id]
        page = known.get((fetched.site, fetched.url))
        if page is None or not gold.text or len(page.others) < FEWEST:
            continue
        pool = pooled(page, known)
        with models.on_site(page.site):
            texts = {"": text_of(page)}
            for name, how in VOTES.items():
                with heard(said_by_group(pool, how.vote, how.down), in_both=how.in_both):
                    texts[name] = text_of(page)
        f1 = {name: compare_bags(text, gold.text).f1 for name, text in texts.items()}
        yield Read(corpus.name, page.site, f1, texts)


def table(pages: Sequence[Read]) -> Iterator[str]:
    """Yield the lines of the table: each way to hear the group, in all and by corpus."""
    corpora = [*dict.fromkeys(page.corpus for page in pages)]
    counts = [sum(page.corpus == name for page in pages) for name in corpora]
    heads = [f"{name} ({number})" for name, number in zip(corpora, counts, strict=True)]
    heads = [f"all ({len(pages)})", "changed", "better", "worse", *heads]
    yield f"| F1, less without | {' | '.join(heads)} |"
    yield f"|---|{'---:|' * len(heads)}"
    for name in VOTES:
        changed = np.mean([page.texts[name] != page.texts[""] for page in pages])
        gains = np.array([page.f1[name] - page.f1[""] for page in pages])
        cells = [f"{100 * changed:.0f} %", f"{(gains > NOTICED).sum()}"]
        cells += [f"{(gains < -NOTICED).sum()}"]
        cells += [_less(name, [page for page in pages if page.corpus == each]) for each in corpora]
        yield f"| {name} | {_less(name, pages)} | {' | '.join(cells)} |"


def _less(name: str, pages: Sequence[Read]) -> str:
    sites = {str(place): page.site for place, page in enumerate(pages)}
    new, old = (
        {str(place): page.f1[way] for place, page in enumerate(pages)} for way in (name, "")
    )
    less = paired_difference(new, old, sites)
    return f"{100 * less.mean:+.2f} ({100 * less.low:+.2f} to {100 * less.high:+.2f})"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora")
    parser.add_argument("--first-pass", type=Path, required=True, help="classifiers of the folds")
    parser.add_argument("--second-pass", type=Path, required=True, help="models of roles, too")
    options = parser.parse_args()
    models = Models(FirstPass.of(options.first_pass), SecondPass.of(options.second_pass))
    pages = [page for folder in options.corpora for page in read_corpus(folder, models)]
    print("\n".join(table(pages)))


if __name__ == "__main__":
    main()
