"""Location of an article's text in its page."""

from typing import Any, Final

from starlette.exceptions import HTTPException

from detourage.messages import ArticleMessage
from detourage.reader.locating import LocationError, Passage, locate_in_message, text_fragment
from detourage.time_limit import TimeIsUpError, thread_time_limit
from inspector.asking import InspectorRequest
from inspector.registry import Answer, page_view
from inspector.stored_page import READING_SECONDS, TooSlowError
from worker.store.article_history import SentArticle, sent_article

AROUND: Final = 120
"""Number of bytes of the page shown before and after a passage."""


@page_view("/pages/{page:number}/locations", "locations.html")
def locations(asked: InspectorRequest) -> Answer:
    """Show the locations of a range of the latest article's text, by default of all its blocks."""
    sent = asked.known(sent_article, asked.path_number("page"))
    article = ArticleMessage.model_validate(sent.message)
    start, end = asked.number("start"), asked.number("end")
    passages: list[dict[str, Any]] = []
    problem = fragment = None
    if start is not None and end is not None:
        if not start < end <= len(article.text):
            raise HTTPException(400, f"start and end must be offsets up to {len(article.text)}.")
        fragment = text_fragment(article.url, article.text, start, end)
        try:
            passages = [_shown(each, sent.content) for each in _located(sent, article, start, end)]
        except LocationError as error:
            problem = str(error)
    values = {
        "page": sent.page_id,
        "revision": article.revision,
        "title": article.title,
        "passages": passages,
        "problem": problem,
        "fragment": fragment,
    }
    return Answer(values, {"blocks": article.blocks, "start": start, "end": end})


def _located(sent: SentArticle, article: ArticleMessage, start: int, end: int) -> list[Passage]:
    if sent.content is None:
        raise LocationError("the HTML of the page was removed")
    try:
        with thread_time_limit(READING_SECONDS):
            return locate_in_message(sent.content, sent.content_type, article, start, end)
    except TimeIsUpError:
        raise TooSlowError("the page took too long to read") from None


def _shown(passage: Passage, content: bytes | str | None) -> dict[str, Any]:
    """Return a passage with the source around it."""
    shown = dict(vars(passage), before="", source="", after="")
    start, end = passage.byte_start, passage.byte_end
    if start is not None and end is not None and content is not None:
        source = content if isinstance(content, bytes) else content.encode()
        cuts = {
            "before": source[max(start - AROUND, 0) : start],
            "source": source[start:end],
            "after": source[end : end + AROUND],
        }
        shown |= {name: cut.decode("utf-8", "replace") for name, cut in cuts.items()}
    return shown
