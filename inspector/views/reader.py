"""A page's article in a reader view."""

from typing import Final

from starlette.exceptions import HTTPException

from detourage.messages import ArticleMessage
from inspector.article_layout import lay_out_article
from inspector.reads.details import last_article
from inspector.registry import ViewResponse, page_view
from inspector.request import InspectorRequest
from inspector.security import policy_with_images

SIZES: Final = ("1", "2", "3", "4", "5", "6", "7")
"""Text sizes; the third is the default."""

MAX_IMAGE_SOURCES: Final = 40
"""Maximum number of sources of images, as a response header lists all of them."""


@page_view("/pages/{page:number}/read", "reader.html")
def reader(request: InspectorRequest) -> ViewResponse:
    """Show the latest article of a page."""
    page_id = request.path_number("page")
    (message,) = request.read_existing(last_article, page_id)
    if message is None:
        raise HTTPException(404, "This page has no article.")
    # Fields that earlier versions of the service did not write get their defaults.
    article = ArticleMessage.model_validate(message)
    layout = lay_out_article(article)
    size = int(request.choice("size", SIZES) or 3)
    sources = layout.sources[:MAX_IMAGE_SOURCES]
    are_images_shown = request.choice("images", ("shown",)) is not None
    template_values = {
        "layout": layout,
        "sources": sources,
        "hosts": list(dict.fromkeys(source.partition("://")[2] for source in sources)),
        "are_images_shown": are_images_shown,
        "size": size,
        "smaller": size - 1 if size > 1 else None,
        "larger": size + 1 if size < len(SIZES) else None,
    }
    headers = {}
    if are_images_shown:
        headers["content-security-policy"] = policy_with_images(sources)
    return ViewResponse({"page": page_id, "article": article.to_json()}, template_values, headers)
