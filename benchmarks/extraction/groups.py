"""What the pages of a group teach each other: ``python -m benchmarks.extraction.groups CORPUS…``.

Each line has the first pass's probability, by a classifier that has not seen its site, beside one
other page of the group. Measured is what the same place, and the same text, on all other pages of
the group adds: by rule, by vote (the conclusion of Deturck 2015), or by trees that see pooled
measures, trained on other sites.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.evaluation.bench.measuring import measurable
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.methods.grouping import find_neighbours
from benchmarks.evaluation.methods.ours import knowledge_of
from benchmarks.evaluation.scores import headline_of, load_corpus, paired_difference
from benchmarks.extraction.examples import fold_of, words_of
from benchmarks.extraction.first_pass import FirstPass
from benchmarks.extraction.labels import OF_GOLD, f1_of_lines, shares_in_gold
from benchmarks.extraction.train import PAGE_WEIGHT
from worker.extraction.classification import choose_lines, judge_lines
from worker.extraction.knowledge import digest_of
from worker.extraction.paths import Paths, Step
from worker.learning import likelihoods
from worker.pages import PageError
from worker.papers.reading import outline_of, page_of

MAX_OTHERS = 20
"""Other pages of a group that are looked at, the first ones."""

REPEATED_PAGES, REPEATED_SHARE = 3, 0.2
"""Other pages, and share of them, on which a text stands that is the template's."""

SIZES = ((1, 3), (4, 8), (9, 10_000))
"""Numbers of other pages by which results are told apart."""

Floats = npt.NDArray[np.float64]
Judge = Callable[["GroupedPage"], Floats]


@dataclass(frozen=True, eq=False)
class GroupedPage:
    """A page in its group.

    Attributes
    ----------
    site, source, pivot
        Its site, the page, and the one that the service compares it with, None for none.
    words, probabilities, alone
        For each line its words, and its probability beside another page and alone.
    paths, digests
        For each line its path in the pages of the site, and the digest of its text.
    shares
        For each line the share of its words in the gold; None without a gold.
    others
        Addresses of the other pages of the group.
    """

    site: str
    source: Source
    pivot: Source | None
    words: Floats
    probabilities: Floats
    alone: Floats
    paths: Sequence[int]
    digests: Sequence[int]
    shares: Floats | None
    others: Sequence[str]


Pages = Mapping[tuple[str, str], GroupedPage]
"""Pages by site and address."""


def read_pages(folder: Path, first: FirstPass) -> Iterator[tuple[tuple[str, str], GroupedPage]]:
    """Read the pages of a corpus that have lines."""
    corpus = load_corpus(folder)
    pages = [*corpus.pages.values()]
    sources = [Source(page.html, page.url, page.content_type) for page in pages]
    measured = {gold.id for gold in measurable(corpus) if gold.text}
    steps: defaultdict[str, dict[Step, int]] = defaultdict(dict)
    neighbours = find_neighbours(sources, [page.site for page in pages])
    for page, source, around in zip(pages, sources, neighbours, strict=True):
        try:
            outline = outline_of(source)
        except PageError:
            continue
        model = first.model_for(page.site)
        judged = judge_lines(outline, None, page.url, model)
        evidence = judged.evidence
        if not evidence.lines:
            continue
        alone = beside = judged.probabilities
        if around.pivot is not None:
            known = knowledge_of(around.pivot)
            beside = judge_lines(outline, known, page.url, model).probabilities
        numbers = Paths.of(outline, steps[page.site]).numbers
        gold = corpus.golds[page.id] if page.id in measured else None
        texts = [line.text for line in evidence.lines]
        headline = headline_of(gold, page_of(source).document) if gold is not None else None
        yield (
            (page.site, page.url),
            GroupedPage(
                page.site,
                source,
                around.pivot,
                words_of(evidence).astype(np.float64),
                beside,
                alone,
                [numbers[line.block] for line in evidence.lines],
                [digest_of(line.tokens) for line in evidence.lines],
                shares_in_gold(texts, gold, headline) if gold is not None else None,
                [other.url for other in around.group],
            ),
        )


def log_odds(probabilities: Floats) -> Floats:
    """Return log odds, of nothing surer than a fiftieth."""
    inside = np.clip(probabilities, 0.02, 0.98)
    found: Floats = np.log(inside / (1 - inside))
    return found


def pooled(page: GroupedPage, pages: Pages) -> Floats:
    """Measure each line's place and text on the other pages.

    Returns
    -------
    array of shape (lines, 9)
        Other pages; the share and number of them that show the text; the share that has the
        place; mean, spread and greatest of the probabilities there (weighed by words); mean and
        spread of the words there. -1 where there is nothing to measure.
    """
    others = [pages[page.site, url] for url in page.others if (page.site, url) in pages]
    others = others[:MAX_OTHERS]
    texts = [set(other.digests) for other in others]
    places = [_by_place(other) for other in others]
    found = np.full((len(page.words), 9), -1.0)
    for line, (path, digest) in enumerate(zip(page.paths, page.digests, strict=True)):
        showing = sum(digest in each for each in texts)
        at = np.array([each[path] for each in places if path in each])
        number = max(1, len(others))
        found[line, :4] = len(others), showing / number, showing, len(at) / number
        if len(at):
            odds, words = at.T
            found[line, 4:] = odds.mean(), odds.std(), odds.max(), words.mean(), words.std()
    return found


def _by_place(page: GroupedPage) -> dict[int, tuple[float, float]]:
    paths = np.array(page.paths)
    found = {}
    for path in set(page.paths):
        words = page.words[paths == path]
        probabilities = page.probabilities[paths == path]
        found[path] = float(np.average(probabilities, weights=words)), float(words.sum())
    return found


def own(page: GroupedPage) -> Floats:
    """Return what a second pass sees of the page alone: the lines around, among others."""
    odds = log_odds(page.probabilities)
    padded = np.pad(odds, 4, constant_values=-9.0)
    around = [padded[4 + away : 4 + away + len(odds)] for away in (-4, -3, -2, -1, 1, 2, 3, 4)]
    place = np.arange(len(odds)) / len(odds)
    return np.stack([odds, log_odds(page.alone), *around, page.words, place], axis=1)


def said_by_group(pool: Floats, vote: float, down: float) -> Floats:
    """Return what is added to each line's log odds.

    Parameters
    ----------
    pool
        What `pooled` measures.
    vote
        Weight of the group's log odds of a line's place.
    down
        Log odds that a repeated text is taken down by.
    """
    there = np.where(pool[:, 3] > 0, log_odds(pool[:, 4]), 0.0)
    repeated = (pool[:, 2] >= REPEATED_PAGES) & (pool[:, 1] >= REPEATED_SHARE)
    said: Floats = vote * there - down * repeated
    return said


def voted(page: GroupedPage, pool: Floats, vote: float, down: float) -> Floats:
    """Return the probabilities of a page's lines with what the group says of them."""
    return likelihoods(log_odds(page.probabilities) + said_by_group(pool, vote, down))


def second_pass(
    pages: Sequence[GroupedPage], columns: Mapping[int, Floats], folds: int = 3
) -> dict[int, Floats]:
    """Return the probabilities by trees that have seen other sites alone."""
    found: dict[int, Floats] = {}
    for fold in range(folds):
        seen = [each for each in pages if fold_of(f"groups {each.site}", folds) != fold]
        labels = [each.shares > OF_GOLD for each in seen if each.shares is not None]
        weights = [np.sqrt(each.words) * PAGE_WEIGHT / np.sqrt(each.words).sum() for each in seen]
        classifier = HistGradientBoostingClassifier(
            max_iter=150,
            max_leaf_nodes=16,
            min_samples_leaf=40,
            learning_rate=0.06,
            random_state=0,
            early_stopping=False,
        )
        classifier.fit(
            np.concatenate([columns[id(each)] for each in seen]),
            np.concatenate(labels),
            sample_weight=np.concatenate(weights),
        )
        for each in pages:
            if fold_of(f"groups {each.site}", folds) == fold:
                found[id(each)] = classifier.predict_proba(columns[id(each)])[:, 1]
    return found


def scores(page: GroupedPage, probabilities: Floats) -> tuple[float, bool]:
    """Return the F1 of the chosen lines' words, and whether these are just the article's lines."""
    shares = page.shares if page.shares is not None else np.zeros(len(page.words))
    chosen, _ = choose_lines(probabilities, page.words)
    return f1_of_lines(page.words, shares, chosen), bool((chosen == (shares > OF_GOLD)).all())


def table(pages: Sequence[GroupedPage], judges: Mapping[str, Judge]) -> Iterator[str]:
    """Yield the lines of the table."""
    by_size = [[each for each in pages if low <= len(each.others) <= high] for low, high in SIZES]
    heads = [
        f"{low + 1} to {high + 1} pages ({len(each)})"
        for (low, high), each in zip(SIZES, by_size, strict=True)
    ]
    yield f"| F1 / exact | {' | '.join(heads)} | five and more, less one page beside |"
    yield f"|---|{'---:|' * (len(SIZES) + 1)}"
    large = [each for part in by_size[1:] for each in part]
    sites = {str(place): each.site for place, each in enumerate(large)}
    base = {str(place): scores(each, each.probabilities)[0] for place, each in enumerate(large)}
    for name, judge in judges.items():
        cells = []
        for part in by_size:
            found = np.array([scores(each, judge(each)) for each in part])
            f1, exact = 100 * found.mean(axis=0) if len(found) else (0.0, 0.0)
            cells.append(f"{f1:.2f} / {exact:.1f}")
        new = {str(place): scores(each, judge(each))[0] for place, each in enumerate(large)}
        less = paired_difference(new, base, sites)
        interval = f"{100 * less.mean:+.2f} ({100 * less.low:+.2f} to {100 * less.high:+.2f})"
        yield f"| {name} | {' | '.join(cells)} | {interval} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="folders of corpora")
    parser.add_argument("--first-pass", type=Path, required=True, help="classifiers of the folds")
    options = parser.parse_args()
    first = FirstPass.of(options.first_pass)
    known = dict(each for folder in options.corpora for each in read_pages(folder, first))
    pages = [page for page in known.values() if page.shares is not None and page.others]
    pools = {id(page): pooled(page, known) for page in pages}
    alone = {id(page): own(page) for page in pages}
    both = {key: np.concatenate([alone[key], pools[key]], axis=1) for key in alone}
    second, second_pooled = second_pass(pages, alone), second_pass(pages, both)
    judges: dict[str, Judge] = {
        "alone": lambda page: page.alone,
        "one page beside (as shipped)": lambda page: page.probabilities,
        "vote": lambda page: voted(page, pools[id(page)], vote=1.0, down=0.0),
        "vote at 0.3": lambda page: voted(page, pools[id(page)], vote=0.3, down=0.0),
        "repeated texts down by 1": lambda page: voted(page, pools[id(page)], vote=0.0, down=1.0),
        "repeated texts down by 4": lambda page: voted(page, pools[id(page)], vote=0.0, down=4.0),
        "vote at 0.3, repeated by 1": lambda page: voted(page, pools[id(page)], vote=0.3, down=1.0),
        "second pass, page alone": lambda page: second[id(page)],
        "second pass, pooled measures": lambda page: second_pooled[id(page)],
    }
    print("\n".join(table(pages, judges)))


if __name__ == "__main__":
    main()
