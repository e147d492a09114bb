"""Train the model of pages: ``python -m benchmarks.extraction.train CORPUS… --model FILE``.

The roles of lines are learnt from three sources: pages whose lines are labelled with roles; gold
texts, whose choice of lines follows a convention of their corpus and kind of page; and required and
forbidden snippets. With ``--folds``, the model is first cross-validated: each site is in a single
fold, so no page is scored by a model that was trained on its site.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from benchmarks.boosting import as_trees, new_classifier
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.scores import PageScores, Prediction, macro_average, score_page
from benchmarks.evaluation.scores.roles import ROLES_FILE, load_roles
from benchmarks.extraction.examples import (
    BARE,
    SAMPLE,
    THREAD,
    Example,
    bare_examples,
    bare_threads,
    comments_said,
    fold_of,
    generated_examples,
    read_examples,
    read_hints,
)
from benchmarks.extraction.folds import FoldModels, write_fold
from benchmarks.extraction.labels import OF_GOLD
from benchmarks.extraction.lessons import UNKNOWN, Lesson, TextLabels
from benchmarks.training.headers import (
    ModelFile,
    Training,
    TrainingCorpus,
    corpus_used,
    training_of,
)
from detourage.inference import BoostedTrees, Features, LineNetwork
from detourage.papers.reading import outline_of
from detourage.reader import TemplateKnowledge, body, sentences
from detourage.reader.article import article_of
from detourage.reader.page_model import PageModel
from detourage.roles import ALL_ROLES, TEXT_ROLES, Kind

KINDS: Final[tuple[Kind, ...]] = (
    *("article", "forum", "product", "listing", "collection", "documentation", "service"),
)
"""Kinds of pages that the model distinguishes."""

OF_ARTICLES: Final = frozenset({"daniel", "fundus_body", "l3s_gn1", "msv_big9"})
"""Corpora that do not record kinds; all of their pages are articles."""

CREDITS: Final = {
    "wcxb": "texts (Web Content Extraction Benchmark 1.0, Murrough Foley, CC BY 4.0)",
}
"""Attributions of corpora whose licences require them, for the header of the model file."""

LOOSE_LENGTH: Final = 30
"""Minimum number of words for a line to have its full weight in a corpus with loose gold texts,
which may or may not include titles, bylines and captions."""

HINTS_WEIGHT: Final = 0.3
"""Total weight of the snippets of a page if at least `FULL_HINTS` of its lines contain one."""

FULL_HINTS: Final = 10

TREES: Final = 360
LEAVES: Final = 24
MIN_LINES_IN_LEAF: Final = 100

WEAK_WEIGHT: Final = 0.3
"""Weight of a role inferred from a gold record, relative to a role assigned by an annotator."""

CHUNK: Final = 20
"""Number of pages that a process scores at a time."""

RARE: Final = 0.5
"""Exponent for the weight of rare roles: if n lines have a role, each of them has the weight n **
-`RARE`."""

_NUMBERS: Final[dict[str | None, int]] = {role: at for at, role in enumerate(ALL_ROLES)}

_Floats = npt.NDArray[np.float64]


def fit_network(learnt: Sequence[Lesson], seed: int) -> LineNetwork:
    """Train the network on all lines and pages."""
    from benchmarks.extraction.networks import train

    return train(learnt, len(KINDS), seed)


def fit_trees(learnt: Sequence[Lesson], seed: int) -> BoostedTrees:
    """Train the trees on the lines that are known to be inside or outside the text.

    For a page whose lines are labelled with roles, the gold text is not used: it may omit leads, or
    include captions.
    """
    known = [
        (each, each.in_text if each.in_text.weights.any() else each.in_gold) for each in learnt
    ]
    features = [each.features.rows[text.weights > 0] for each, text in known]
    is_text = np.concatenate([text.is_text[text.weights > 0] for _, text in known])
    weights = np.concatenate([text.weights[text.weights > 0] for _, text in known])
    classifier = new_classifier(
        trees=TREES, leaves=LEAVES, min_rows_in_leaf=MIN_LINES_IN_LEAF, seed=seed
    )
    classifier.fit(np.concatenate(features), is_text, sample_weight=weights / weights.mean())
    return as_trees(classifier, learnt[0].features.columns)


def lessons(examples: Sequence[Example], loose: Collection[str]) -> Iterator[Lesson]:
    """Yield lessons for each page, alone and compared with another; `loose` is as in `fit_all`."""
    conventions: dict[tuple[str, str], int] = {}
    of_roles = _weights_of_roles(examples)
    for each in examples:
        convention = (each.corpus, each.gold.kind or "article")
        numbers = _numbers_of(each)
        views = _features_of(each)
        for view in views:
            yield Lesson(
                features=view,
                words=each.evidence.words,
                lengths=each.lengths,
                in_gold=_in_gold(each, loose, 1 / len(views)),
                convention=conventions.setdefault(convention, len(conventions)),
                in_text=_in_text(each, numbers, 1 / len(views)),
                roles=numbers,
                role_weights=_role_weights(each, numbers, of_roles) / len(views),
                kind=_kind_of(each),
            )


def _features_of(example: Example) -> list[Features]:
    """Return the features of a page alone and, if there is another page, compared with it."""
    beside = [example.beside] if example.beside is not None else []
    return [example.evidence.features, *beside]


def _in_gold(example: Example, loose: Collection[str], share: float) -> TextLabels:
    roots = np.sqrt(example.lengths.astype(np.float64))
    nothing = np.zeros(len(roots))
    if example.hints is not None:
        is_said = example.hints >= 0
        weights = np.where(is_said, roots, 0.0)
        total = HINTS_WEIGHT * min(1.0, np.count_nonzero(is_said) / FULL_HINTS)
        return TextLabels(example.hints > 0, share * total * weights / max(1.0, weights.sum()))
    if example.shares is None or example.gold.kind == THREAD:
        return TextLabels(nothing > 0, nothing)
    weights = roots / roots.sum()
    if example.corpus in loose:
        weights = weights * np.minimum(1.0, example.lengths / LOOSE_LENGTH)
    if example.unsaid is not None:
        weights = np.where(example.unsaid, 0.0, weights)
    return TextLabels(example.shares > OF_GOLD, share * weights)


def _in_text(example: Example, numbers: npt.NDArray[np.int64], share: float) -> TextLabels:
    is_known = (numbers != UNKNOWN) & (example.roles is not None)
    weights = np.where(is_known, np.sqrt(example.lengths.astype(np.float64)), 0.0)
    is_text = is_known & (numbers < len(TEXT_ROLES))
    return TextLabels(is_text, share * weights / max(1.0, weights.sum()))


def _role_weights(example: Example, numbers: npt.NDArray[np.int64], of_roles: _Floats) -> _Floats:
    is_known = numbers != UNKNOWN
    weights = np.where(is_known, of_roles[numbers], 0.0)
    if example.roles is not None:
        return np.asarray(weights / max(1, np.count_nonzero(is_known)), dtype=np.float64)
    return np.asarray(WEAK_WEIGHT * weights / len(numbers), dtype=np.float64)


def _numbers_of(example: Example) -> npt.NDArray[np.int64]:
    """Return the number of each line's role, preferring a role assigned by an annotator."""
    roles = example.roles if example.roles is not None else example.weak
    if roles is None:
        return np.full(len(example.lengths), UNKNOWN)
    return np.array([_NUMBERS.get(role, UNKNOWN) for role in roles], dtype=np.int64)


def _weights_of_roles(examples: Iterable[Example]) -> _Floats:
    """Return the weight of a line for each role, with a mean of 1 over manually labelled lines."""
    counts = Counter(role for each in examples for role in each.roles or () if role in _NUMBERS)
    numbers = np.array([counts[role] for role in ALL_ROLES])
    weights = np.maximum(1.0, numbers) ** -RARE
    return np.asarray(weights * numbers.sum() / max(1.0, weights @ numbers), dtype=np.float64)


def _kind_of(example: Example) -> int:
    kind = "article" if example.corpus in OF_ARTICLES else example.gold.kind
    return KINDS.index(kind) if kind in KINDS else UNKNOWN


def extract(source: Source, knowledge: TemplateKnowledge | None, model: PageModel) -> str:
    """Return the article's text as extracted by the service with the given model."""
    page = outline_of(source)
    finding = body.find_body(page, body.judge_page(page, knowledge, source.url, model))
    if finding is None:
        finding = sentences.find_body(page)
    if finding is None:
        return ""
    others = knowledge.titles if knowledge is not None else ()
    return article_of(source.url, page, others, finding).text


Scores = dict[str, dict[str, list[PageScores]]]
"""Scores of pages by corpus, and by whether they were extracted ``alone`` or ``beside`` another
page."""


def fit_all(
    examples: Sequence[Example], loose: Collection[str], folds: int, seed: int, processes: int
) -> tuple[list[PageModel], PageModel]:
    """Train one model per fold, without the sites of that fold, and one on all pages.

    Pages are learnt both alone and compared with another page. `loose` are the names of corpora
    with loose gold texts (see `LOOSE_LENGTH`).
    """
    seen = [
        [each for each in examples if fold_of(each.gold.site, folds) != fold]
        for fold in range(folds)
    ]
    # Forking lets the processes share the examples.
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        _SHARED[:] = [*seen, examples]
        places = range(folds + 1)
        networks = [pool.submit(_fit_shared, fit_network, at, loose, seed) for at in places]
        trees = [pool.submit(_fit_shared, fit_trees, at, loose, seed) for at in places]
        *of_folds, model = [
            PageModel(ALL_ROLES, KINDS, network.result(), of_lines.result())
            for network, of_lines in zip(networks, trees, strict=True)
        ]
    return of_folds, model


_SHARED: list[Sequence[Example]] = []

_Fitted = TypeVar("_Fitted", LineNetwork, BoostedTrees)


def _fit_shared(
    fit: Callable[[Sequence[Lesson], int], _Fitted], place: int, loose: Collection[str], seed: int
) -> _Fitted:
    return fit([*lessons(_SHARED[place], loose)], seed)


def cross_validate(
    examples: Sequence[Example], models: Sequence[PageModel], processes: int
) -> Scores:
    """Score pages with gold texts, each with the model that was not trained on its site."""
    scored = [
        each for each in examples if each.shares is not None and each.corpus not in (BARE, SAMPLE)
    ]
    scores: Scores = {}
    # Forking lets the processes share the examples and the models.
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        _SHARED[:], _MODELS[:] = [scored], models
        of_pages = pool.map(_score_shared, range(len(scored)), chunksize=CHUNK)
        for example, of_page in zip(scored, of_pages, strict=True):
            by_name = scores.setdefault(_set_of(example), {"alone": [], "beside": []})
            for name, row in of_page.items():
                by_name[name].append(row)
    return scores


_MODELS: list[PageModel] = []


def _score_shared(place: int) -> dict[str, PageScores]:
    example = _SHARED[0][place]
    gold, model = example.gold, FoldModels(_MODELS).model_for(example.gold.site)
    found = {}
    for name, known in (("alone", None), ("beside", example.knowledge)):
        text = extract(example.page, known, model)
        scored = score_page(Prediction(None, text), gold, example.headline)
        found[name] = PageScores(gold.id, gold.site, gold.language, scored)
    return found


def _set_of(example: Example) -> str:
    return example.corpus if example.is_article else f"{example.corpus}, other kinds"


def to_json(scores: Scores) -> str:
    """Serialise the scores of all pages for `benchmarks.extraction.compare`."""
    return json.dumps(
        {
            corpus: {name: [asdict(row) for row in rows] for name, rows in by_name.items()}
            for corpus, by_name in scores.items()
        }
    )


def table(scores: Scores) -> Iterator[str]:
    """Yield the lines of a table of means by corpus and language."""
    yield "| | pages | ex | eqw | toP | toR | toF |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for corpus, by_name in scores.items():
        for name, rows in by_name.items():
            languages = sorted({row.language for row in rows})
            groups = [(corpus, rows)]
            if len(languages) > 1:
                groups += [
                    (f"{corpus}, {language}", [row for row in rows if row.language == language])
                    for language in languages
                ]
            for title, group in groups:
                means = macro_average(group)
                figures = (
                    f"{means[key]:.1f}" for key in ("exact", "equal", "to_p", "to_r", "to_f")
                )
                yield f"| {title} {name} | {len(group)} | {' | '.join(figures)} |"


def describe(
    folders: Sequence[Path],
    hinting: Sequence[Path],
    labels: Sequence[Path],
    examples: Sequence[Example],
    scores: Scores,
) -> Training:
    """Describe the training by `main`, with the mean F1 of pages compared with another page."""
    corpora = [
        corpus_used(folder, CREDITS.get(folder.name, use), _sites_of(examples, folder.name))
        for folders_of_use, use in ((folders, "texts"), (hinting, "hints"))
        for folder in folders_of_use
    ]
    corpora += [_labels_used(folder, examples) for folder in labels]
    means = {
        f"toF, {corpus}": macro_average(by_name["beside"])["to_f"]
        for corpus, by_name in scores.items()
    }
    how = "cross-validated over sites, beside another page of the template" if means else None
    return training_of(corpora, "benchmarks.extraction.train", means, how, ["torch"])


def _sites_of(examples: Iterable[Example], corpus: str) -> Iterator[tuple[str, str]]:
    return ((each.gold.id, each.gold.site) for each in examples if each.corpus == corpus)


def _labels_used(folder: Path, examples: Iterable[Example]) -> TrainingCorpus:
    labelled = {(page.corpus, page.id) for page in load_roles(folder / ROLES_FILE)}
    sites = [each.gold.site for each in examples if (each.corpus, each.gold.id) in labelled]
    return TrainingCorpus(
        name=folder.name,
        use="roles",
        pages=len(sites),
        sites=len(set(sites)),
        # The pages belong to other corpora.
        pages_digest=None,
        gold_digest=sha256((folder / ROLES_FILE).read_bytes()).hexdigest(),
    )


def read_all(
    folders: Sequence[Path], hinting: Sequence[Path], labels: Sequence[Path]
) -> Iterator[Example]:
    """Read the examples of all corpora; `labels` are the folders of the roles of lines."""
    labelled = [page for folder in labels for page in load_roles(folder / ROLES_FILE)]
    for folder in folders:
        yield from read_examples(folder, {p.id: p for p in labelled if p.corpus == folder.name})
    for folder in hinting:
        yield from read_hints(folder, {p.id: p for p in labelled if p.corpus == folder.name})
    yield from generated_examples()
    said = [text for folder in hinting for text in comments_said(folder)]
    for folder in folders:
        yield from bare_examples(folder, said)
    yield from bare_threads(said)


def main() -> None:
    """Cross-validate and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora with texts")
    parser.add_argument(
        "--hints", nargs="*", type=Path, default=[], help="folders with snippets or comments only"
    )
    parser.add_argument(
        "--roles", nargs="*", type=Path, default=[], help="folders with the roles of lines"
    )
    parser.add_argument(
        "--loose", nargs="*", default=[], help="names of corpora with loose gold texts"
    )
    parser.add_argument("--folds", type=int, default=0, help="number of folds for cross-validation")
    parser.add_argument(
        "--into", type=Path, default=Path("folds"), help="folder for the models of the folds"
    )
    parser.add_argument("--scores", type=Path, help="file for the scores of all pages")
    parser.add_argument("--seed", type=int, default=0, help="seed of all models")
    parser.add_argument("--processes", type=int, default=2, help="number of processes")
    parser.add_argument("--model", type=Path, required=True, help="file to write the model to")
    options = parser.parse_args()
    examples = [*read_all(options.corpora, options.hints, options.roles)]
    of_folds, model = fit_all(
        examples, options.loose, options.folds, options.seed, options.processes
    )
    for fold, of_fold in enumerate(of_folds):
        write_fold(options.into, fold, of_fold)
    scores = cross_validate(examples, of_folds, options.processes) if of_folds else {}
    print("\n".join(table(scores)), flush=True)
    if options.scores:
        options.scores.write_text(to_json(scores), encoding="utf-8")
    training = describe(options.corpora, options.hints, options.roles, examples, scores)
    options.model.write_text(ModelFile(training, model).to_json(), encoding="utf-8")


if __name__ == "__main__":
    main()
