"""Detect walls (payment, consent, bot checks) by comparison with other texts of the site."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias
from unicodedata import normalize

from sqlalchemy.orm import Session

from detourage.article import Article
from detourage.html import publisher_of
from detourage.outcomes import PageOutcome
from detourage.text.words import count_unspaced, tokens
from worker.store import articles, extraction_jobs
from worker.store.extraction_jobs import ExtractionJob, PageState
from worker.workflow.extraction_requests import request_extractions

MAX_UNSUSPECTED_WALL_CONFIDENCE: Final = 0.5
"""Confidence below which a text that replaced an article may be a wall, even if extraction did not
suspect one."""

MAX_RELATIVE_LENGTH: Final = 1 / 3  # maximum length of a wall relative to the replaced article

MAX_COMMON_SHARE: Final = 0.1
"""Maximum share of a wall's passages that occur in the article replaced by the wall."""

MAX_CHARACTERS: Final = 200_000  # maximum number of characters compared, to bound the time spent

PASSAGE_TOKENS: Final = 4
UNSPACED_PASSAGE_TOKENS: Final = 6
"""Length of a passage in tokens. In Chinese or Japanese, a token is a single character."""

MAX_REPEATED_LENGTH: Final = 600
"""Maximum length, in characters, of a repeated wall; copies of articles are longer."""

MIN_ADDRESSES: Final = 3  # minimum number of addresses at which a text counts as repeated


class NoArticle(NamedTuple):
    """The reason why a page has no article, as an outcome and an explanation."""

    outcome: PageOutcome
    detail: str


ExtractedPage: TypeAlias = tuple[ExtractionJob, PageState, Article | NoArticle]  # with its result


def reject_walls(session: Session, extracted: Sequence[ExtractedPage]) -> list[ExtractedPage]:
    """Substitute `NoArticle` for walls that have replaced an article.

    Such a wall is much shorter than the published article, has almost nothing in common with it,
    and was either suspected to be a wall or extracted with low confidence.
    """
    doubtful = [
        job.page_id
        for job, page, result in extracted
        if page.revision and isinstance(result, Article) and _is_doubtful(result)
    ]
    latest = session.execute(articles.SQL.last_texts, {"page_ids": doubtful}) if doubtful else ()
    previous: dict[int, str] = {row.page_id: row.text for row in latest}
    return [
        (job, page, _reject_if_wall(result, previous.get(job.page_id)))
        for job, page, result in extracted
    ]


def short_text_keys(extracted: Sequence[ExtractedPage]) -> dict[int, bytes]:
    """Return the keys of doubtful short texts by page ID, except for parts of an article.

    The same text has different keys at different publishers, because another publisher in the same
    domain could copy an article to make it look like a wall.
    """
    return {
        job.page_id: _text_key(page.url, result.text)
        for job, page, result in extracted
        if isinstance(result, Article)
        and len(result.text) <= MAX_REPEATED_LENGTH
        and _is_doubtful(result)
        and not result.pagination
    }


def _text_key(url: str, text: str) -> bytes:
    text_hash = hashlib.sha256(f"{publisher_of(url)} ".encode())
    text_hash.update(" ".join(tokens(normalize("NFKC", text))).encode(errors="surrogatepass"))
    return text_hash.digest()[:16]


def reject_repeated_texts(
    session: Session, extracted: Sequence[ExtractedPage], texts: Mapping[int, bytes]
) -> list[ExtractedPage]:
    """Substitute `NoArticle` for repeated texts; request new extractions of the earlier pages."""
    by_site: defaultdict[int, dict[int, bytes]] = defaultdict(dict)
    for job, page, _ in extracted:
        if job.page_id in texts:
            by_site[page.site_id][job.page_id] = texts[job.page_id]
    walls: set[int] = set()
    for site_id, own in sorted(by_site.items()):
        stored = extraction_jobs.pages_with_short_texts(session, site_id, set(own.values()))
        pages_by_key = {key: stored[key] - own.keys() for key in own.values()}
        for page_id, key in own.items():
            pages_by_key[key].add(page_id)
        repeated = [pages for pages in pages_by_key.values() if len(pages) >= MIN_ADDRESSES]
        repeating_pages = {page_id for pages in repeated for page_id in pages}
        walls |= repeating_pages
        earlier = sorted(repeating_pages - own.keys())
        for generation, page_ids in extraction_jobs.lock_articles(session, earlier).items():
            request_extractions(session, page_ids, generation)
    wall = NoArticle(
        PageOutcome.WALL, "the same text appears at three or more addresses of the publisher"
    )
    return [
        (job, page, wall if job.page_id in walls and job.page_id in texts else result)
        for job, page, result in extracted
    ]


def _is_doubtful(article: Article) -> bool:
    return article.suspected is not None or article.confidence < MAX_UNSUSPECTED_WALL_CONFIDENCE


def _reject_if_wall(result: Article | NoArticle, previous: str | None) -> Article | NoArticle:
    if previous is None or isinstance(result, NoArticle) or not has_replaced(result.text, previous):
        return result
    outcome = result.suspected.outcome if result.suspected is not None else PageOutcome.WALL
    return NoArticle(PageOutcome(outcome), "another, much shorter text has replaced the article")


def has_replaced(text: str, previous: str) -> bool:
    """Return whether a text is much shorter than the previous text, and almost entirely new."""
    if len(text) > MAX_RELATIVE_LENGTH * len(previous):
        return False
    passages = _passages(text)
    return len(passages & _passages(previous)) <= MAX_COMMON_SHARE * len(passages)


def _passages(text: str) -> set[tuple[str, ...]]:
    """Return the token n-grams of a text."""
    text = normalize("NFKC", text[:MAX_CHARACTERS])
    words = tokens(text)
    is_unspaced = 2 * count_unspaced(text) > len(words)
    length = UNSPACED_PASSAGE_TOKENS if is_unspaced else PASSAGE_TOKENS
    return set(zip(*(words[start:] for start in range(length)), strict=False))
