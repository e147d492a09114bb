"""Threads and comments on current pages: ``python -m benchmarks.comments.current_pages CORPORA``.

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

from benchmarks.comments.examples import THREAD_KIND
from benchmarks.comments.train import cross_validate, read_corpora
from benchmarks.evaluation.bench.measuring import even_sample, measurable
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.scores import Gold, load_corpus
from benchmarks.extraction.bags import BagScore, compare_bags
from benchmarks.extraction.folds import FoldModels, fold_of
from detourage.article import Article
from detourage.comments import comment_search
from detourage.comments.comment_search import CommentModel
from detourage.html import PageError
from detourage.papers.conversion import page_of
from detourage.reader import NoArticleError, extract_article
from detourage.reader.article_and_comments import read_content

CORPORA = {"wcxb": None, "dragnet": None, "daniel": 200, "fundus_body": None}
"""Corpora with texts, and the number of pages used from each (None for all)."""

MIN_LOST_RECALL = 0.05
"""Minimum share of a gold text's words that the removal of comments must delete for the page to
count as losing text."""

MIN_WHOLE_F1 = 0.9  # minimum F1 for a thread to count as read completely

MIN_POST_RECALL = 0.9
"""Minimum share of a post's words that a text must contain to count as containing the post."""

MIN_SOURCE_RECALL = 0.5
"""Minimum share of a gold text's words in the page's source for the text to be extractable."""


@contextmanager
def on_site(comment_models: Sequence[CommentModel], site: str) -> Iterator[None]:
    """Make the service find comments with the model whose training left out the given site."""
    model = comment_models[fold_of(site, len(comment_models))]
    with patch.object(comment_search, "trained_model", lambda: model):
        yield


@dataclass(frozen=True)
class ReadPage:
    """A page read both with and without removal of comments.

    `content` is None if no article is extracted. `score` is that of the service, and
    `score_with_comments` that of the text from which no comments are removed. `is_extractable` is
    False if no article is extracted and the page's source does not contain the gold text either.
    """

    corpus: str
    gold: Gold
    content: Article | None
    score: BagScore
    score_with_comments: BagScore
    is_extractable: bool

    @property
    def group(self) -> str:
        """The corpus and kind of the page."""
        return f"{self.corpus}, {self.gold.kind}" if self.gold.kind else self.corpus


def read_pages(
    corpora: Path, comment_models: Sequence[CommentModel], models: FoldModels
) -> Iterator[ReadPage]:
    """Read the pages of all corpora."""
    for name, sample in CORPORA.items():
        corpus = load_corpus(corpora / name)
        for gold in even_sample([gold for gold in measurable(corpus) if gold.text], sample):
            stored = corpus.pages[gold.id]
            site = gold.site
            with models.on_site(site), on_site(comment_models, site):
                source = Source(stored.html, stored.url, stored.content_type)
                yield _read_page(name, gold, source)


def _read_page(corpus: str, gold: Gold, source: Source) -> ReadPage:
    """Read a page with and without removal of comments, and score both texts."""
    wanted = gold.text or ""
    try:
        page = page_of(source)
        content = read_content(page)
        without_removal = extract_article(page, None).text
    except (PageError, NoArticleError):
        zero_score = compare_bags("", wanted)
        html = (
            source.html if isinstance(source.html, str) else source.html.decode("utf-8", "replace")
        )
        is_extractable = compare_bags(html, wanted).recall >= MIN_SOURCE_RECALL
        return ReadPage(corpus, gold, None, zero_score, zero_score, is_extractable)
    score = compare_bags(content.text, wanted)
    return ReadPage(
        corpus, gold, content, score, compare_bags(without_removal, wanted), is_extractable=True
    )


def holds_last_post(page: ReadPage) -> bool:
    """Return whether a thread's gold text contains the last extracted post."""
    posts = [post.text for post in page.content.comments if post.text] if page.content else []
    return bool(posts) and compare_bags(page.gold.text or "", posts[-1]).recall >= MIN_POST_RECALL


def table_of_threads(pages: Sequence[ReadPage]) -> Iterator[str]:
    """Yield the lines of a table of the completeness of extracted threads."""
    threads = [page for page in pages if page.gold.kind == THREAD_KIND]
    yield "| threads of wcxb | pages | P | R | F1 | median F1 | F1 >= 0.9 | F1 as an article |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    groups = {
        "all": threads,
        "source contains the text": [page for page in threads if page.is_extractable],
        "gold contains the last post extracted": [
            page for page in threads if holds_last_post(page)
        ],
    }
    for name, group in groups.items():
        precision, recall, f1 = np.mean([page.score for page in group], axis=0)
        f1s = np.array([page.score.f1 for page in group])
        article_f1 = np.mean([page.score_with_comments.f1 for page in group])
        yield (
            f"| {name} | {len(group)} | {precision:.3f} | {recall:.3f} | {f1:.3f} "
            f"| {np.median(f1s):.3f} | {np.mean(f1s >= MIN_WHOLE_F1):.2f} | {article_f1:.3f} |"
        )


def table_of_articles(pages: Sequence[ReadPage]) -> Iterator[str]:
    """Yield the lines of a table of the effect of removing comments from other pages' texts.

    Threads are left out.
    """
    heads = ("", "pages", "with comments", "mistaken for threads", "F1, left", "F1, out")
    yield f"| {' | '.join((*heads, 'better', 'worse', 'lose'))} |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---|"
    other_pages = [
        page for page in pages if page.gold.kind != THREAD_KIND and page.content is not None
    ]
    for name in dict.fromkeys(page.group for page in other_pages):
        group = [page for page in other_pages if page.group == name]
        changes = [page.score.f1 - page.score_with_comments.f1 for page in group]
        losing_pages = [
            page.gold.id
            for page in group
            if page.score_with_comments.recall - page.score.recall > MIN_LOST_RECALL
        ]
        articles = [page.content for page in group if page.content is not None]
        yield (
            f"| {name} | {len(group)} | {sum(bool(each.comments) for each in articles)} "
            f"| {sum(each.metadata.kind == THREAD_KIND for each in articles)} "
            f"| {np.mean([page.score_with_comments.f1 for page in group]):.3f} "
            f"| {np.mean([page.score.f1 for page in group]):.3f} "
            f"| {sum(change > 0.005 for change in changes)} "
            f"| {sum(change < -0.005 for change in changes)} | {' '.join(losing_pages) or '–'} |"
        )


def main() -> None:
    """Read the pages with and without removal of comments, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, help="folder of the corpora")
    parser.add_argument(
        "--models", type=Path, required=True, help="folder with the models of the folds"
    )
    options = parser.parse_args()
    models = FoldModels.of(options.models)
    _, comment_models = cross_validate([*read_corpora(options.corpora)])
    pages = list(read_pages(options.corpora, comment_models, models))
    print("\n".join(table_of_threads(pages)), end="\n\n", flush=True)
    print("\n".join(table_of_articles(pages)))


if __name__ == "__main__":
    main()
