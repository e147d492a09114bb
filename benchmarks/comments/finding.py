"""Print how accurately comments are found: ``python -m benchmarks.comments.finding CORPORA``.

The scores are cross-validated: no page is scored by a classifier that was trained on its site.
Comments are scored twice: as found (with author, date and buttons), and as the texts read.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks.comments.examples import Example
from benchmarks.comments.labels import is_good, score_group_texts, score_groups
from benchmarks.comments.train import FOLDS, MIN_TEXT_AGREEMENT, Choice, read_corpora
from benchmarks.comments.train import cross_validate as choose_all
from benchmarks.evaluation.scores.comments import GOOD_PAGE_F1, CommentScore, score_comments
from benchmarks.evaluation.scores.records import Comment
from benchmarks.extraction.folds import fold_of
from detourage.comments.assembly import read_comments, with_content
from detourage.comments.comment_search import MIN_CONFIDENCE_UNCONFIRMED
from detourage.comments.pattern import NO_PATTERN, CommentPattern, vote_of, winner

MARKED_CORPORA = ("reader_comments", "forum_threads")
"""Corpora whose gold records list comments individually."""

MIN_VOTERS = 3  # minimum number of pages for a site to vote on its comment pattern


@dataclass(frozen=True)
class Result:
    """The comments found on a page.

    `confidence` is that of the likeliest candidate, or 0 if there is none. If the gold record lists
    comments individually, `page_f1` scores the candidate's records, in percent, and `score` scores
    the texts read from those records. `agreement` is the word F1 (0 to 1) with the text of all
    comments. `vote` is the vote that the service would store.
    """

    example: Example
    confidence: float
    page_f1: float | None
    score: CommentScore | None
    agreement: float | None
    vote: str | None

    @property
    def is_found(self) -> bool:
        """Whether the service would accept the candidate as comments."""
        return self.confidence >= MIN_CONFIDENCE_UNCONFIRMED


def cross_validate(examples: Sequence[Example]) -> Iterator[Result]:
    """Find the comments on pages with models not trained on their sites."""
    choices, models = choose_all(examples)
    choice_of = {id(choice.example): choice for choice in choices}
    for example in examples:
        choice = choice_of.get(id(example))
        if choice is None:
            zero_f1 = None if example.page_f1 is None else 0.0
            agreement = None if example.agreement is None else 0.0
            score = _score(example, ())
            yield Result(example, 0.0, zero_f1, score, agreement, None)
        else:
            model = models[fold_of(example.gold.site, FOLDS)]
            yield _result(choice, model.probability(choice.measures))


def _result(choice: Choice, confidence: float) -> Result:
    """Return what the service would find on a page if it chose this candidate."""
    example, index = choice.example, choice.index
    candidate = example.candidates[index]
    assert example.words is not None
    numbers = example.words.page.numbers
    return Result(
        example,
        confidence,
        None if example.page_f1 is None else float(example.page_f1[index]),
        _score(example, numbers[candidate.record_indices].tolist()),
        None if example.agreement is None else float(example.agreement[index]),
        vote_of(CommentPattern(candidate.signature, candidate.levels, confidence))
        if confidence >= MIN_CONFIDENCE_UNCONFIRMED
        else NO_PATTERN,
    )


def _score(example: Example, records: Sequence[int]) -> CommentScore | None:
    """Score the comments in the given elements; None if the gold record does not list comments."""
    if example.gold.comments is None:
        return None
    found = with_content(read_comments(example.page.flat, records, example.page.url))
    return score_comments(
        [Comment(each.text, each.author, parent=each.parent) for each in found],
        example.gold.comments,
    )


def _has_good_candidate(example: Example) -> bool:
    return example.page_f1 is not None and bool(is_good(example.page_f1).any())


def table(results: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of a table of the corpora whose gold records list comments individually.

    The first three figures ignore the candidate's probability; the others count only comments that
    the service accepts.
    """
    yield (
        "| | pages | among the candidates | P@1 | P@1, read | accepted as comments "
        "| comment F1 | comment F1, read | text F1, read |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for name in (*MARKED_CORPORA, "both"):
        scored = [
            (each, each.page_f1, each.score)
            for each in results
            if each.page_f1 is not None
            and each.score is not None
            and (each.example.corpus == name or name == "both")
        ]
        figures = (
            [100.0 * _has_good_candidate(each.example) for each, _, _ in scored],
            [100.0 * (page_f1 >= GOOD_PAGE_F1) for _, page_f1, _ in scored],
            [100.0 * score.good for _, _, score in scored],
            [100.0 * each.is_found for each, _, _ in scored],
            [page_f1 if each.is_found else 0.0 for each, page_f1, _ in scored],
            [score.records.f1 if each.is_found else 0.0 for each, _, score in scored],
            [score.text_f1 for each, _, score in scored if each.is_found and score.text_f1],
        )
        means = " | ".join(f"{fmean(values):.1f}" for values in figures)
        yield f"| {name} | {len(scored)} | {means} |"


def table_of_pages(results: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of a table: comments found, and false alarms, in corpora of articles."""
    yield "| | pages with comments | found, % | precision, % | pages without | false alarms |"
    yield "|---|---:|---:|---:|---:|---:|"
    unmarked = [each for each in results if each.example.page_f1 is None]
    for name in dict.fromkeys(each.example.group for each in unmarked):
        of_corpus = [each for each in unmarked if each.example.group == name]
        bare = [each for each in of_corpus if each.example.is_bare]
        commented = [each for each in of_corpus if not each.example.is_bare]
        found = [each for each in commented if each.is_found]
        rightly = [(each.agreement or 0.0) >= MIN_TEXT_AGREEMENT for each in found]
        yield (
            f"| {name} | {len(commented)} | {_percent([each.is_found for each in commented])} "
            f"| {_percent(rightly)} | {len(bare)} | {_percent([each.is_found for each in bare])} |"
        )


def table_of_votes(results: Sequence[Result]) -> Iterator[str]:
    """Yield the lines of a table that shows how votes on sites with several pages change scores.

    All pages of a site vote, although their templates may differ. F1 is that of the comments if the
    gold record lists them individually, otherwise that of their words.
    """
    yield (
        "| | sites | pages with comments | F1, alone | F1, voted "
        "| pages without | alarms, alone | alarms, voted |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    results_by_site: defaultdict[tuple[str, str], list[Result]] = defaultdict(list)
    for each in results:
        results_by_site[each.example.corpus, each.example.gold.site].append(each)
    groups = {key: pages for key, pages in results_by_site.items() if len(pages) >= MIN_VOTERS}
    for name in dict.fromkeys(corpus for corpus, _ in groups):
        sites = [pages for (corpus, _), pages in groups.items() if corpus == name]
        commented: list[tuple[float, float]] = []
        pages_without: list[tuple[bool, bool]] = []
        for pages in sites:
            won = winner(page.vote for page in pages)
            for page in pages:
                is_needed = page.vote == NO_PATTERN
                pattern = CommentPattern.from_json(won) if won and is_needed else None
                if page.example.is_bare:
                    pages_without.append((page.is_found, _is_found(page, pattern)))
                else:
                    commented.append((_f1_alone(page), _f1_voted(page, pattern)))
        columns = [f"{fmean(column):.1f}" for column in zip(*commented, strict=True)]
        alarms = [_percent(column) for column in zip(*pages_without, strict=True)] or ["–", "–"]
        yield (
            f"| {name} | {len(sites)} | {len(commented)} | {' | '.join(columns)} "
            f"| {len(pages_without)} | {' | '.join(alarms)} |"
        )


def _f1_alone(result: Result) -> float:
    """Return the F1 of the candidate chosen without votes, or 0 if the service would reject it."""
    if not result.is_found:
        return 0.0
    return result.page_f1 if result.page_f1 is not None else 100.0 * (result.agreement or 0.0)


def _f1_voted(result: Result, pattern: CommentPattern | None) -> float:
    """Return the F1 of the comments that match the pattern on which the site's pages agreed."""
    if pattern is None:
        return _f1_alone(result)
    example = result.example
    page = example.page.flat if example.words is None else example.words.page
    records = pattern.records(example.page.flat)
    members = np.flatnonzero(np.isin(page.numbers, records)).tolist()
    if not members:
        return 0.0
    if example.gold.comments:
        return float(score_groups(page, [members], example.gold.comments)[0])
    return 100.0 * float(score_group_texts(page, [members], example.gold.comment_text or "")[0])


def _is_found(result: Result, pattern: CommentPattern | None) -> bool:
    """Return whether the service would accept comments on a page after a vote."""
    return result.is_found if pattern is None else bool(pattern.records(result.example.page.flat))


def _percent(flags: Sequence[bool]) -> str:
    return f"{100 * fmean(flags):.1f}" if flags else "–"


def print_scores(results: Sequence[Result], thresholds: Mapping[str, float]) -> None:
    """Print the shares of comments found and of false alarms at the given thresholds."""
    for name, threshold in thresholds.items():
        marked = [each.confidence >= threshold for each in results if each.page_f1 is not None]
        bare = [each.confidence >= threshold for each in results if each.example.is_bare]
        print(
            f"{name}: {_percent(marked)} % of the pages with comments accepted, "
            f"{_percent(bare)} % false alarms"
        )


def main() -> None:
    """Find the comments on the pages of all corpora, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    options = parser.parse_args()
    examples = list(read_corpora(options.corpora))
    results = list(cross_validate(examples))
    print("\n".join(table(results)), end="\n\n", flush=True)
    print("\n".join(table_of_pages(results)), end="\n\n", flush=True)
    print("\n".join(table_of_votes(results)), end="\n\n", flush=True)
    print_scores(results, {f"from {each:.1f}": each for each in np.arange(0.2, 0.9, 0.1)})


if __name__ == "__main__":
    main()
