"""A page: its stored HTML, its published article, its lines, and its processing steps."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from detourage.limits import DOUBTFUL_CONFIDENCE
from detourage.messages import ArticleMessage
from detourage.reader import Explanation
from inspector.article_layout import lay_out_article
from inspector.reads.details import Revision, receipts_of, revisions_of, sending_of
from inspector.registry import ViewResponse, page_view, plain_view
from inspector.request import InspectorRequest
from inspector.revision_changes import revision_changes
from inspector.security import STORED_PAGE_POLICY
from inspector.stored_page import PageData, TooSlowError, page_data
from inspector.struck_page import to_struck_html

MAX_LINES: Final = 400
"""Maximum number of lines listed per screen."""

MIN_NOTABLE_PROBABILITY: Final = 0.1
"""Minimum probability of a dropped line that is listed among the kept lines; about a tenth of the
dropped lines reach it."""

MAX_NOTABLE_LINES: Final = 60
"""Maximum number of lines that are listed at first; the others are collapsed."""

MAX_DEPTH: Final = 8
"""Maximum indentation level of replies to comments."""

IF_SLOW: Final = "View the page on the web, or run detourage explain, which has no time limit."

COLUMNS: Final = (
    *("id", "url", "site_id", "crawler_id", "content_type", "encoding", "fetched_at", "outcome"),
    *("outcome_detail", "confidence", "revision", "generation", "html_removed_at"),
)
"""Columns of a stored page that are shown."""


class Step(NamedTuple):
    """A processing step of a page, with its time (`at`), which is None if it has yet to happen."""

    name: str
    at: datetime | str | None
    detail: str


@page_view("/pages/{page:number}", "page.html")
def page(request: InspectorRequest) -> ViewResponse:
    """Show a page: its article, its lines, its revisions and its processing steps."""
    data = _page_data(request)
    row, context = data.page, data.context
    shown_number = min(request.number("revision") or row.revision, row.revision)
    earlier_number = request.number("from")
    if earlier_number is None or earlier_number >= shown_number:
        earlier_number = shown_number - 1
    with_messages = [shown_number, earlier_number, row.revision]
    revisions, receipts, sending = request.read(
        lambda session: (
            found := revisions_of(session, row.id, limit=50, with_messages=with_messages),
            receipts_of(session, row.id, 20),
            sending_of(session, str(_message_of(found, row.revision).get("id"))),
        )
    )
    message = _message_of(revisions, shown_number)
    earlier_message = _message_of(revisions, earlier_number)
    # Fields that earlier versions of the service did not write get their defaults.
    article = ArticleMessage.model_validate(message) if message else None
    explanation, is_slow = _explanation(request, data)
    first_line = request.number("line") or 0
    lines = explanation.lines if explanation else ()
    notable = [
        line
        for line in lines
        if line.verdict in ("kept", "title")
        or (line.verdict == "dropped" and line.probability >= MIN_NOTABLE_PROBABILITY)
    ][:MAX_NOTABLE_LINES]
    notable_numbers = {line.number for line in notable}
    rest = [line for line in lines if line.number not in notable_numbers]
    end_line = first_line + MAX_LINES
    values = {
        "page": _description(data),
        "way": [step._asdict() for step in _steps(data, revisions, receipts, sending)],
        "article": article.to_json() if article else None,
        "revisions": [
            {"revision": each.number, "created_at": each.created_at} for each in revisions
        ],
        "shown_revision": shown_number,
        "compared_revision": earlier_number if earlier_message else None,
        "changes": revision_changes(earlier_message, message)
        if earlier_message and message
        else None,
        "receipts": [{"at": at, "result": result} for at, result in receipts],
        "read_again": _read_again(
            explanation,
            # If text roles are configured, the published text may consist of other lines than the
            # text of the explanation.
            None if request.deployment.settings.text_roles else message.get("text"),
            is_last=shown_number == row.revision,
        ),
        "took_too_long": is_slow,
        "lines": lines[first_line:end_line],
        "next_line": end_line if len(lines) > end_line else None,
    }
    template_values = {
        "layout": lay_out_article(article) if article else None,
        "notable": notable,
        "rest": rest[first_line:end_line],
        "lines_in_rest": len(rest),
        "next_in_rest": end_line if len(rest) > end_line else None,
        "depths": _depths(message.get("comments") or []),
        "is_first": not first_line,
        "template_page": context.template_page,
        "doubtful": DOUBTFUL_CONFIDENCE,
        "verdicts": {"title": "the title", "comment": "a comment"},
    }
    return ViewResponse(values, template_values)


@plain_view("/pages/{page:number}/stored", if_slow=IF_SLOW)
def stored_page(request: InspectorRequest) -> Response:
    """Show the stored page in a frame, inert and with its boilerplate struck through."""
    reading = request.deployment.last_reading.of(_page_data(request))
    if reading is None:
        raise HTTPException(404, "This page is no longer stored, or cannot be read.")
    html = to_struck_html(reading.explanation, reading.page)
    return HTMLResponse(html, headers={"content-security-policy": STORED_PAGE_POLICY})


def _page_data(request: InspectorRequest) -> PageData:
    return request.read_existing(page_data, request.path_number("page"))


def _explanation(request: InspectorRequest, data: PageData) -> tuple[Explanation | None, bool]:
    """Read a page again; return its explanation, if any, and whether reading took too long."""
    try:
        reading = request.deployment.last_reading.of(data)
    except TooSlowError:
        return None, True
    return (reading.explanation if reading else None), False


def _message_of(revisions: Sequence[Revision], number: int) -> Mapping[str, Any]:
    """Return the article message of a revision, or an empty mapping if it is not loaded."""
    return next((each.message for each in revisions if each.number == number), None) or {}


def _description(data: PageData) -> dict[str, Any]:
    row, context = data.page, data.context
    return {name: getattr(row, name) for name in COLUMNS} | {
        "site": context.site_key,
        "group": context.group_number,
        "role": context.role,
        "group_size": context.group_size,
        "compared_with": context.template_page.url if context.template_page else None,
    }


def _steps(
    data: PageData,
    revisions: Sequence[Revision],
    receipts: Sequence[tuple[datetime, str]],
    sending: str | None,
) -> list[Step]:
    """Return the processing steps of a page's latest fetch, in order."""
    row, context = data.page, data.context
    group_name = "in no group" if context.group_number is None else f"group {context.group_number}"
    silhouette = "" if context.joined_with is None else f", silhouette {context.joined_with:.2f}"
    removed = f"removed {row.html_removed_at:%Y-%m-%d}" if row.html_removed_at else ""
    generation = f"generation {row.generation}" if row.generation else ""
    last = _message_of(revisions, row.revision)
    steps = [
        Step("fetched", row.fetched_at, ""),
        Step("received", *(receipts[0] if receipts else (row.received_at, ""))),
        Step("stored", context.stored_at, removed),
        # Clustering comes first, as a page that joined an existing group was assigned later.
        Step("clustered", context.clustered_at, generation),
        Step("assigned", row.asked_at, group_name + silhouette)
        if context.role
        else Step("assigned", None, ""),
        Step("extracted", last.get("extracted_at"), row.outcome or "waiting"),
    ]
    if row.revision:
        created = next((each.created_at for each in revisions if each.number == row.revision), None)
        notes = {"waiting": "waiting for the relay", "refused": "refused by the broker"}
        steps.append(Step("published", None if sending else created, notes.get(sending or "", "")))
    return steps


def _read_again(
    explanation: Explanation | None, text: str | None, *, is_last: bool
) -> dict[str, Any] | None:
    """Return the outcome of reading the page now, or None if the page is no longer stored.

    It `differs` if the published `text` is the latest one and not the text read now.
    """
    if explanation is None:
        return None
    article = explanation.article
    return {
        "outcome": explanation.outcome,
        "detail": explanation.detail,
        "differs": is_last and text is not None and (not article or article.text != text),
    }


def _depths(comments: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the indentation level of each comment: 0, or one more than that of its parent."""
    depths: list[int] = []
    for comment in comments:
        parent = comment.get("parent")
        is_reply = isinstance(parent, int) and 0 <= parent < len(depths)
        depths.append(min(depths[parent or 0] + 1, MAX_DEPTH) if is_reply else 0)
    return depths
