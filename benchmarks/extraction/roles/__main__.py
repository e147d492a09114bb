"""Evaluate the roles of lines and train their model.

python -m benchmarks.extraction.roles CORPORA [--first-pass FOLDER] [--texts wcxb …]
    [--into FOLDER] [--model FILE]
python -m benchmarks.extraction.roles CORPORA --methods detourage,trafilatura

CORPORA is the folder that contains ``roles`` and the corpora of its pages. The model is
cross-validated: no page is scored by a model of either pass that has seen its site. The first pass
uses the models written to FOLDER by `benchmarks.extraction.train` or, by default, the shipped
model; in the latter case, the pages on which the shipped model was trained are left out.
``--methods`` scores the texts of methods instead, without comparing pages.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.evaluation.methods import Job, Runner
from benchmarks.evaluation.scores.roles import ROLES_FILE, RoleScores, align, lines_in
from benchmarks.extraction.first_pass import FirstPass
from benchmarks.extraction.roles.examples import RoleExample, TextExample, labelled_pages
from benchmarks.extraction.roles.second_pass import SecondPass
from benchmarks.extraction.roles.training import Recipe, fit, fit_outside, read_examples
from benchmarks.training.headers import corpus_used, training_of
from models.roles import TEXT_ROLES
from worker.article.classification import choose_lines
from worker.article.lines import lines_of
from worker.article.roles.model import RoleModel
from worker.inference import ModelFile, TrainingCorpus
from worker.papers.reading import outline_of

SCORED_ROLES = ("title", "lead", "byline", "dateline", "caption", "related", "promo")
"""Roles whose mean F1 is printed."""

_Booleans = npt.NDArray[np.bool_]


def text_lines(example: RoleExample, model: RoleModel) -> tuple[_Booleans, list[str]]:
    """Return which lines the service would accept as text, and the role of each line."""
    page = example.measured
    judged = model.judge(*page.near_lines())
    is_text = np.zeros(len(page.lengths))
    is_text[page.near] = judged.text_probabilities(TEXT_ROLES)
    chosen, _ = choose_lines(is_text, page.lengths)
    # The service ignores lines far from the article, and the network is not trained on them.
    trees = replace(model, network=None).judge(page.features, page.words)
    names, probabilities = trees.role_probabilities()
    _, probabilities[page.near] = judged.role_probabilities()
    return chosen, [names[place] for place in probabilities.argmax(axis=1).tolist()]


def cross_validate(roles: Sequence[RoleExample], second: SecondPass) -> RoleScores:
    """Score pages whose sites the model has not seen."""
    scores = RoleScores()
    for example in roles:
        scores.add(example.roles, *text_lines(example, second.model_for(example.measured.site)))
    return scores


def first_pass_alone(roles: Iterable[RoleExample]) -> RoleScores:
    """Score the lines selected by the first pass, without headlines, as in the service."""
    scores = RoleScores()
    for example in roles:
        chosen, _ = choose_lines(example.measured.keep, example.measured.lengths)
        is_title = np.array([role == "title" for role in example.roles])
        scores.add(example.roles, chosen & ~is_title)
    return scores


def method_scores(corpora: Path, method: str) -> RoleScores:
    """Score the texts of a method; failures count as empty texts."""
    scores = RoleScores()
    pages = list(labelled_pages(corpora))
    texts = [""] * len(pages)
    for result in Runner().run(method, [Job(page.source) for page in pages]):
        extracted = result.outcome.extracted
        texts[result.index] = extracted.text if extracted is not None else ""
    for page, text in zip(pages, texts, strict=True):
        lines = [line.text for line in lines_of(outline_of(page.source))]
        scores.add(align(page.labelled, lines), lines_in(text, lines))
    return scores


def summary(title: str, scores: RoleScores) -> str:
    """Return a row with the share of exactly correct pages and the mean F1 of roles."""
    f1 = f"{scores.mean_f1(SCORED_ROLES):.1f}" if scores.found else "-"
    return f"| {title} | {scores.pages} | {scores.exact:.1f} | {f1} |"


def by_role(scores: RoleScores) -> Iterator[str]:
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
    """Evaluate and, if requested, train the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument("--first-pass", type=Path, help="folder of classifiers")
    parser.add_argument(
        "--texts",
        nargs="*",
        default=[],
        help="names of corpora whose gold texts contain only the body",
    )
    parser.add_argument("--sample", type=int, help="maximum number of pages per corpus of texts")
    parser.add_argument("--folds", type=int, default=5, help="number of folds for cross-validation")
    parser.add_argument("--methods", default="", help="names of methods to score")
    parser.add_argument("--into", type=Path, help="folder for the models of the folds")
    parser.add_argument("--model", type=Path, help="file to write the model to")
    options = parser.parse_args()
    print("| | pages | exactly right, % | mean F1 |\n|---|---:|---:|---:|")
    for name in filter(None, options.methods.split(",")):
        scores = method_scores(options.corpora, name)
        print(summary(name, scores))
        print("\n".join(by_role(scores)), flush=True)
    if options.methods:
        return
    first = FirstPass.of(options.first_pass)
    roles, texts = read_examples(options.corpora, options.texts, first, options.sample)
    found = sum(role is not None for example in roles for role in example.roles)
    labelled = sum(example.labelled for example in roles)
    print(summary("first pass alone", first_pass_alone(roles)), flush=True)
    second = SecondPass(
        [fit_outside(fold, options.folds, roles, texts, Recipe()) for fold in range(options.folds)]
    )
    if options.into:
        second.write(options.into)
    scores = cross_validate(roles, second)
    print(summary("with roles", scores))
    print(f"\n{found} of {labelled} labelled lines found in the pages.\n")
    print("\n".join(by_role(scores)), flush=True)
    if options.model:
        used = [_used(options.corpora / "roles", "roles", roles)]
        used += [_used(options.corpora / name, "texts", texts) for name in options.texts]
        figures = {
            "pages exactly right": scores.exact,
            "mean F1 of roles": scores.mean_f1(SCORED_ROLES),
        }
        how = "cross-validated over sites, each page alone"
        training = training_of(used, "benchmarks.extraction.roles", figures, how, ["torch"])
        written = ModelFile(training, fit(roles, texts, Recipe())).to_json()
        options.model.write_text(written, encoding="utf-8")


def _used(folder: Path, use: str, examples: Iterable[RoleExample | TextExample]) -> TrainingCorpus:
    sites = {
        each.measured.page: each.measured.site
        for each in examples
        if use == "roles" or each.measured.corpus == folder.name
    }
    if use == "texts":
        return corpus_used(folder, use, sites.items())
    # Its pages belong to other corpora.
    digest = sha256((folder / ROLES_FILE).read_bytes()).hexdigest()
    return TrainingCorpus(
        name=folder.name,
        use=use,
        pages=len(sites),
        sites=len(set(sites.values())),
        pages_digest=None,
        gold_digest=digest,
    )


if __name__ == "__main__":
    main()
