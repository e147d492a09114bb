"""View of the locations of an article's text in the source of its page."""

from typing import Any, Final, NamedTuple
from urllib.parse import quote

from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException

from detourage.html import PageError, parse_page
from detourage.messages import ArticleMessage
from detourage.reader.locations import LocationError, Passage, locate, located_blocks
from detourage.time_limit import TimeIsUpError
from inspector.reads.details import last_article
from inspector.registry import ViewResponse, page_view
from inspector.request import InspectorRequest
from inspector.stored_page import READING_SECONDS, TooSlowError, content_if_stored
from inspector.time_limit import thread_time_limit
from models.tables import StoredPage

CONTEXT_BYTES: Final = 120
"""Number of bytes of the page shown before and after a passage."""


@page_view("/pages/{page:number}/locations", "locations.html")
def locations(request: InspectorRequest) -> ViewResponse:
    """Show where the page contains a range of its latest article's text, or list all blocks."""
    sent = request.read_existing(_sent_article, request.path_number("page"))
    article = sent.article
    start, end = request.number("start"), request.number("end")
    passages: list[dict[str, Any]] = []
    problem = fragment = None
    if start is not None and end is not None:
        if not start < end <= len(article.text):
            problem = f"start must be less than end, and end at most {len(article.text)}."
            raise HTTPException(400, problem)
        fragment = text_fragment(article.url, article.text, start, end)
        try:
            located = _located_passages(sent, start, end)
            passages = [_with_source(each, sent.content) for each in located]
        except LocationError as error:
            problem = str(error)
    values = {
        "page": request.path_number("page"),
        "revision": article.revision,
        "title": article.title,
        "passages": passages,
        "problem": problem,
        "fragment": fragment,
    }
    return ViewResponse(values, {"blocks": article.blocks, "start": start, "end": end})


class _SentArticle(NamedTuple):
    """An article message, with its page as last fetched (None if removed)."""

    article: ArticleMessage
    content: bytes | str | None
    content_type: str | None


def _sent_article(session: Session, page_id: int) -> _SentArticle | None:
    row, page = last_article(session, page_id), session.get(StoredPage, page_id)
    if row is None or row[0] is None or page is None:
        return None
    article = ArticleMessage.model_validate(row[0])
    return _SentArticle(article, content_if_stored(session, page_id), page.content_type)


def _located_passages(sent: _SentArticle, start: int, end: int) -> list[Passage]:
    """Return the passages of the page that contain a range of the article's text."""
    if sent.content is None:
        raise LocationError("the HTML of the page was removed")
    try:
        with thread_time_limit(READING_SECONDS):
            return locate_in_message(sent.content, sent.content_type, sent.article, start, end)
    except TimeIsUpError:
        raise TooSlowError("the page took too long to read") from None


def _with_source(passage: Passage, content: bytes | str | None) -> dict[str, Any]:
    """Return a passage with its source in the page, and the source just before and after it."""
    values = dict(vars(passage), before="", source="", after="")
    start, end = passage.byte_start, passage.byte_end
    if start is not None and end is not None and content is not None:
        source = content if isinstance(content, bytes) else content.encode()
        excerpts = {
            "before": source[max(start - CONTEXT_BYTES, 0) : start],
            "source": source[start:end],
            "after": source[end : end + CONTEXT_BYTES],
        }
        values |= {name: part.decode("utf-8", "replace") for name, part in excerpts.items()}
    return values


def locate_in_message(
    content: bytes | str, content_type: str | None, message: ArticleMessage, start: int, end: int
) -> list[Passage]:
    """Locate a range of an article message's text in the stored page.

    Raise `LocationError` as in `locate`, or if the page was rendered or is stored in another form.
    """
    if message.method.startswith("rendered-"):
        raise LocationError("the article was extracted from the page as rendered by a browser")
    blocks = located_blocks(message)
    if not blocks:
        raise LocationError(
            "the article has no locations: it comes from a script or an earlier version"
        )
    try:
        return locate(parse_page(content, content_type=content_type), blocks, start, end)
    except PageError as error:
        raise LocationError(f"the page cannot be parsed: {error}") from error


MAX_QUOTE_CHARACTERS: Final = (
    200  # quotation in a URL fragment; only the ends of a longer one are quoted
)
CONTEXT_WORDS: Final = (
    3  # Number of words on either side of a fragment's quotation, which make it unique
)
MAX_CONTEXT_CHARACTERS: Final = (
    60  # context on either side, in scripts without spaces between words
)


def text_fragment(url: str, text: str, start: int, end: int) -> str:
    """Return a URL with which a browser highlights a text (``#:~:text=before-,text,-after``)."""
    if not text[start:end].strip():
        return url
    before = text[:start].rpartition("\n")[2].split()[-CONTEXT_WORDS:]
    after = text[end:].partition("\n")[0].split()[:CONTEXT_WORDS]
    lines = [line.split() for line in text[start:end].split("\n") if line.strip()]
    parts = [" ".join(line) for line in lines]
    if len(lines) > 1 or len(parts[0]) > MAX_QUOTE_CHARACTERS:
        first, last = " ".join(lines[0][:CONTEXT_WORDS]), " ".join(lines[-1][-CONTEXT_WORDS:])
        parts = [first[:MAX_CONTEXT_CHARACTERS], last[-MAX_CONTEXT_CHARACTERS:]]
    parts = [*map(_percent_encoded, parts)]
    if before and text[start - 1 : start].isspace():
        parts.insert(0, _percent_encoded(" ".join(before)[-MAX_CONTEXT_CHARACTERS:]) + "-")
    if after and text[end : end + 1].isspace():
        parts.append("-" + _percent_encoded(" ".join(after)[:MAX_CONTEXT_CHARACTERS]))
    return f"{url.partition('#')[0]}#:~:text={','.join(parts)}"


def _percent_encoded(text: str) -> str:
    """Percent-encode a text, including the hyphens and commas that separate a fragment's parts."""
    return quote(text, safe="").replace("-", "%2D")
