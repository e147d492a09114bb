"""A page: its stored HTML, its published article, its lines, and its processing steps."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from detourage.messages import DOUBTFUL, ArticleMessage
from detourage.reader import Explanation
from inspector.article_parts import article_parts
from inspector.offline_page import to_offline_html
from inspector.reads.details import Revision, receipts_of, revisions_of, sending_of
from inspector.registry import Answer, page_view, plain_view
from inspector.request import InspectorRequest
from inspector.revision_changes import revision_changes
from inspector.security import FRAMED_POLICY
from inspector.stored_page import KnownPage, TooSlowError, known_page

MAX_LINES: Final = 400
"""Maximum number of lines listed per screen."""

MIN_NOTABLE_PROBABILITY: Final = 0.1
"""Minimum probability for a dropped line to be listed among the kept lines; a tenth of the lines
reach it."""

MAX_DEPTH: Final = 8
"""Maximum indentation level of replies to comments."""

IF_SLOW: Final = "View the page on the web, or run detourage explain, which has no time limit."

COLUMNS: Final = (
    *("id", "url", "site_id", "crawler_id", "content_type", "encoding", "fetched_at", "outcome"),
    *("outcome_detail", "confidence", "revision", "generation", "html_removed_at"),
)
"""Columns of a stored page that are shown."""


class Step(NamedTuple):
    """A processing step of a page; its time is None if it has not been reached."""

    name: str
    at: datetime | str | None
    detail: str


@page_view("/pages/{page:number}", "page.html")
def page(request: InspectorRequest) -> Answer:
    """Show a page."""
    known = _load_known(request)
    row, place = known.page, known.place
    shown = min(request.number("revision") or row.revision, row.revision)
    earlier = request.number("from")
    earlier = shown - 1 if earlier is None or earlier >= shown else earlier
    revisions, receipts, sending = request.read(
        lambda session: (
            found := revisions_of(
                session, row.id, limit=50, with_messages=[shown, earlier, row.revision]
            ),
            receipts_of(session, row.id, 20),
            sending_of(session, str(_message_of(found, row.revision).get("id"))),
        )
    )
    message, before = _message_of(revisions, shown), _message_of(revisions, earlier)
    # Fields that earlier versions of the service did not write get their defaults.
    article = ArticleMessage.model_validate(message) if message else None
    explained, is_slow = _explained(request, known)
    first = request.number("line") or 0
    lines = explained.lines if explained else ()
    # All other lines are collapsed.
    notable = [
        line
        for line in lines
        if line.verdict in ("kept", "title")
        or (line.verdict == "dropped" and line.probability >= MIN_NOTABLE_PROBABILITY)
    ][:60]
    shown_at_once = {line.number for line in notable}
    rest = [line for line in lines if line.number not in shown_at_once]
    values = {
        "page": _described(known),
        "way": [step._asdict() for step in _steps(known, revisions, receipts, sending)],
        "article": article.to_json() if article else None,
        "revisions": [
            {"revision": each.number, "created_at": each.created_at} for each in revisions
        ],
        "shown_revision": shown,
        "compared_revision": earlier if before else None,
        "changes": revision_changes(before, message) if before and message else None,
        "receipts": [{"at": at, "result": result} for at, result in receipts],
        "read_again": _read_again(
            explained,
            # If text roles are configured, the published text may consist of different lines from
            # the explained text.
            None if request.deployment.settings.text_roles else message.get("text"),
            is_last=shown == row.revision,
        ),
        "took_too_long": is_slow,
        "lines": lines[first : first + MAX_LINES],
        "next_line": first + MAX_LINES if len(lines) > first + MAX_LINES else None,
    }
    shown_only = {
        "parts_of_article": article_parts(article) if article else None,
        "notable": notable,
        "rest": rest[first : first + MAX_LINES],
        "lines_in_rest": len(rest),
        "next_in_rest": first + MAX_LINES if len(rest) > first + MAX_LINES else None,
        "depths": _depths(message.get("comments") or []),
        "is_first": not first,
        "template_page": place.template_page,
        "doubtful": DOUBTFUL,
        "verdicts": {"title": "the title", "comment": "a comment"},
    }
    return Answer(values, shown_only)


@plain_view("/pages/{page:number}/stored", if_slow=IF_SLOW)
def stored(request: InspectorRequest) -> Response:
    """Show the stored page in a frame, inert and with its boilerplate struck through."""
    reading = request.deployment.last_reading.of(_load_known(request))
    if reading is None:
        raise HTTPException(404, "This page is no longer stored, or cannot be read.")
    html = to_offline_html(reading.explanation, reading.page)
    return HTMLResponse(html, headers={"content-security-policy": FRAMED_POLICY})


def _load_known(request: InspectorRequest) -> KnownPage:
    return request.known(known_page, request.path_number("page"))


def _explained(request: InspectorRequest, known: KnownPage) -> tuple[Explanation | None, bool]:
    """Read a page again, and return the result and whether reading took too long."""
    try:
        reading = request.deployment.last_reading.of(known)
    except TooSlowError:
        return None, True
    return (reading.explanation if reading else None), False


def _message_of(revisions: Sequence[Revision], number: int) -> Mapping[str, Any]:
    return next((each.message for each in revisions if each.number == number), None) or {}


def _described(known: KnownPage) -> dict[str, Any]:
    row, place = known.page, known.place
    return {name: getattr(row, name) for name in COLUMNS} | {
        "site": place.site_key,
        "group": place.group_number,
        "role": place.role,
        "group_size": place.group_size,
        "compared_with": place.template_page.url if place.template_page else None,
    }


def _steps(
    known: KnownPage,
    revisions: Sequence[Revision],
    receipts: Sequence[tuple[datetime, str]],
    sending: str | None,
) -> list[Step]:
    row, place = known.page, known.place
    joined = place.joined_with
    where = "in no group" if place.group_number is None else f"group {place.group_number}"
    silhouette = "" if joined is None else f", silhouette {joined:.2f}"
    removed = f"removed {row.html_removed_at:%Y-%m-%d}" if row.html_removed_at else ""
    generation = f"generation {row.generation}" if row.generation else ""
    last = _message_of(revisions, row.revision)
    steps = [
        Step("fetched", row.fetched_at, ""),
        Step("received", *(receipts[0] if receipts else (row.received_at, ""))),
        Step("stored", place.stored_at, removed),
        # A page that joined an existing group was assigned after the group's clustering.
        Step("clustered", place.clustered_at, generation),
        Step("assigned", row.asked_at, where + silhouette)
        if place.role
        else Step("assigned", None, ""),
        Step("extracted", last.get("extracted_at"), row.outcome or "waiting"),
    ]
    if row.revision:
        sent = next((each.created_at for each in revisions if each.number == row.revision), None)
        notes = {"waiting": "waiting for the relay", "refused": "refused by the broker"}
        steps.append(Step("published", None if sending else sent, notes.get(sending or "", "")))
    return steps


def _read_again(
    explained: Explanation | None, text: str | None, *, is_last: bool
) -> dict[str, Any] | None:
    """Return the outcome of reading the page now, or None if the page is no longer stored."""
    if explained is None:
        return None
    article = explained.article
    return {
        "outcome": explained.outcome,
        "detail": explained.detail,
        "differs": is_last and text is not None and (not article or article.text != text),
    }


def _depths(comments: Sequence[Mapping[str, Any]]) -> list[int]:
    depths: list[int] = []
    for comment in comments:
        parent = comment.get("parent")
        is_reply = isinstance(parent, int) and 0 <= parent < len(depths)
        depths.append(min(depths[parent or 0] + 1, MAX_DEPTH) if is_reply else 0)
    return depths
