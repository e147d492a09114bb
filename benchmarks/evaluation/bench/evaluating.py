"""Evaluation of article files against gold records."""

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from benchmarks.evaluation.bench.averaging import means
from benchmarks.evaluation.bench.errors import BenchError
from benchmarks.evaluation.bench.measuring import Grouping, Progress, measurable
from benchmarks.evaluation.bench.memo import Memo, scorer_version
from benchmarks.evaluation.bench.results import CorpusTable, Line
from benchmarks.evaluation.bench.scoring import Target, prepare, score
from benchmarks.evaluation.methods import Source
from benchmarks.evaluation.scores import (
    Comment,
    Corpus,
    CorpusError,
    CorpusPage,
    Gold,
    PageScores,
    Prediction,
    TextBlock,
    load_corpus,
    load_golds,
    macro_average_by_language,
    macro_average_by_site,
)
from benchmarks.evaluation.scores.corpora import open_text
from detourage.messages import ArticleMessage
from detourage.text.plural import pluralise


def evaluate(
    gold: Path,
    articles: Sequence[Path],
    *,
    by: Grouping | None = None,
    title_in_text: bool | None = None,
    progress: Progress = lambda _what, _done, _total: None,
) -> CorpusTable:
    """Score files of articles; each file produces a row.

    If a file contains several revisions of a page, the latest one counts. If the gold texts begin
    with the headline, each article is prefixed with the headline shown on the page or, if there are
    no pages, with its own title. `title_in_text` states whether the gold texts do; None selects the
    default of the corpus. Raise BenchError if a file is unreadable or there is nothing to score.
    """
    corpus = _read_corpus(gold, title_in_text)
    golds = measurable(corpus)
    if not golds:
        raise BenchError(f"{gold}: no gold record has a text to score against")
    memo = Memo(None, scorer_version())
    targets = [_target_for(corpus.pages.get(each.id), each, memo) for each in golds]
    lines = []
    remarks = []
    for path in articles:
        line, remark = _evaluate_file(path, corpus, targets, memo, by, progress)
        lines.append(line)
        remarks.append(remark)
    return CorpusTable(
        corpus=corpus.name,
        pages=len(golds),
        sites=len({each.site for each in golds}),
        of_pages=len(golds),
        left_out=len(corpus.golds) - len(golds),
        best_peers={},
        lines=lines,
        remarks=remarks,
    )


def read_articles(path: Path) -> Iterator[ArticleMessage]:
    """Yield the article messages in a file, one per line; raise BenchError if one is invalid."""
    for number, line in _numbered_lines(path):
        try:
            yield ArticleMessage.model_validate_json(line)
        except ValidationError as error:
            reason = error.errors()[0]
            where = ".".join(map(str, reason["loc"]))
            raise BenchError(
                f"{path.name}, line {number}: not an article message ({where}: {reason['msg']})"
            ) from error


def to_prediction(article: ArticleMessage) -> Prediction:
    """Convert an article message to the form that is scored."""
    return Prediction(
        title=article.title,
        text=article.text,
        blocks=tuple(TextBlock(block.type, block.text) for block in article.blocks),
        authors=tuple(article.authors),
        date=article.published_at.isoformat() if article.published_at else None,
        comments=tuple(
            Comment(each.text, each.author, each.date, each.parent, each.published)
            for each in article.comments
        ),
    )


def _evaluate_file(
    path: Path,
    corpus: Corpus,
    targets: Sequence[Target],
    memo: Memo,
    by: Grouping | None,
    progress: Progress,
) -> tuple[Line, str]:
    """Score the articles of one file; return its row of the table, and a remark with counts."""
    articles, unmatched = _match_articles(path, corpus)
    rows = []
    for done, target in enumerate(targets, 1):
        gold = target.gold
        article = articles.get(gold.id)
        extracted = to_prediction(article) if article else Prediction()
        if gold.title_in_text and gold.id not in corpus.pages and extracted.title:
            target = Target(gold, TextBlock("heading", extracted.title))
        scores, _ = score(memo, extracted, target)
        rows.append(PageScores(gold.id, gold.site, gold.language, scores))
        progress(path.name, done, len(targets))
    missing = sum(target.gold.id not in articles for target in targets)
    groups = {}
    if by == "site":
        groups = macro_average_by_site(rows)
    elif by == "language":
        groups = macro_average_by_language(rows)
    unwanted = len(articles.keys() - {target.gold.id for target in targets})
    remark = (
        f"{path.name}: {pluralise(len(articles), 'article')} of pages with a gold record,"
        f" {unwanted} of them without anything to score; {pluralise(missing, 'page')} without an"
        f" article, scored as empty; {pluralise(unmatched, 'article')} of other pages"
    )
    failures = {"missing": missing} if missing else {}
    return Line(path.name, "method", failures=failures, scores=means(rows), groups=groups), remark


def _match_articles(path: Path, corpus: Corpus) -> tuple[dict[str, ArticleMessage], int]:
    """Match articles with gold records by page ID or URL.

    Return the latest article for each gold record, by ID, and the number of pages without one.
    """
    by_url = {page.url: page.id for page in corpus.pages.values()}
    articles: dict[str, ArticleMessage] = {}
    unmatched = set()
    for article in read_articles(path):
        gold_id = article.page_id if article.page_id in corpus.golds else by_url.get(article.url)
        if gold_id is None:
            unmatched.add((article.site, article.url))
        elif gold_id not in articles or articles[gold_id].revision <= article.revision:
            articles[gold_id] = article
    return articles, len(unmatched)


def _target_for(page: CorpusPage | None, gold: Gold, memo: Memo) -> Target:
    """Return the content to score against; its headline is the one shown on the page, if any."""
    if page is None:
        return Target(gold)
    return prepare(memo, Source(page.html, page.url, page.content_type), gold)[0]


def _read_corpus(path: Path, title_in_text: bool | None) -> Corpus:
    """Read gold records, with their pages if `path` is a corpus."""
    try:
        if path.is_dir():
            return load_corpus(path, title_in_text=title_in_text)
        return Corpus(path.name, {}, load_golds(path, title_in_text=title_in_text))
    except CorpusError as error:
        raise BenchError(str(error)) from error


def _numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines of a file with their numbers, for error messages."""
    try:
        with open_text(path) as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, line
    except (EOFError, UnicodeDecodeError, gzip.BadGzipFile) as error:
        raise BenchError(f"{path}: {error}") from error
