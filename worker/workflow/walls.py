"""Detection of walls (payment, consent, bot checks) by a page's previous article and its site."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from unicodedata import normalize

from sqlalchemy.orm import Session

from detourage.article import Article
from detourage.html import publisher_of
from detourage.outcomes import PageOutcome
from detourage.text.words import count_unspaced, tokens
from worker.store import articles, extraction_jobs
from worker.store.extraction_jobs import ExtractionJob, PageState
from worker.workflow.extraction_requests import request_extractions

DOUBTFUL_CONFIDENCE: Final = 0.5
"""Confidence below which a text that replaced an article may be a wall, even if extraction did not
suspect one."""

MAX_RELATIVE_LENGTH: Final = 1 / 3  # maximum length of a wall relative to the replaced article

MAX_COMMON_SHARE: Final = 0.1
"""Maximum share of a wall's passages that occur in the article replaced by the wall."""

MAX_CHARACTERS: Final = 200_000  # maximum number of characters compared, to bound the time spent

PASSAGE_TOKENS: Final = 4
UNSPACED_PASSAGE_TOKENS: Final = 6
"""Number of tokens per passage, and for texts in which most tokens are single characters."""

MAX_REPEATED_LENGTH: Final = 600
"""Maximum length, in characters, of a repeated wall; copies of articles are longer."""

MIN_ADDRESSES: Final = 3  # minimum number of a publisher's addresses that show a repeated wall


@dataclass(frozen=True)
class NoArticle:
    """The reason why a page has no article, as an outcome and an explanation."""

    outcome: PageOutcome
    detail: str


ExtractedPage: TypeAlias = tuple[ExtractionJob, PageState, Article | NoArticle]


def without_walls(session: Session, extracted: Sequence[ExtractedPage]) -> list[ExtractedPage]:
    """Substitute `NoArticle` for walls that have replaced an article.

    A wall is much shorter than the published article, has almost nothing in common with it, and is
    either suspected of being a wall or was extracted with low confidence.
    """
    doubtful = [
        job.page_id
        for job, page, result in extracted
        if page.revision and isinstance(result, Article) and _is_doubtful(result)
    ]
    latest = session.execute(articles.SQL.last_texts, {"page_ids": doubtful}) if doubtful else ()
    before: dict[int, str] = {row.page_id: row.text for row in latest}
    return [
        (job, page, _unless_wall(result, before.get(job.page_id)))
        for job, page, result in extracted
    ]


def short_texts(extracted: Sequence[ExtractedPage]) -> dict[int, bytes]:
    """Return the keys of doubtful short texts by page ID, except for parts of an article.

    The same text has different keys at different publishers, because a stranger in the same domain
    could copy an article to make it look like a wall.
    """
    return {
        job.page_id: _key(page.url, result.text)
        for job, page, result in extracted
        if isinstance(result, Article)
        and len(result.text) <= MAX_REPEATED_LENGTH
        and _is_doubtful(result)
        and not result.pagination
    }


def _key(url: str, text: str) -> bytes:
    text_hash = hashlib.sha256(f"{publisher_of(url)} ".encode())
    text_hash.update(" ".join(tokens(normalize("NFKC", text))).encode(errors="surrogatepass"))
    return text_hash.digest()[:16]


def without_repeats(
    session: Session, extracted: Sequence[ExtractedPage], texts: Mapping[int, bytes]
) -> list[ExtractedPage]:
    """Substitute `NoArticle` for repeated texts; request earlier pages with them again."""
    by_site: defaultdict[int, dict[int, bytes]] = defaultdict(dict)
    for job, page, _ in extracted:
        if job.page_id in texts:
            by_site[page.site_id][job.page_id] = texts[job.page_id]
    walls: set[int] = set()
    for site_id, own in sorted(by_site.items()):
        others = extraction_jobs.pages_with_short_texts(session, site_id, set(own.values()))
        showing = {key: others[key] - own.keys() for key in own.values()}
        for page_id, key in own.items():
            showing[key].add(page_id)
        repeated = [pages for pages in showing.values() if len(pages) >= MIN_ADDRESSES]
        walls |= {page_id for pages in repeated for page_id in pages}
        before = sorted({page_id for pages in repeated for page_id in pages} - own.keys())
        for generation, page_ids in extraction_jobs.lock_articles(session, before).items():
            request_extractions(session, page_ids, generation)
    wall = NoArticle(
        PageOutcome.WALL, "the same text appears at three or more addresses of the publisher"
    )
    return [
        (job, page, wall if job.page_id in walls and job.page_id in texts else result)
        for job, page, result in extracted
    ]


def _is_doubtful(article: Article) -> bool:
    return article.suspected is not None or article.confidence < DOUBTFUL_CONFIDENCE


def _unless_wall(result: Article | NoArticle, before: str | None) -> Article | NoArticle:
    if before is None or isinstance(result, NoArticle) or not has_replaced(result.text, before):
        return result
    outcome = result.suspected.outcome if result.suspected is not None else PageOutcome.WALL
    return NoArticle(PageOutcome(outcome), "another, much shorter text has replaced the article")


def has_replaced(text: str, before: str) -> bool:
    """Return whether a text is much shorter than the text ``before``, and almost entirely new."""
    if len(text) > MAX_RELATIVE_LENGTH * len(before):
        return False
    own = _passages(text)
    return len(own & _passages(before)) <= MAX_COMMON_SHARE * len(own)


def _passages(text: str) -> set[tuple[str, ...]]:
    text = normalize("NFKC", text[:MAX_CHARACTERS])
    words = tokens(text)
    is_unspaced = 2 * count_unspaced(text) > len(words)
    length = UNSPACED_PASSAGE_TOKENS if is_unspaced else PASSAGE_TOKENS
    return set(zip(*(words[start:] for start in range(length)), strict=False))
