"""Search for pages and articles, with a download as JSON lines."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain

from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from detourage.messages import ArticleMessage
from detourage.outcomes import PageOutcome
from inspector.deployment import Deployment
from inspector.reads.articles import PENDING, ArticleFilter, messages, search, texts_of
from inspector.registry import ViewResponse, page_view, plain_view
from inspector.request import InspectorRequest
from inspector.search_excerpts import excerpts_of

ANY = "any"

OUTCOMES = (*(outcome.value for outcome in PageOutcome), PENDING, ANY)
"""Outcomes that can be searched for; the first is the default."""

MAX_WORDS = 8  # maximum number of words in a search

IF_SLOW = "Narrow the search: enter a site or a shorter period."


@page_view("/articles", "articles.html", if_slow=IF_SLOW)
def articles(request: InspectorRequest) -> ViewResponse:
    """Show the pages and articles that match the search criteria."""
    criteria = _criteria(request)
    # The newest pages come first, so the results after a page have lower IDs.
    result = request.read(search, criteria=criteria, before=request.number("after"), limit=25)
    ids = [page.id for page in result.pages]
    texts = request.read(texts_of, ids) if criteria.words else {}
    excerpts = {page_id: excerpts_of(text, criteria.words) for page_id, text in texts.items()}
    return ViewResponse(
        {"found": result, "excerpts": excerpts},
        {
            "words": criteria.words,
            "outcome": criteria.outcome or ANY,
            "is_narrowed": any(map(request.text, ("language", "since", "until", "above", "below"))),
            "outcomes": OUTCOMES,
            "json_lines_address": request.address(after=None).replace(
                "/articles", "/articles.jsonl", 1
            ),
        },
    )


@plain_view("/articles.jsonl", if_slow=IF_SLOW)
def json_lines(request: InspectorRequest) -> Response:
    """Stream all matching articles in their published form, one per line."""
    batches = _json_batches(request.deployment, _criteria(request))
    # The first batch is read before the response starts, while errors can still be reported.
    first = next(batches)
    return StreamingResponse(
        chain([first], batches),
        media_type="application/x-ndjson",
        headers={"content-disposition": 'attachment; filename="articles.jsonl"'},
    )


def _json_batches(deployment: Deployment, criteria: ArticleFilter) -> Iterator[str]:
    """Yield the matching articles as JSON lines, a batch of pages at a time."""
    before: int | None = None
    while True:
        batch, before = deployment.read(messages, criteria=criteria, before=before)
        yield "".join(
            json.dumps(ArticleMessage.in_order(message), ensure_ascii=False) + "\n"
            for message in batch
        )
        if before is None:
            return


def _criteria(request: InspectorRequest) -> ArticleFilter:
    """Return the search criteria given by the parameters of a request."""
    since, until = request.day("since"), request.day("until")
    words = (request.text("words") or "").split()
    if len(words) > MAX_WORDS:
        raise HTTPException(400, f"words has {len(words)} words; at most {MAX_WORDS} are allowed.")
    outcome = request.choice("outcome", OUTCOMES) or OUTCOMES[0]
    return ArticleFilter(
        site=request.text("site"),
        outcome=None if outcome == ANY else outcome,
        since=_midnight(since) if since else None,
        # The last day is included. The last day of the calendar has no next day.
        until=_midnight(until + timedelta(days=1)) if until and until < date.max else None,
        language=request.text("language"),
        below=request.share("below"),
        above=request.share("above"),
        words=tuple(words),
    )


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
