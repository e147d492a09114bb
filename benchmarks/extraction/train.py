"""Train the model of pages: ``python -m benchmarks.extraction.train CORPORA --model FILE``.

The roles of lines are learnt from pages whose lines are labelled, from gold texts, from required
and forbidden snippets, and from a teacher, by default the shipped model. Each corpus and kind of
page has its own convention for the lines that gold texts include. Training has two stages: the
second starts from the result of the first, uses less dropout, and sees labelled pages twice. A
tenth of the sites is left out for the report. Needs JAX and optax; half an hour on two cores.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax

from benchmarks.evaluation.scores.roles import ROLES_FILE, LabelledPage, load_roles
from benchmarks.extraction.examples import Example, ExampleReader, comment_texts_of
from benchmarks.extraction.folds import LEFT_OUT, fold_of, model_path
from benchmarks.extraction.labels import MIN_SHARE_IN_GOLD, UNKNOWN
from benchmarks.extraction.model_file import model_file
from benchmarks.extraction.network import Arrays, Noise, Pieces, Shape, initial_parameters, judge
from benchmarks.training.headers import Training, corpus_used, describe_training
from detourage import core
from detourage.reader.body import choose_lines
from detourage.reader.page_model import PageModel, softmax, trained_model
from detourage.roles import ALL_ROLES, TEXT_ROLES, Kind

CORPORA: Final = (
    *("wcxb", "fundus_body", "trafilatura_eval", "daniel", "msv_big9", "l3s_gn1", "dragnet"),
    *("zh_cwced", "cleaneval_dev", "cleanportaleval", "postlight"),
    *("reader_comments", "forum_threads"),
)
KINDS: Final[tuple[Kind, ...]] = (
    *("article", "forum", "product", "listing", "collection", "documentation", "service"),
)
"""Kinds of pages that the model distinguishes."""

ARTICLE_CORPORA: Final = frozenset({"daniel", "fundus_body", "l3s_gn1", "msv_big9"})
"""Corpora that do not record kinds; all of their pages are articles."""

LOOSE_CORPORA: Final = frozenset({"dragnet"})
"""Corpora whose gold texts may or may not include titles, bylines and captions."""

LOOSE_FULL_WORDS: Final = 30
"""Minimum number of words for a line of these corpora to have its full weight."""

MAX_HINTS_WEIGHT, FULL_HINT_LINES = 0.3, 10
"""Maximum total weight of a page's snippets, and number of snippet lines at which it is reached."""

CREDITS: Final = {"wcxb": "texts (Web Content Extraction Benchmark 1.0, Murrough Foley, CC BY 4.0)"}
"""Attributions that the licences of corpora require; they are written into the model file."""

KNOTS: Final = (
    *((-1.0, 0.0, 1.0), (-1.0, 0.0, 1.0), (-1.0, 0.0, 0.7, 1.5, 3.0, 6.0)),
    *((-1.0, 0.0, 1.5, 3.0, 4.0, 6.0, 8.0), (-1.0, 0.0, 0.25, 0.5, 0.75, 1.0)),
)
"""Knots at which the columns that compare a line with other pages are cut; -1 means unknown."""

COMPARISON_PIECES: Final = sum(len(knots) - 1 for knots in KNOTS)  # the last pieces of a line

LINES, NAMES, PAGES = 4096, 6144, 64  # numbers of lines, kinds of elements and pages in a batch

F1_WEIGHT, COMMENTS_WEIGHT, KIND_WEIGHT, TEACHER_WEIGHT, SMOOTHING = 0.3, 0.5, 0.3, 1.0, 0.02
"""Weights of the loss terms: expected F1 of the text, comments, kind, and distillation from the
teacher; the cross-entropy of the text has the weight 1. The last number smooths the labels."""

COLUMNS_DROPPED: Final = 0.12
"""Share of the numeric columns dropped for a page, so that no single column becomes essential."""

WARM_UP_SHARE, WEIGHT_DECAY, MAX_GRADIENT, MAX_AVERAGING = 0.15, 0.02, 5.0, 0.995
"""Share of steps in which the learning rate rises, weight decay of AdamW, norm to which gradients
are clipped, and maximum weight of earlier steps in the average of the parameters."""

IS_TEXT: Final = np.isin(ALL_ROLES, TEXT_ROLES)  # whether each of `ALL_ROLES` is part of the text

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Stage:
    """A stage of the training; each epoch has `labelled` further copies of the labelled pages."""

    epochs: int
    rate: float
    noise: Noise
    labelled: int
    seed: int


_LESS_NOISE: Final = Noise(
    rows=0.12, words=0.15, signs=0.12, names=0.12, all_names=0.2, page_words=0.2
)
STAGES: Final = (
    Stage(epochs=6, rate=2e-3, noise=Noise(), labelled=0, seed=0),
    Stage(epochs=10, rate=1.4e-3, noise=_LESS_NOISE, labelled=1, seed=1),
)


@dataclass(eq=False)
class Lesson:
    """An example prepared for training: what the network sees, and labels with their weights.

    `convention` is the number of the gold text's convention, and `kind` that of the page's kind, or
    -1 if unknown. `kinds` are the teacher's probabilities of kinds. `is_compared` states whether
    the lines are compared with another page.
    """

    example: Example
    pieces: Array
    convention: int
    labels: Mapping[str, Array]
    kind: int
    kinds: Array
    is_compared: bool = field(default=False)

    @property
    def size(self) -> int:
        """Number of lines."""
        return len(self.pieces)


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained network."""

    shape: Shape
    parameters: Arrays
    pieces: Pieces
    conventions: Sequence[str]


def convention_name(example: Example) -> str:
    """Return the name of the convention that a page's gold text follows."""
    return f"{example.corpus}/{example.gold.kind or 'article'}"


def _make_lesson(
    example: Example, pieces: Pieces, conventions: Mapping[str, int], role_weights: Array
) -> Lesson:
    """Prepare an example; the weights of its lines grow with the square root of their words."""
    lengths = example.columns["counts"].astype(np.float32)
    count, roots = len(lengths), np.sqrt(lengths)
    weights = roots / max(1.0, roots.sum())
    zeros: Array = np.zeros(count, np.float32)
    gold, gold_weights = zeros, zeros
    if example.shares is not None:
        gold, gold_weights = (example.shares > MIN_SHARE_IN_GOLD), weights
        if example.corpus in LOOSE_CORPORA:
            gold_weights = weights * np.minimum(1, lengths / LOOSE_FULL_WORDS)
    elif example.hints is not None and (known := example.hints != UNKNOWN).any():
        hinted = np.where(known, roots, 0)
        share = MAX_HINTS_WEIGHT * min(1, known.sum() / FULL_HINT_LINES)
        gold, gold_weights = example.hints > 0, share * hinted / max(1.0, hinted.sum())
    has_role, role = example.roles != UNKNOWN, np.maximum(example.roles, 0)
    text_weights = np.where(has_role, roots, 0)
    starts = zeros if example.starts is None else example.starts
    commented = zeros if example.commented is None else example.commented
    is_commented = example.commented is not None
    teacher_roles, teacher_kinds = example.teacher
    # The weights of each type of label add up to about 1 over the lines of a page that has them.
    labels = {
        "gold": gold,
        "gold_weight": gold_weights,
        "text": has_role & IS_TEXT[role],
        "text_weight": text_weights / max(1.0, text_weights.sum()),
        "role": role,
        "role_weight": np.where(has_role, role_weights[role], 0) / max(1, has_role.sum()),
        "comment": commented > MIN_SHARE_IN_GOLD,
        "comment_weight": weights * is_commented,
        "start": starts,
        "start_weight": np.full(count, 2 / count) * (is_commented and bool(starts.any())),
        "teacher_weight": 0.5 * weights + 0.5 / count,
        "teacher_roles": teacher_roles,
        "teacher_text": teacher_roles[:, IS_TEXT].sum(axis=1).clip(0, 1),
    }
    kind = "article" if example.corpus in ARTICLE_CORPORA else example.gold.kind
    numbers = np.concatenate([example.columns["numbers"], example.comparison], axis=1)
    return Lesson(
        example,
        pieces.fill(numbers),
        conventions[convention_name(example)],
        {
            name: np.asarray(each, np.int32 if name == "role" else np.float32)
            for name, each in labels.items()
        },
        KINDS.index(kind) if kind in KINDS else -1,
        np.array([teacher_kinds.get(kind, 0.0) for kind in KINDS], np.float32),
        bool((example.comparison[:, 0] >= 0).any()),
    )


def pack_batch(
    lessons: Sequence[Lesson],
    rng: np.random.Generator | None = None,
    width: int = 0,
    columns: Array | None = None,
) -> Arrays:
    """Put lessons into the arrays of a batch.

    With `rng`, that is, in training, add labels and random bytes, and hide some of the input: the
    comparison with other pages for half of the pages, and some columns. `columns` contains, for
    each piece, the index of its column.
    """
    first = lessons[0]
    batch: Arrays = {
        "pieces": np.zeros((LINES, first.pieces.shape[1]), np.uint8),
        "words": np.zeros((LINES, core.WORDS), np.int32),
        "shapes": np.zeros((LINES, core.SHAPES), np.int32),
        "links": np.zeros((LINES, core.LINK_WORDS), np.int32),
        "places": np.zeros((LINES, core.PLACES), np.int32),
        "counts": np.zeros(LINES, np.float32),
        "convention": np.zeros(LINES, np.int32),
        "page_of_line": np.full(LINES, PAGES, np.int32),
        "names": np.zeros((NAMES, core.NAMES), np.int32),
        "page_of_name": np.full(NAMES, PAGES, np.int32),
        "page_words": np.zeros((PAGES + 1, core.PAGE_WORDS), np.int32),
        **{
            name: np.full(LINES, LINES - 1, np.int32)
            for name in ("paths", "parents", "grandparents")
        },
    }
    if rng is not None:
        for name, values in first.labels.items():
            batch[name] = np.zeros((LINES, *values.shape[1:]), values.dtype)
        batch |= {
            "kind": np.full(PAGES, -1, np.int32),
            "kinds": np.zeros((PAGES, len(KINDS)), np.float32),
            "number": np.float32(len(lessons)),
        }
    first_line = first_name = 0
    for page, lesson in enumerate(lessons):
        seen = lesson.example.columns
        rows = slice(first_line, first_line + lesson.size)
        batch["pieces"][rows] = lesson.pieces
        if rng is not None and columns is not None:
            batch["pieces"][rows] *= (rng.random(columns.max() + 1) >= COLUMNS_DROPPED)[columns]
        if rng is not None and lesson.is_compared and rng.random() < 0.5:
            batch["pieces"][rows, -COMPARISON_PIECES:] = 0
        for name in ("words", "shapes", "links", "counts"):
            batch[name][rows] = seen[name]
        batch["convention"][rows], batch["page_of_line"][rows] = lesson.convention, page
        batch["places"][rows] = np.where(
            seen["places"] > 0, seen["places"].astype(int) + first_name, 0
        )
        names = slice(first_name, first_name + len(seen["names"]))
        batch["names"][names], batch["page_of_name"][names] = seen["names"], page
        batch["page_words"][page] = seen["page"]
        for name in ("paths", "parents", "grandparents"):
            batch[name][rows] = seen[name] + first_line
        if rng is not None:
            for name, values in lesson.labels.items():
                batch[name][rows] = values
            batch["kind"][page], batch["kinds"][page] = lesson.kind, lesson.kinds
        first_line, first_name = rows.stop, names.stop
    if rng is not None:

        def drawn(*shape: int) -> Array:
            return np.frombuffer(rng.bytes(int(np.prod(shape))), np.uint8).reshape(shape)

        batch["random"] = drawn(LINES, width)
        batch["random_names"] = drawn(NAMES, core.NAMES)
        batch["random_pages"] = drawn(PAGES + 1)
        batch["random_words"] = drawn(PAGES + 1, core.PAGE_WORDS)
    return batch


def divide_into_batches(lessons: Sequence[Lesson]) -> list[list[Lesson]]:
    """Divide lessons, in order, into batches; pages that exceed a batch are left out."""
    batches: list[list[Lesson]] = [[]]
    lines = names = 0
    for lesson in lessons:
        page_names = len(lesson.example.columns["names"])
        if lesson.size > LINES or page_names > NAMES:
            continue
        if lines + lesson.size > LINES or names + page_names > NAMES or len(batches[-1]) >= PAGES:
            batches.append([])
            lines = names = 0
        batches[-1].append(lesson)
        lines, names = lines + lesson.size, names + page_names
    return [each for each in batches if each]


def _gold_probability(params: Arrays, log_roles: Any, hidden: Any, convention: Any) -> Any:
    """Return each line's probability to be in a gold text that follows the page's convention."""
    kept = jax.nn.sigmoid(params["convention"])[convention]
    text = jnp.clip((jnp.exp(log_roles) * kept).sum(-1), 1e-4, 1 - 1e-4)
    shift = 0.3 * (hidden * params["gold"][convention]).sum(-1) + params["gold_bias"][convention]
    return jnp.clip(jax.nn.sigmoid(jnp.log(text / (1 - text)) + shift), 1e-4, 1 - 1e-4)


def loss(params: Arrays, shape: Shape, noise: Noise, batch: Arrays) -> Any:
    """Return the loss of a batch, averaged over its pages."""
    outputs = judge(shape, params, batch, noise)
    of_page, is_text = batch["page_of_line"], jnp.asarray(IS_TEXT)
    log_roles = jax.nn.log_softmax(outputs["roles"], -1)
    text = jnp.clip((jnp.exp(log_roles) * is_text).sum(-1), 1e-4, 1 - 1e-4)
    gold = _gold_probability(params, log_roles, outputs["hidden"], batch["convention"])

    def by_page(values: Any) -> Any:
        return jax.ops.segment_sum(values, of_page, PAGES + 1)[:PAGES]

    def text_loss(found: Any, wanted: Any, weights: Any) -> Any:
        """Return the weighted cross-entropy of lines, plus the weighted loss in expected F1."""
        smooth = wanted * (1 - SMOOTHING) + SMOOTHING / 2
        entropy = -(smooth * jnp.log(found) + (1 - smooth) * jnp.log(1 - found))
        sizes = batch["counts"] * (weights > 0)
        both, either = by_page(found * wanted * sizes), by_page((found + wanted) * sizes)
        f1 = 2 * both / jnp.maximum(1.0, either)
        return (by_page(entropy * weights) + F1_WEIGHT * (1 - f1) * by_page(weights)).sum()

    total = text_loss(gold, batch["gold"], batch["gold_weight"])
    total += text_loss(text, batch["text"], batch["text_weight"])
    log_right = jnp.take_along_axis(log_roles, batch["role"][:, None], 1)[:, 0]
    role_loss = -(log_right * (1 - SMOOTHING) + SMOOTHING * log_roles.mean(-1))
    total += (role_loss * batch["role_weight"]).sum()
    wanted = batch["teacher_text"]
    teacher_text_loss = -(wanted * jnp.log(text) + (1 - wanted) * jnp.log(1 - text))
    teacher_role_loss = -(batch["teacher_roles"] * log_roles).sum(-1)
    teacher_loss = 0.3 * teacher_role_loss + 0.7 * teacher_text_loss
    total += TEACHER_WEIGHT * (teacher_loss * batch["teacher_weight"]).sum()
    for at, name in enumerate(("comment", "start")):
        logit, label = outputs["comments"][:, at], batch[name]
        entropy = -label * jax.nn.log_sigmoid(logit) - (1 - label) * jax.nn.log_sigmoid(-logit)
        total += COMMENTS_WEIGHT * (entropy * batch[f"{name}_weight"]).sum()
    log_kinds = jax.nn.log_softmax(outputs["kinds"], -1)
    kind = jnp.take_along_axis(log_kinds, jnp.maximum(batch["kind"], 0)[:, None], 1)[:, 0]
    total -= (
        KIND_WEIGHT * (kind * (batch["kind"] >= 0)).sum()
        + KIND_WEIGHT * (batch["kinds"] * log_kinds).sum()
    )
    return total / batch["number"] + 0.001 * (params["gold"] ** 2).mean()


def fit(examples: Sequence[Example], log: Callable[[str], None] = print) -> Trained:
    """Train a network on examples in both stages."""
    shape = Shape()
    conventions = sorted({convention_name(each) for each in examples})
    counts = 1 + np.bincount(
        np.concatenate([each.roles[each.roles != UNKNOWN] for each in examples]),
        minlength=len(ALL_ROLES),
    )
    role_weights = counts**-0.5  # rare roles weigh more; the mean weight of all lines is 1
    role_weights *= counts.sum() / (role_weights @ counts)
    sample = np.concatenate([each.columns["numbers"][::7] for each in examples])
    pieces = Pieces.of(sample, KNOTS)
    numbers = {name: at for at, name in enumerate(conventions)}
    lessons = [_make_lesson(each, pieces, numbers, role_weights) for each in examples]
    outputs = {"roles": len(ALL_ROLES), "kinds": len(KINDS), "conventions": len(conventions)}
    parameters = initial_parameters(shape, len(pieces.column), outputs, STAGES[0].seed)
    # At first, every convention includes the roles of the text.
    start = np.tile(np.where(IS_TEXT, 2.5, -2.5), (len(conventions), 1))
    parameters["convention"] = jnp.asarray(start, jnp.float32)
    for stage in STAGES:
        parameters = _train_stage(shape, parameters, pieces.column, lessons, stage, log)
    return Trained(shape, jax.tree.map(np.asarray, parameters), pieces, conventions)


def _train_stage(
    shape: Shape,
    parameters: Arrays,
    columns: Array,
    lessons: Sequence[Lesson],
    stage: Stage,
    log: Callable[[str], None],
) -> Arrays:
    """Train for the epochs of a stage; return the parameters averaged over its last steps."""
    rng = np.random.default_rng(stage.seed)
    labelled = [each for each in lessons if (each.example.roles != UNKNOWN).any()]
    generated = [each for each in lessons if each.example.corpus == "sample"]
    all_lessons = [*lessons, *labelled * stage.labelled, *generated * 2]

    def shuffled() -> list[list[Lesson]]:
        return divide_into_batches([all_lessons[at] for at in rng.permutation(len(all_lessons))])

    steps = len(shuffled()) * stage.epochs + 5
    rate = optax.cosine_onecycle_schedule(steps, stage.rate, WARM_UP_SHARE)
    fast_parameters = {"convention", "gold_bias"}
    optimiser = optax.chain(
        optax.clip_by_global_norm(MAX_GRADIENT),
        optax.multi_transform(
            {
                "network": optax.adamw(rate, weight_decay=WEIGHT_DECAY),
                "fast": optax.adam(lambda step: 10 * rate(step)),
            },
            lambda tree: {
                name: "fast" if name in fast_parameters else jax.tree.map(lambda _: "network", each)
                for name, each in tree.items()
            },
        ),
    )
    state = optimiser.init(parameters)

    @jax.jit
    def step(p: Arrays, state: Any, average: Arrays, batch: Arrays, kept: Any) -> Any:
        """Make a training step, and update the average of the parameters."""
        value, gradient = jax.value_and_grad(loss)(p, shape, stage.noise, batch)
        update, state = optimiser.update(gradient, state, p)
        p = optax.apply_updates(p, update)
        average = jax.tree.map(lambda old, new: old * kept + new * (1 - kept), average, p)
        return p, state, average, value

    average, number = parameters, 0
    began = time.monotonic()
    for epoch in range(stage.epochs):
        losses = []
        for batch in shuffled():
            arrays = pack_batch(batch, rng, shape.random_bytes, columns)
            kept = min(MAX_AVERAGING, (1 + number) / (10 + number))
            parameters, state, average, value = step(parameters, state, average, arrays, kept)
            losses.append(value)
            number += 1
        log(f"epoch {epoch}: loss {np.mean(losses):.4f}, {time.monotonic() - began:.0f} s")
    return average


def report(trained: Trained, examples: Sequence[Example]) -> Iterator[str]:
    """Yield figures of pages that were left out, each read without other pages."""
    numbers = {name: index for index, name in enumerate(trained.conventions)}
    known = [each for each in examples if convention_name(each) in numbers]
    alone = [replace(each, comparison=np.full_like(each.comparison, -1)) for each in known]
    weights = np.ones(len(ALL_ROLES))
    lessons = [_make_lesson(each, trained.pieces, numbers, weights) for each in alone]
    forward = jax.jit(partial(judge, trained.shape, noise=None))
    f1s: dict[str, list[float]] = {}
    kept_inserted, wrong_lines, kinds = [], [], []
    for batch in divide_into_batches(lessons):
        outputs = forward(trained.parameters, pack_batch(batch))
        first_line = 0
        for index, lesson in enumerate(batch):
            example, last_line = lesson.example, first_line + lesson.size
            logits = np.asarray(outputs["roles"][first_line:last_line], np.float64)
            text = softmax(logits)[:, IS_TEXT].sum(axis=1)
            sizes = example.columns["counts"].astype(np.float64)
            chosen, _ = choose_lines(text, sizes)
            first_line = last_line
            kept_inserted += chosen[example.inserted].tolist()
            if example.inserted.any():
                continue
            if lesson.kind >= 0:
                kinds.append(int(np.argmax(outputs["kinds"][index])) == lesson.kind)
            name = example.corpus if example.is_article else f"{example.corpus}, other kinds"
            if example.shares is not None:
                right = sizes * example.shares
                f1s.setdefault(name, []).append(
                    2 * right[chosen].sum() / max(1e-9, sizes[chosen].sum() + right.sum())
                )
            labelled = (example.roles != UNKNOWN) & (example.roles != ALL_ROLES.index("title"))
            if labelled.any() and example.is_article:
                is_right = chosen[labelled] == IS_TEXT[example.roles[labelled]]
                wrong_lines.append(int((~is_right).sum()))
    for name, values in sorted(f1s.items()):
        yield f"{name}: {len(values)} pages, F1 {np.mean(values):.4f}"
    errors = np.array(wrong_lines)
    shares = np.mean(errors == 0), np.mean(errors <= 1)
    yield f"labelled articles: {len(errors)}, exact {shares[0]:.3f}, one line wrong {shares[1]:.3f}"
    yield f"kinds: {np.mean(kinds):.3f} of {len(kinds)}"
    yield f"inserted lines kept: {np.mean(kept_inserted):.3f} of {len(kept_inserted)}"


def read_all(corpora: Path, teacher: PageModel) -> Iterator[Example]:
    """Read the examples of all corpora."""
    labels: dict[str, dict[str, LabelledPage]] = {}
    for page in load_roles(corpora / "roles" / ROLES_FILE):
        labels.setdefault(page.corpus, {})[page.id] = page
    reader = ExampleReader(teacher)
    comment_texts = comment_texts_of(corpora / "reader_comments")
    yield from reader.generated()
    yield from reader.bare(corpora / "wcxb", comment_texts)
    yield from reader.threads(comment_texts[::4])  # a quarter of the comments gives enough threads
    for name in CORPORA:
        yield from reader.corpus(corpora / name, labels.get(name, {}))


def describe_run(corpora: Path, examples: Sequence[Example]) -> Training:
    """Describe the corpora and libraries of a training, for the model file."""
    used = [
        corpus_used(
            corpora / name,
            CREDITS.get(name, "texts"),
            ((each.gold.id, each.gold.site) for each in examples if each.corpus == name),
        )
        for name in CORPORA
    ]
    return describe_training(used, "benchmarks.extraction.train", libraries=("jax", "optax"))


def main() -> None:
    """Train, write and report on the model; with ``--into``, train a model for each fold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument("--model", type=Path, help="file to write the model to")
    parser.add_argument("--teacher", type=Path, help="model file of the teacher")
    parser.add_argument("--into", type=Path, help="folder for models of two folds of sites")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", False)
    teacher_model = options.teacher and PageModel.from_bytes(options.teacher.read_bytes())
    examples = [*read_all(options.corpora, teacher_model or trained_model())]
    print(json.dumps(Counter(each.corpus for each in examples)), flush=True)

    def write(path: Path, training_examples: Sequence[Example], trained: Trained) -> None:
        network = (trained.shape, trained.parameters, trained.pieces)
        path.parent.mkdir(parents=True, exist_ok=True)
        header = describe_run(options.corpora, training_examples)
        path.write_bytes(model_file(header, ALL_ROLES, KINDS, network))

    if options.model:
        is_left_out = [fold_of(each.gold.site, LEFT_OUT) == 0 for each in examples]
        training_examples = [
            each for each, is_left in zip(examples, is_left_out, strict=True) if not is_left
        ]
        trained = fit(training_examples)
        write(options.model, training_examples, trained)
        others = [each for each, is_left in zip(examples, is_left_out, strict=True) if is_left]
        print("\n".join(report(trained, others)), flush=True)
    for fold in range(2) if options.into else ():
        training_examples = [each for each in examples if fold_of(each.gold.site, 2) != fold]
        write(model_path(options.into, fold), training_examples, fit(training_examples))


if __name__ == "__main__":
    main()
