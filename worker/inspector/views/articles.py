"""The pages and their articles: searched, and written as JSON Lines."""

import json
from collections.abc import Iterator
from datetime import timedelta
from functools import partial

from starlette.responses import Response, StreamingResponse

from models.messages import ArticleMessage
from worker.inspector.asking import Asked
from worker.inspector.deployment import Deployment
from worker.inspector.registry import Answer, Views
from worker.outcomes import PENDING, PageOutcome
from worker.store.inspection_articles import Wanted, messages, search

views = Views()

OUTCOMES = (*(outcome.value for outcome in PageOutcome), PENDING)

PAGES_AT_ONCE = 50

MOST_WORDS = 8


@views.page("/articles", "articles.html")
def articles(asked: Asked) -> Answer:
    """Show the pages that are searched for."""
    wanted, before = _wanted(asked), asked.number("after")
    found = asked.read(partial(search, wanted=wanted, before=before, limit=PAGES_AT_ONCE))
    return Answer(
        {"found": found},
        {
            "outcomes": OUTCOMES,
            "is_first": before is None,
            "lines": asked.address(after=None).replace("/articles", "/articles.jsonl", 1),
        },
    )


@views.plain("/articles.jsonl")
def lines(asked: Asked) -> Response:
    """Give all articles that are searched for, as they were sent, one a line."""
    return StreamingResponse(
        _lines(asked.deployment, _wanted(asked)),
        media_type="application/x-ndjson",
        headers={"content-disposition": 'attachment; filename="articles.jsonl"'},
    )


def _lines(deployment: Deployment, wanted: Wanted) -> Iterator[str]:
    before: int | None = None
    while True:
        some, before = deployment.read(partial(messages, wanted=wanted, before=before))
        for message in some:
            yield json.dumps(ArticleMessage.in_order(message), ensure_ascii=False) + "\n"
        if before is None:
            return


def _wanted(asked: Asked) -> Wanted:
    until = asked.day("until")
    return Wanted(
        site=asked.text("site"),
        outcome=asked.choice("outcome", OUTCOMES),
        since=asked.day("since"),
        # The day itself is among them.
        until=until + timedelta(days=1) if until else None,
        language=asked.text("language"),
        below=asked.share("below"),
        above=asked.share("above"),
        words=tuple((asked.text("words") or "").split()[:MOST_WORDS]),
    )
