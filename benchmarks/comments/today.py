"""Threads and comments on current pages: ``python -m benchmarks.comments.today CORPORA``.

CORPORA is the corpora folder, and ``--models`` the folder that holds one set of models per fold
(see `benchmarks.extraction.folds`). No page is extracted by a model that was trained on its site.
Texts are compared as bags of words.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.comments.examples import THREAD
from benchmarks.comments.train import cross_validate, read_corpora
from benchmarks.evaluation.bench.measuring import even_sample, measurable
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.scores import Gold, load_corpus
from benchmarks.extraction.bags import BagScore, compare_bags
from benchmarks.extraction.folds import FoldModels, fold_of
from detourage.article import Article
from detourage.comments import finding
from detourage.comments.finding import CommentModel
from detourage.html import PageError
from detourage.papers.reading import page_of
from detourage.reader import NoArticleError, extract_article
from detourage.reader.content import read_content

CORPORA = {"wcxb": None, "dragnet": None, "daniel": 200, "fundus_body": None}
"""Corpora with texts, and the number of pages used from each (None for all)."""

LOST = 0.05
"""Minimum share of a gold text's words that the removal of comments must delete for the page to
count as losing text."""

WHOLE = 0.9
"""Minimum F1 for a thread to count as read completely."""

MOST = 0.9
"""Minimum share of a post's words that a text must contain to count as containing the post."""

HELD = 0.5
"""Minimum share of a gold text's words that the page's source must contain for the text to be
extractable."""


@contextmanager
def on_site(finders: Sequence[CommentModel], site: str) -> Iterator[None]:
    """Make the service find comments with the model that was not trained on a site."""
    model = finders[fold_of(site, len(finders))]
    with patch.object(finding, "trained_model", lambda: model):
        yield


@dataclass(frozen=True)
class Row:
    """A page read both with and without removal of comments.

    `content` is None if no article is extracted, and `alone` is the score without removal of
    comments. `is_held` is False if no article is extracted and the page's source does not contain
    the gold text either.
    """

    corpus: str
    gold: Gold
    content: Article | None
    score: BagScore
    alone: BagScore
    is_held: bool

    @property
    def group(self) -> str:
        """The corpus and kind of the page."""
        return f"{self.corpus}, {self.gold.kind}" if self.gold.kind else self.corpus


def read_rows(corpora: Path, finders: Sequence[CommentModel], models: FoldModels) -> Iterator[Row]:
    """Read the pages of all corpora."""
    for name, sample in CORPORA.items():
        corpus = load_corpus(corpora / name)
        for gold in even_sample([gold for gold in measurable(corpus) if gold.text], sample):
            fetched = corpus.pages[gold.id]
            site = gold.site
            with models.on_site(site), on_site(finders, site):
                source = Source(fetched.html, fetched.url, fetched.content_type)
                yield _row(name, gold, source)


def _row(corpus: str, gold: Gold, source: Source) -> Row:
    wanted = gold.text or ""
    try:
        page = page_of(source)
        content = read_content(page)
        alone = extract_article(page, None).text
    except (PageError, NoArticleError):
        nothing = compare_bags("", wanted)
        html = (
            source.html if isinstance(source.html, str) else source.html.decode("utf-8", "replace")
        )
        return Row(corpus, gold, None, nothing, nothing, compare_bags(html, wanted).recall >= HELD)
    score = compare_bags(content.text, wanted)
    return Row(corpus, gold, content, score, compare_bags(alone, wanted), is_held=True)


def holds_last_post(row: Row) -> bool:
    """Return whether a thread's gold text contains the last extracted post."""
    posts = [post.text for post in row.content.comments if post.text] if row.content else []
    return bool(posts) and compare_bags(row.gold.text or "", posts[-1]).recall >= MOST


def table_of_threads(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a table of the completeness of extracted threads."""
    threads = [row for row in rows if row.gold.kind == THREAD]
    yield "| threads of wcxb | pages | P | R | F1 | median F1 | F1 >= 0.9 | F1 as an article |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    groups = {
        "all": threads,
        "source contains the text": [row for row in threads if row.is_held],
        "gold contains the last post extracted": [row for row in threads if holds_last_post(row)],
    }
    for name, group in groups.items():
        precision, recall, f1 = np.mean([row.score for row in group], axis=0)
        found = np.array([row.score.f1 for row in group])
        alone = np.mean([row.alone.f1 for row in group])
        yield (
            f"| {name} | {len(group)} | {precision:.3f} | {recall:.3f} | {f1:.3f} "
            f"| {np.median(found):.3f} | {np.mean(found >= WHOLE):.2f} | {alone:.3f} |"
        )


def table_of_articles(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a table of the effect of removing comments from other pages' texts.

    Threads are left out.
    """
    heads = ("", "pages", "with comments", "taken for threads", "F1, left", "F1, out")
    yield f"| {' | '.join((*heads, 'better', 'worse', 'lose'))} |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---|"
    others = [row for row in rows if row.gold.kind != THREAD and row.content is not None]
    for name in dict.fromkeys(row.group for row in others):
        group = [row for row in others if row.group == name]
        changes = [row.score.f1 - row.alone.f1 for row in group]
        lose = [row.gold.id for row in group if row.alone.recall - row.score.recall > LOST]
        read = [row.content for row in group if row.content is not None]
        yield (
            f"| {name} | {len(group)} | {sum(bool(each.comments) for each in read)} "
            f"| {sum(each.metadata.kind == THREAD for each in read)} "
            f"| {np.mean([row.alone.f1 for row in group]):.3f} "
            f"| {np.mean([row.score.f1 for row in group]):.3f} "
            f"| {sum(change > 0.005 for change in changes)} "
            f"| {sum(change < -0.005 for change in changes)} | {' '.join(lose) or '–'} |"
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument(
        "--models", type=Path, required=True, help="folder with the models of the folds"
    )
    options = parser.parse_args()
    models = FoldModels.of(options.models)
    _, finders = cross_validate([*read_corpora(options.corpora)])
    rows = list(read_rows(options.corpora, finders, models))
    print("\n".join(table_of_threads(rows)), end="\n\n", flush=True)
    print("\n".join(table_of_articles(rows)))


if __name__ == "__main__":
    main()
