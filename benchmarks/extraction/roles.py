"""Score the roles of lines, and which lines are in the text.

python -m benchmarks.extraction.roles CORPORA --models FOLDER
python -m benchmarks.extraction.roles CORPORA --methods detourage,trafilatura

CORPORA is the folder that contains ``roles`` and the corpora of its pages. Each page is read
without other pages, by the model in FOLDER that was not trained on its site (see
`benchmarks.extraction.folds`). ``--methods`` scores the texts of methods instead.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.evaluation.methods import Job, Runner, Source
from benchmarks.evaluation.scores import Gold, load_corpus
from benchmarks.evaluation.scores.roles import (
    ROLES_FILE,
    LabelledPage,
    RoleScores,
    align,
    are_lines_in,
    load_roles,
)
from benchmarks.extraction.folds import FoldModels
from detourage.html import PageError
from detourage.papers.conversion import outline_of
from detourage.reader.body import choose_lines, judge_page
from detourage.reader.lines import lines_of

SCORED_ROLES = ("title", "lead", "byline", "dateline", "caption", "related", "promo")
"""Roles whose mean F1 is printed."""


class LabelledSource(NamedTuple):
    """A page whose lines are labelled with roles, with its unparsed source."""

    labelled: LabelledPage
    gold: Gold
    source: Source


def labelled_pages(corpora: Path) -> Iterator[LabelledSource]:
    """Yield the pages whose lines are labelled with roles, taken from their corpora."""
    by_corpus: dict[str, list[LabelledPage]] = defaultdict(list)
    for labelled in load_roles(corpora / "roles" / ROLES_FILE):
        by_corpus[labelled.corpus].append(labelled)
    for name, pages in by_corpus.items():
        corpus = load_corpus(corpora / name)
        for labelled in pages:
            page = corpus.pages[labelled.id]
            source = Source(page.html, page.url, page.content_type)
            yield LabelledSource(labelled, corpus.golds[labelled.id], source)


def score_models(pages: Iterable[LabelledSource], models: FoldModels) -> dict[str, RoleScores]:
    """Score the lines chosen by models not trained on the pages' sites, by kind of page."""
    scores: dict[str, RoleScores] = defaultdict(RoleScores)
    for labelled, gold, source in pages:
        try:
            outline = outline_of(source)
        except PageError:
            continue
        judgement = judge_page(outline, None, source.url, models.model_for(gold.site))
        lines = judgement.lines
        lengths = np.array([line.words for line in lines], dtype=np.float64)
        in_text, _ = choose_lines(judgement.probabilities, lengths)
        assigned = [
            judgement.roles[place] for place in judgement.role_probabilities.argmax(axis=1).tolist()
        ]
        roles = align(labelled, [line.text for line in lines])
        scores["articles" if labelled.kind == "article" else "other kinds"].add(
            roles, in_text, assigned
        )
    return scores


def score_method(corpora: Path, method: str) -> RoleScores:
    """Score the texts of a method on articles; failures count as empty texts."""
    scores = RoleScores()
    pages = [page for page in labelled_pages(corpora) if page.labelled.kind == "article"]
    texts = [""] * len(pages)
    for result in Runner().run(method, [Job(page.source) for page in pages]):
        extracted = result.outcome.extracted
        texts[result.index] = extracted.text if extracted is not None else ""
    for page, text in zip(pages, texts, strict=True):
        lines = [line.text for line in lines_of(outline_of(page.source))]
        scores.add(align(page.labelled, lines), are_lines_in(text, lines))
    return scores


def summary_row(title: str, scores: RoleScores) -> str:
    """Return a row with the shares of pages exactly and nearly right, and the F1 of roles."""
    f1 = f"{scores.mean_f1(SCORED_ROLES):.1f}" if scores.found else "-"
    return f"| {title} | {scores.pages} | {scores.exact:.1f} | {scores.nearly_exact:.1f} | {f1} |"


def role_table(scores: RoleScores) -> Iterator[str]:
    """Yield the rows of a table of roles."""
    yield "| role | lines | in the text | precision | recall | F1 |"
    yield "|---|---:|---:|---:|---:|---:|"
    for role, count in scores.lines.most_common():
        figures = ["-"] * 3
        if scores.found:
            prf = scores.prf(role)
            figures = [f"{value:.1f}" for value in (prf.precision, prf.recall, prf.f1)]
        kept = f"{scores.share_kept(role):.1f}"
        yield f"| {role} | {count} | {kept} | {' | '.join(figures)} |"


def main() -> None:
    """Print the exactness of the texts, and the scores of each role."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument("--models", type=Path, help="folder with the models of the folds")
    parser.add_argument("--methods", default="", help="names of methods to score")
    options = parser.parse_args()
    scores_by_name: dict[str, RoleScores] = {}
    if options.models is not None:
        scores_by_name |= score_models(
            labelled_pages(options.corpora), FoldModels.of(options.models)
        )
    for name in filter(None, options.methods.split(",")):
        scores_by_name[name] = score_method(options.corpora, name)
    print("| | pages | exactly right, % | at most one line wrong, % | mean F1 |")
    print("|---|---:|---:|---:|---:|")
    print("\n".join(summary_row(name, scores) for name, scores in scores_by_name.items()))
    for name, scores in scores_by_name.items():
        print(f"\n{name}:\n")
        print("\n".join(role_table(scores)))


if __name__ == "__main__":
    main()
