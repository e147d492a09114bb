"""Print how accurately comment fields are read from given comment elements.

Run with ``python -m benchmarks.comments.fields CORPORA``; it takes three minutes on one core.
"""

import argparse
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from benchmarks.comments.locating import locate
from benchmarks.evaluation.scores.comments import CommentScore, score_comments, with_shown_names
from benchmarks.evaluation.scores.corpora import load_corpus
from benchmarks.evaluation.scores.records import Comment
from detourage.comments.assembly import read_comments
from detourage.comments.comment import Comment as ReadComment
from detourage.html import parse_page

CORPORA = ("reader_comments", "forum_threads")

WITHOUT_PARENTS = frozenset(["forum_threads"])
"""Corpora whose gold records do not contain the parents of comments."""

FIELDS = ("text_f1", "authors", "dates", "parents", "replies")  # attributes of `CommentScore`


@dataclass(frozen=True)
class PageFields:
    """The score of a page's comment fields, and the number and nesting of its gold comments."""

    corpus: str
    site: str
    score: CommentScore
    comments: int
    is_nested: bool

    @property
    def half(self) -> int:
        """Half of the sites (0 or 1) that contains the page's site, the same on every machine."""
        return zlib.crc32(self.site.encode()) % 2


def main() -> None:
    """Print one line for each corpus and half, and for nested and unnested comments."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    pages = [
        page for corpus in CORPORA for page in read_corpus(parser.parse_args().corpora, corpus)
    ]
    print(f"{'mean over':>25}{'number':>6}" + "".join(f"{field:>9}" for field in FIELDS))
    for corpus in CORPORA:
        of_corpus = [page for page in pages if page.corpus == corpus]
        print_means(corpus, of_corpus)
        for half in (0, 1):
            print_means(f"  half {half}", [page for page in of_corpus if page.half == half])
    print_means("nested", [page for page in pages if page.is_nested])
    print_means("flat", [page for page in pages if not page.is_nested])


def print_means(name: str, pages: Sequence[PageFields]) -> None:
    """Print the mean scores of comments in percent, over pages and over comments."""
    ones = [1] * len(pages)
    for unit, weights in (("pages", ones), ("comments", [page.comments for page in pages])):
        means = [
            _weighted_mean(
                [
                    (getattr(page.score, field), weight)
                    for page, weight in zip(pages, weights, strict=True)
                ]
            )
            for field in FIELDS
        ]
        print(f"{name:16}{unit:9}{sum(weights):>6}" + "".join(f"{mean:>9}" for mean in means))


def _weighted_mean(weighted: Iterable[tuple[float | None, int]]) -> str:
    """Format the weighted mean of the known values, or "-" if there are none."""
    known = [(value, weight) for value, weight in weighted if value is not None]
    if not known:
        return "-"
    return f"{fmean([value for value, _ in known], [weight for _, weight in known]):.1f}"


def read_corpus(corpora: Path, name: str) -> Iterator[PageFields]:
    """Read the comments of a corpus from the elements that contain the gold comments."""
    corpus = load_corpus(corpora / name)
    for page_id, gold in corpus.golds.items():
        stored = corpus.pages[page_id]
        page = parse_page(stored.html, stored.url, content_type=stored.content_type)
        document = page.document
        records = locate(document, gold.comments or ())
        places = [page.flat.elements.index(record) for record in records]
        wanted = with_shown_names(gold.comments or (), document)
        found_comments = [
            _to_scored_comment(comment) for comment in read_comments(page.flat, places, stored.url)
        ]
        record_set = set(records)
        score = score_comments(found_comments, wanted)
        if name in WITHOUT_PARENTS:
            score = replace(score, parents=None, replies=None)
        yield PageFields(
            name,
            gold.site,
            score,
            len(wanted),
            any(above in record_set for record in records for above in record.iterancestors()),
        )


def _to_scored_comment(comment: ReadComment) -> Comment:
    published = str(comment.date) if comment.date else None
    return Comment(comment.text, comment.author, comment.written_date, comment.parent, published)


if __name__ == "__main__":
    main()
